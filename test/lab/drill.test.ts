import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DrillFault, type DrillFaultReport, FAULTS as ALL } from '../../src/operate/drill/report';
import { drainingGroup, referenceBundle } from './bundle';
import { drill } from './commands';
import { Following } from './following';
import { describeInLab, lab } from './harness/given';
import { note } from './harness/lab';
import { type Pod, readyPods, removeNamespace } from './live';
import { NAMESPACE, serving } from './serving';

/** Root's shell on a node, as ssh gives it elsewhere. */
const shell = () => `nsenter --net=/run/netns/${lab().name}-{node} sh -c`;
/** Its budget refuses a drain. */
const FAULTS = ALL.filter((fault) => fault !== 'drain');
const STEPS = ['detected', 'old pods gone', 'recreated', 'scheduled', 'started', 'loaded', 'ready', 'first token'];
/** How often the faults that somebody has to find are made once more, by hand: LAB_DRILLS=2. */
const MORE = Number(process.env.LAB_DRILLS ?? 0);

function tell({
  fault,
  steps,
  totalSeconds,
  loadSeconds,
  overheadSeconds,
  bound,
  request,
  said,
}: DrillFaultReport): void {
  note(lab(), `${fault}: ${steps.map(({ step, seconds }) => `${step} ${seconds}`).join(', ')} s`);
  note(
    lab(),
    `${fault}: ${totalSeconds} s, of which ${loadSeconds} from container start to 200, ${overheadSeconds} for everything else` +
      ` (bound ${bound?.seconds}); the request: ${request.said}; ${said}`,
  );
}

function expectHealed({ held, said, steps, isWholeGroupNew }: DrillFaultReport): void {
  expect({ held, isWholeGroupNew }, said).toEqual({ held: 'yes', isWholeGroupNew: true });
  expect(steps.map(({ step }) => step)).toEqual(STEPS);
}

const both = async (): Promise<readonly Pod[]> => await readyPods(NAMESPACE, 'app=vllm-gemma', 2);

describeInLab('the reference bundle, broken', () => {
  let logs: Following;
  beforeAll(async () => {
    await serving('the bundle to be broken', referenceBundle());
    logs = new Following(NAMESPACE);
    await logs.start('-o', 'json');
  });
  afterAll(async () => {
    logs.leave();
    await removeNamespace(NAMESPACE);
  });

  test('is not touched as long as nobody says yes, and a budget that refuses an eviction is told', async () => {
    const before = await both();
    const { code, report } = await drill();
    expect(code).toBe(0);
    expect(report).toMatchObject({ isDryRun: true, faults: [] });
    expect(report.notOffered.map(({ fault }) => fault)).toEqual(['cut', 'cut-idle', 'drain', 'lose-node']);
    expect(report.notOffered.find(({ fault }) => fault === 'drain')?.why).toMatch(/^a PodDisruptionBudget lets no pod/);
    const after = await both();
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
  });

  describe('by each fault that can be made', () => {
    let run: Awaited<ReturnType<typeof drill>>;
    beforeAll(async () => {
      run = await drill('--node-shell', shell(), '--yes');
      run.report.faults.forEach(tell);
    });

    test.each<DrillFault>(FAULTS)('%s: heals by itself, as one group', (fault) => {
      const one = run.report.faults.find((each) => each.fault === fault);
      expect(one, JSON.stringify(run.report.notOffered)).toBeDefined();
      expectHealed(one!);
      expect(one!.request.isWhole).toBe(false);
    });

    test('ends well', async () => {
      expect(run.report.notOffered.map(({ fault }) => fault)).toEqual(['drain']);
      expect(run).toMatchObject({ code: 0, report: { held: true } });
      await both();
    });

    test('is kept: the last words of a leader whose worker was stopped, with what they tell', () => {
      const [leader] = run.report.faults.find(({ fault }) => fault === 'stop-worker')!.before;
      expect(logs.keptOf('vllm-gemma-0', leader!)).toMatch(
        / Traceback \(most recent call last\):\n[^]*(EngineDeadError|TimeoutError)/,
      );
      const entries = logs.entries();
      const failure = entries.find((entry) => entry.kind === 'failure' && entry.uid === leader);
      expect(failure).toMatchObject({ pod: 'vllm-gemma-0', rank: 0 });
      if (process.env.LAB_RECORD !== undefined) {
        const at = entries.indexOf(failure!);
        writeFileSync(join(process.env.LAB_RECORD, 'logs.json'), JSON.stringify(entries.slice(at - 12, at + 12)));
      }
    });
  });

  test.runIf(MORE > 0)('heals each time when it has to be found', async () => {
    for (let time = 0; time < MORE; time++) {
      const { report } = await drill('--fault', 'stop-worker', '--fault', 'cut', '--node-shell', shell(), '--yes');
      report.faults.forEach(tell);
      expect(report.faults).toHaveLength(2);
      report.faults.forEach(expectHealed);
    }
  });
});

describeInLab('a group that drains', () => {
  beforeAll(async () => void (await serving('the group that drains', drainingGroup())));
  afterAll(async () => await removeNamespace(NAMESPACE));

  test('loses no request when its node is drained', async () => {
    const { report } = await drill('--fault', 'drain', '--yes');
    report.faults.forEach(tell);
    expect(report.faults, JSON.stringify(report.notOffered)).toHaveLength(1);
    expectHealed(report.faults[0]!);
    expect(report.faults[0]!.request).toMatchObject({ isWhole: true, said: 'it came to its end' });
  });
});
