import { describe, expect, test } from 'vitest';
import { costsOf, newestOf, type PodSeen, type Seen, timelineOf } from '../../../src/operate/drill/timeline';

const FAULT = 1_000_000;
const seen = (seconds: number, uid: string, is: Partial<PodSeen> = {}): PodSeen => ({
  at: FAULT + seconds * 1000,
  uid,
  rank: uid.startsWith('leader') ? 0 : 1,
  name: uid.startsWith('leader') ? 'gemma-0' : 'gemma-0-1',
  isGone: false,
  isGoing: false,
  ended: 0,
  isReady: false,
  ...is,
});
const at = (seconds: number) => FAULT + seconds * 1000;

/** A worker is deleted, and the group comes back on the same nodes. */
const RECOVERY: Seen = {
  faultAt: FAULT,
  size: 2,
  before: ['leader-1', 'worker-1'],
  deleted: ['worker-1'],
  pods: [
    seen(-60, 'leader-1', { node: 'n1', isReady: true, startedAt: at(-100) }),
    seen(-60, 'worker-1', { node: 'n2', isReady: true, startedAt: at(-100) }),
    seen(0, 'worker-1', { node: 'n2', isGoing: true }),
    seen(0.2, 'leader-1', { node: 'n1', isGoing: true }),
    seen(2, 'worker-1', { node: 'n2', isGoing: true, isGone: true }),
    seen(3, 'leader-1', { node: 'n1', isGoing: true, isGone: true }),
    seen(3.1, 'leader-2'),
    seen(3.2, 'leader-2', { node: 'n1' }),
    seen(3.3, 'worker-2'),
    seen(3.4, 'worker-2', { node: 'n2' }),
    // The kubelet tells to the second, and later than it was.
    seen(5.5, 'leader-2', { node: 'n1', startedAt: at(4) }),
    seen(5, 'worker-2', { node: 'n2', startedAt: at(3) }),
    seen(5.6, 'worker-2', { node: 'n2', startedAt: at(3), isReady: true }),
    seen(47, 'leader-2', { node: 'n1', startedAt: at(4), isReady: true }),
  ].sort((a, b) => a.at - b.at),
  loadedAt: at(45),
  tokenAt: at(47.3),
};

describe('a recovery', () => {
  test('has its moments in order, with what showed each', () => {
    expect(timelineOf(RECOVERY).map(({ step, seconds, what }) => `${seconds} ${step}: ${what}`)).toEqual([
      '0.2 detected: gemma-0 is deleted as well',
      '3 old pods gone: 2 pods are gone',
      '3.3 recreated: 2 new pods',
      '3.4 scheduled: rank 0 on n1, rank 1 on n2',
      '5 started: the container of every rank runs',
      '45 loaded: /health of the new leader is 200',
      '47 ready: every pod is Ready: the Service leads there',
      '47.3 first token: a request to the new leader is answered',
    ]);
  });

  test('costs what is not the load of the model', () => {
    expect(costsOf(timelineOf(RECOVERY))).toEqual({ total: 47.3, load: 40, overhead: 7.3 });
    expect(newestOf(RECOVERY)).toEqual(['leader-2', 'worker-2']);
  });

  test('from a hang is detected when a rank ends by itself', () => {
    const pods = [
      ...RECOVERY.pods.filter((pod) => pod.at < FAULT),
      seen(61, 'leader-1', { ended: 1 }),
      seen(61.1, 'worker-1', { isGoing: true }),
    ];
    const [detected] = timelineOf({ ...RECOVERY, deleted: [], pods });
    expect(detected).toEqual({ step: 'detected', seconds: 61, what: 'gemma-0 ended by itself' });
  });

  test('from a deletion is not said to have ended by itself', () => {
    const pods = [...RECOVERY.pods.filter((pod) => pod.at < FAULT), seen(2, 'leader-1', { ended: 1 })];
    const [detected] = timelineOf({ ...RECOVERY, deleted: ['leader-1'], pods });
    expect(detected).toEqual({ step: 'detected', seconds: 2, what: 'gemma-0 ended' });
  });

  test('counts no end from before the fault', () => {
    const before = { ended: 2, node: 'n1' };
    const pods = [seen(-1, 'leader-1', before), seen(1, 'leader-1', { ...before, isReady: true })];
    expect(timelineOf({ faultAt: FAULT, size: 2, before: RECOVERY.before, deleted: [], pods })).toEqual([]);
  });

  test('that needs a second try counts from the pods that stayed', () => {
    const failed = [
      seen(3.1, 'leader-a', { startedAt: at(3) }),
      seen(3.3, 'worker-a', { startedAt: at(3) }),
      seen(10, 'leader-a', { isGone: true }),
      seen(10, 'worker-a', { isGone: true }),
    ];
    const late = RECOVERY.pods.map((pod) => (pod.uid.endsWith('-2') ? { ...pod, at: pod.at + 20_000 } : pod));
    const steps = timelineOf({ ...RECOVERY, pods: [...late, ...failed].sort((a, b) => a.at - b.at) });
    expect(steps.find(({ step }) => step === 'recreated')?.seconds).toBe(23.3);
  });

  test('takes no pod for one of the next group that goes with the old one', () => {
    const successor = [
      seen(2.1, 'worker-a', { node: 'n2', startedAt: at(2), isReady: true }),
      seen(2.5, 'worker-a', { node: 'n2', isGoing: true }),
      seen(2.9, 'worker-a', { isGone: true }),
    ];
    // Its end may be told after what came of the next one.
    const late = seen(60, 'worker-a', { isGone: true });
    const pods = [...RECOVERY.pods, ...successor.slice(0, 2), late].sort((a, b) => a.at - b.at);
    expect(timelineOf({ ...RECOVERY, pods })).toEqual(timelineOf(RECOVERY));
    expect(newestOf({ ...RECOVERY, pods })).toEqual(['leader-2', 'worker-2']);
    const half = [...RECOVERY.pods, ...successor].filter(({ uid }) => uid !== 'worker-2');
    expect(newestOf({ ...RECOVERY, pods: half })).toEqual(['leader-2', undefined]);
  });

  test('without a start, or that never comes, has no cost that was not seen', () => {
    expect(costsOf([])).toEqual({});
    const half = { ...RECOVERY, pods: RECOVERY.pods.filter(({ uid }) => uid !== 'worker-2') };
    const steps = timelineOf({ faultAt: FAULT, size: 2, before: half.before, deleted: half.deleted, pods: half.pods });
    expect(steps.map(({ step }) => step)).toEqual(['detected', 'old pods gone']);
    expect(newestOf(half)).toEqual(['leader-2', undefined]);
  });

  test('does not trust the clock of a node that goes wrong', () => {
    const wrong = RECOVERY.pods.map((pod) => (pod.startedAt === undefined ? pod : { ...pod, startedAt: at(-900) }));
    const started = timelineOf({ ...RECOVERY, pods: wrong }).find(({ step }) => step === 'started');
    expect(started?.seconds).toBe(5.5);
  });
});
