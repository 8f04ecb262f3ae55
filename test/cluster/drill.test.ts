import { afterEach, beforeEach, expect, test } from 'vitest';
import { drill } from '../../src/operate/drill/drill';
import { Recorder } from '../../src/operate/drill/recorder';
import { newestOf, type Seen, timelineOf } from '../../src/operate/drill/timeline';
import { findGroup } from '../../src/operate/group/find';
import type { KubernetesObject } from '../../src/manifest/object';
import { newChart, newGroup, synth } from '../constructs/harness';
import { LeaderService } from '../../src/index';
import { Desk } from './asking';
import { reference } from './bundles';
import { client, describeOnCluster } from './harness/given';
import { Place } from './harness/place';
import { until } from './harness/wait';
import { endpointsOf, evict, groupPath, type Pod, podsOf, untilAvailable } from './live';
import { serving } from './serving';

/** The reference bundle, whose budget lets nothing be evicted, without that. */
const unguarded = () => reference.objects.filter(({ kind }) => kind !== 'PodDisruptionBudget');

let place: Place;
let desk: Desk;
beforeEach(async () => {
  place = await Place.make();
  desk = new Desk();
});
afterEach(async () => {
  desk.leave();
  await place.leave();
});

describeOnCluster('the timeline of a group that is broken', () => {
  const UNTIL_READY = ['detected', 'old pods gone', 'recreated', 'scheduled', 'started', 'ready'];

  test.each([
    ['its worker is deleted', 'vllm-gemma-0-1', 'delete'],
    ['its leader is deleted', 'vllm-gemma-0', 'delete'],
    ['its worker is evicted', 'vllm-gemma-0-1', 'evict'],
  ])('when %s shows each moment once, in order, and a group that is new as a whole', async (_, name, how) => {
    await serving(place, 2, unguarded());
    const kubectl = await desk.open({ namespace: place.namespace });
    const recorder = await Recorder.open(kubectl, await findGroup(kubectl));
    try {
      const before = recorder.present().map(({ uid }) => uid);
      const deleted = recorder.present().filter((pod) => pod.name === name);
      const faultAt = Date.now();
      const done =
        how === 'evict' ? await evict(place, name) : await client().send('DELETE', `${place.core}/pods/${name}`);
      expect(done.status).toBeLessThan(300);
      const seen = (): Seen => ({
        faultAt,
        size: 2,
        before,
        deleted: deleted.map(({ uid }) => uid),
        pods: recorder.seen,
      });
      await recorder.until(120, () => timelineOf(seen()).some(({ step }) => step === 'ready'));
      const steps = timelineOf(seen());
      expect(steps.map(({ step }) => step)).toEqual(UNTIL_READY);
      const moments = steps.map(({ seconds }) => seconds);
      // What the kubelet says of a start is to the second.
      expect(moments.filter((_, i) => i !== 4)).toEqual(moments.filter((_, i) => i !== 4).sort((a, b) => a - b));
      expect(newestOf(seen()).filter((uid) => uid === undefined || before.includes(uid))).toEqual([]);
    } finally {
      await recorder.close();
    }
  });

  const DRY = { faults: [], isMeant: false, key: {}, seconds: 60, say: () => undefined };

  test('begins with what can be made, and says of the rest why it cannot', async () => {
    await serving(place, 2, unguarded());
    const all = await drill({ ...DRY, kubectl: await desk.open({ namespace: place.namespace }) });
    expect(all.planned.map(({ fault }) => fault)).toEqual([
      ...['delete-worker', 'delete-leader', 'stop-worker', 'stop-worker-idle', 'drain'],
    ]);
    expect(all.planned.every(({ bound }) => bound !== undefined)).toBe(true);
    const reader = await desk.as(place, 'reader', [{ apiGroups: [''], resources: ['pods'], verbs: ['list', 'get'] }]);
    const none = await drill({ ...DRY, kubectl: await desk.open({ kubeconfig: reader }) });
    expect(none.planned).toEqual([]);
    expect(none.notOffered.map(({ fault, why }) => `${fault}: ${why}`)).toEqual([
      'delete-worker: you may not delete pods',
      'delete-leader: you may not delete pods',
      'stop-worker: you may not create pods/exec',
      'stop-worker-idle: you may not create pods/exec',
      expect.stringMatching(/^cut: .*--node-shell/),
      expect.stringMatching(/^cut-idle: .*--node-shell/),
      'drain: you may not create pods/eviction',
      'lose-node: you may not patch nodes',
    ]);
  });

  test('is told of a budget that refuses an eviction before anything is done', async () => {
    await serving(place, 2, reference.objects);
    const { notOffered } = await drill({ ...DRY, kubectl: await desk.open({ namespace: place.namespace }) });
    expect(notOffered.find(({ fault }) => fault === 'drain')?.why).toMatch(/^a PodDisruptionBudget lets no pod/);
  });
});

describeOnCluster('a rollout with one group more', () => {
  // Seen without an address once in a dozen runs, on a machine with far too much to do, and not explained: what it saw is told.
  test('has an address that takes requests at every moment, on four nodes', { retry: 2 }, async () => {
    const chart = newChart();
    const group = newGroup(chart, { rolloutMaxSurge: 1, rolloutMaxUnavailable: 0 });
    new LeaderService(chart, 'leader', { group });
    await serving(place, 4, synth(chart) as unknown as KubernetesObject[]);
    const ready = async () => (await endpointsOf(place, 'leader')).filter(([, isReady]) => isReady).length;
    await until('the leader behind its Service', async () => (await ready()) > 0);
    const change = ['leader', 'worker'].map((role) => ({
      op: 'add',
      path: `/spec/leaderWorkerTemplate/${role}Template/spec/containers/0/env/-`,
      value: { name: 'CHANGED', value: 'yes' },
    }));
    expect((await client().jsonPatch(groupPath(place, 'gemma'), change)).status).toBe(200);
    const counts: number[] = [];
    const without: unknown[] = [];
    const look = async (): Promise<Pod[]> => {
      counts.push(await ready());
      const pods = [...(await podsOf(place, 'gemma')).values()];
      if (counts.at(-1) === 0) {
        without.push(await endpointsOf(place, 'leader'), pods);
      }
      return pods;
    };
    await until('the new template in one group alone', async () => {
      const pods = await look();
      const isNew = ({ spec }: Pod) => spec.containers[0]!.env.some(({ name }) => name === 'CHANGED');
      return pods.length === 2 && pods.every(isNew);
    });
    await untilAvailable(place, 'gemma');
    await look();
    expect(Math.min(...counts), JSON.stringify(without)).toBeGreaterThan(0);
  });
});
