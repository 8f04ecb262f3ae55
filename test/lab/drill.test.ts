import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { DrillFault, DrillFaultReport } from '../../src/operate/drill/report';
import { drainingGroup, referenceBundle } from './bundle';
import { drill } from './commands';
import { Following } from './following';
import { describeInLab, lab } from './harness/given';
import { note } from './harness/lab';
import { type Pod, readyPods, removeNamespace } from './live';
import { NAMESPACE, serving } from './serving';
import { until } from './wait';

/** Root's shell on a node, as ssh gives it elsewhere. */
const shell = () => `nsenter --net=/run/netns/${lab().name}-{node} sh -c`;
const STEPS = ['detected', 'old pods gone', 'recreated', 'scheduled', 'started', 'loaded', 'ready', 'first token'];
/** How often the faults that have to be found are made. */
const TIMES = Number(process.env.LAB_DRILLS ?? 1);

/** Makes a fault, which has to heal, and notes what it cost. */
async function healed(fault: DrillFault): Promise<DrillFaultReport> {
  const { code, report } = await drill('--fault', fault, '--node-shell', shell(), '--yes');
  const [one] = report.faults;
  expect(one, JSON.stringify(report.notOffered)).toBeDefined();
  const { steps, totalSeconds, loadSeconds, overheadSeconds, bound, request, isWholeGroupNew, held, said } = one!;
  note(lab(), `${fault}: ${steps.map(({ step, seconds }) => `${step} ${seconds}`).join(', ')} s`);
  note(
    lab(),
    `${fault}: ${totalSeconds} s, of which ${loadSeconds} from container start to 200, ${overheadSeconds} for everything else` +
      ` (bound ${bound?.seconds}); the request: ${request.said}`,
  );
  expect({ code, held, isWholeGroupNew }, said).toEqual({ code: 0, held: 'yes', isWholeGroupNew: true });
  expect(steps.map(({ step }) => step)).toEqual(STEPS);
  return one!;
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
  beforeEach(async () => void (await both()));

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

  test.each<DrillFault>(['delete-worker', 'delete-leader', 'lose-node'])(
    'by %s heals by itself, as one group',
    async (fault) => {
      expect((await healed(fault)).request.isWhole).toBe(false);
    },
  );

  test('by stop-worker heals, and what the leader said at its end is kept', async () => {
    const [leader] = await both();
    const { request } = await healed('stop-worker');
    expect(request.isWhole).toBe(false);
    expect(request.said).toMatch(/EngineCore/);
    expect(logs.kept(leader!)).toMatch(/ Traceback \(most recent call last\):\n[^]* EngineDeadError/);
    const failure = await until('what its lines tell', () =>
      Promise.resolve(logs.entries().find((entry) => entry.kind === 'failure' && entry.uid === leader!.metadata.uid)),
    );
    expect(failure).toMatchObject({ pod: 'vllm-gemma-0' });
  });

  test.each<DrillFault>(
    ['stop-worker-idle', 'cut', 'cut-idle'].flatMap((fault) => Array<DrillFault>(TIMES).fill(fault as DrillFault)),
  )('by %s heals by itself, as one group', async (fault) => {
    expect((await healed(fault)).request.isWhole).toBe(false);
  });
});

describeInLab('a group that drains', () => {
  beforeAll(async () => void (await serving('the group that drains', drainingGroup())));
  afterAll(async () => await removeNamespace(NAMESPACE));

  test('loses no request when its node is drained', async () => {
    const { request } = await healed('drain');
    expect(request).toMatchObject({ isWhole: true, said: 'it came to its end' });
  });
});
