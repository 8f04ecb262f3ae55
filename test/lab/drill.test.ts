import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { DrillFault } from '../../src/operate/drill/report';
import { referenceBundle } from './bundle';
import { drill } from './commands';
import { describeInLab, lab } from './harness/given';
import { note } from './harness/lab';
import { readyPods, removeNamespace } from './live';
import { NAMESPACE, serving } from './serving';

/** Root's shell on a node, as ssh gives it elsewhere. */
const shell = () => `nsenter --net=/run/netns/${lab().name}-{node} sh -c`;

describeInLab('the reference bundle, broken', () => {
  beforeAll(async () => void (await serving('the bundle to be broken', referenceBundle())));
  afterAll(async () => await removeNamespace(NAMESPACE));
  beforeEach(async () => void (await readyPods(NAMESPACE, 'app=vllm-gemma', 2)));

  test('is not touched as long as nobody says yes', async () => {
    const before = await readyPods(NAMESPACE, 'app=vllm-gemma', 2);
    const { code, report: dry } = await drill();
    expect(code).toBe(0);
    expect(dry).toMatchObject({ isDryRun: true, faults: [] });
    expect(dry.notOffered.map(({ fault }) => fault)).toEqual(['cut', 'cut-idle']);
    const after = await readyPods(NAMESPACE, 'app=vllm-gemma', 2);
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
  });

  test.each<DrillFault>([
    'delete-worker',
    'delete-leader',
    'drain',
    'stop-worker',
    'stop-worker-idle',
    'cut',
    'cut-idle',
  ])('by %s heals by itself, as one group', async (fault) => {
    const { code, report: done } = await drill('--fault', fault, '--node-shell', shell(), '--yes');
    const [one] = done.faults;
    expect(one, JSON.stringify(done.notOffered)).toBeDefined();
    const { steps, totalSeconds, loadSeconds, overheadSeconds, bound, request, isWholeGroupNew } = one!;
    const moments = steps.map(({ step, seconds }) => `${step} ${seconds}`).join(', ');
    note(lab(), `${fault}: ${moments} s`);
    note(
      lab(),
      `${fault}: ${totalSeconds} s, of which ${loadSeconds} from container start to 200, ${overheadSeconds} for everything else` +
        ` (bound ${bound?.seconds}); the request: ${request.said}`,
    );
    expect({ code, held: one!.held, isWholeGroupNew }, one!.said).toEqual({
      code: 0,
      held: 'yes',
      isWholeGroupNew: true,
    });
    expect(steps.map(({ step }) => step)).toEqual([
      ...['detected', 'old pods gone', 'recreated', 'scheduled', 'started', 'loaded', 'ready', 'first token'],
    ]);
    expect(request.isWhole).toBe(false);
  });
});
