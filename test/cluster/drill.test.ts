import { JsonPatch } from 'cdk8s';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { drill } from '../../src/operate/drill/drill';
import { MAKERS } from '../../src/operate/drill/faults';
import { Recorder } from '../../src/operate/drill/recorder';
import { Repair } from '../../src/operate/drill/repair';
import { newestOf, type Seen, timelineOf } from '../../src/operate/drill/timeline';
import { findGroup, liveGroups } from '../../src/operate/group/find';
import { memberOf } from '../../src/operate/group/members';
import type { KubernetesObject } from '../../src/manifest/object';
import { newChart, newGroup, synth } from '../constructs/harness';
import { LeaderService } from '../../src/index';
import { Desk } from './asking';
import { reference } from './bundles';
import { client, describeOnCluster } from './harness/given';
import { Place } from './harness/place';
import { until } from './harness/wait';
import { endpointsOf, evict, groupPath, type Pod, podsOf, untilAvailable } from './live';
import { serving, whyNotAvailable } from './serving';

/** The reference bundle, whose budget lets nothing be evicted, without that. */
const unguarded = () => reference.objects.filter(({ kind }) => kind !== 'PodDisruptionBudget');

const DRY = { faults: [], isMeant: false, key: {}, seconds: 60, say: () => undefined };

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

  test('begins with what can be made, and says of the rest why it cannot', async () => {
    await serving(place, 2, unguarded());
    const all = await drill({ ...DRY, kubectl: await desk.open({ namespace: place.namespace }) });
    expect(all.planned.map(({ fault }) => fault)).toEqual([
      ...['delete-worker', 'delete-leader', 'stop-worker', 'stop-worker-idle', 'drain'],
    ]);
    expect(all.planned.every(({ bound }) => bound !== undefined)).toBe(true);
    // Of what nobody asked for nothing is said.
    const asked = {
      ...DRY,
      faults: ['delete-worker', 'cut'] as const,
      kubectl: await desk.open({ namespace: place.namespace }),
    };
    expect((await drill(asked)).notOffered.map(({ fault }) => fault)).toEqual(['cut']);
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
      'lose-node: you may not get nodes',
    ]);
  });

  test('is told of a budget that refuses an eviction before anything is done', async () => {
    await serving(place, 2, reference.objects);
    const { notOffered } = await drill({ ...DRY, kubectl: await desk.open({ namespace: place.namespace }) });
    expect(notOffered.find(({ fault }) => fault === 'drain')?.why).toMatch(/^a PodDisruptionBudget lets no pod/);
  });
});

describeOnCluster('a node that is drained', () => {
  const cordon = async (name: string, unschedulable: boolean) =>
    expect(
      (
        await client().jsonPatch(`/api/v1/nodes/${name}`, [
          { op: 'add', path: '/spec/unschedulable', value: unschedulable },
        ])
      ).status,
    ).toBe(200);
  const isCordoned = async (name: string) =>
    (await client().get<{ spec: { unschedulable?: boolean } }>(`/api/v1/nodes/${name}`)).body.spec.unschedulable ===
    true;

  test('is uncordoned in the end, unless somebody else has cordoned it: then it is not touched', async () => {
    await serving(place, 2, unguarded());
    const kubectl = await desk.open({ namespace: place.namespace });
    const group = await findGroup(kubectl);
    const [leader, worker] = group.pods.map(({ object }) => memberOf(group, object)!);
    const repair = new Repair();
    const drain = (): Promise<unknown> =>
      MAKERS.drain.make({
        kubectl,
        leader: leader!,
        worker: worker!,
        needsRepair: repair.needs,
        say: () => undefined,
        isEnding: () => false,
        seconds: 60,
      });
    await cordon(worker!.node!, true);
    const { notOffered } = await drill({ ...DRY, kubectl });
    expect(notOffered.find(({ fault }) => fault === 'drain')?.why).toBe(
      `${worker!.node!} is cordoned already, and would be uncordoned in the end: uncordon it first, if that is right`,
    );
    await expect(drain()).rejects.toThrow('is cordoned already');
    expect(await repair.run()).toEqual([]);
    expect(await isCordoned(worker!.node!)).toBe(true);
    await cordon(worker!.node!, false);
    expect(await drain()).toMatchObject({ deleted: [worker!.uid] });
    expect(await isCordoned(worker!.node!)).toBe(true);
    expect(await repair.run()).toEqual([`${worker!.node!} takes pods again`]);
    expect(await isCordoned(worker!.node!)).toBe(false);
  });
});

describeOnCluster('of several pods of a Deployment', () => {
  const pod = {
    metadata: { labels: { app: 'many' } },
    spec: {
      containers: [
        { name: 'vllm', image: 'vllm/vllm-openai-cpu:v0.31.0-arm64', args: ['--model', 'google/gemma-3-1b-it'] },
      ],
    },
  };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'many' },
    spec: { replicas: 3, selector: { matchLabels: { app: 'many' } }, template: pod },
  } as unknown as KubernetesObject;

  test('one is drilled, and the one that comes in its place', async () => {
    await place.addNodes(3);
    await client().applyAll(place.move([deployment]));
    expect(await whyNotAvailable(place, 'many')).toEqual([]);
    const kubectl = await desk.open({ namespace: place.namespace });
    const names = (await liveGroups(kubectl)).map(({ pods }) => pods[0]!.name);
    expect(names).toHaveLength(3);
    const group = await findGroup(kubectl, names[1]);
    const [one] = group.pods;
    const recorder = await Recorder.open(kubectl, group);
    try {
      expect(recorder.present().map(({ uid }) => uid)).toEqual([one!.uid]);
      expect((await client().send('DELETE', `${place.core}/pods/${one!.name}`)).status).toBeLessThan(300);
      await recorder.until(60, () => recorder.present().some(({ uid }) => uid !== one!.uid));
      const seen = { faultAt: 0, size: 1, before: [one!.uid], deleted: [one!.uid], pods: recorder.seen };
      expect(names).not.toContain(recorder.last(newestOf(seen)[0]!)?.name);
    } finally {
      await recorder.close();
    }
    const { planned, notOffered } = await drill({ ...DRY, kubectl, group: names[0]! });
    expect(planned.map(({ fault }) => fault)).toEqual(['delete-leader', 'drain']);
    expect(notOffered.find(({ fault }) => fault === 'stop-worker')?.why).toBe('the group has one rank');
  });
});

describeOnCluster('a pod with the processes of its node', () => {
  test('is not stopped', async () => {
    const chart = newChart();
    newGroup(chart).patchPods(JsonPatch.add('/spec/hostPID', true));
    // Its Namespace would not let it.
    const objects = (synth(chart) as unknown as KubernetesObject[]).filter(({ kind }) => kind !== 'Namespace');
    await serving(place, 2, objects);
    const { notOffered } = await drill({ ...DRY, kubectl: await desk.open({ namespace: place.namespace }) });
    expect(notOffered.find(({ fault }) => fault === 'stop-worker')?.why).toBe(
      'gemma-0-1 sees all processes of its node (hostPID), and a stop would stop the node',
    );
  });
});

describeOnCluster('a rollout with one group more', () => {
  test('has an address that takes requests at every moment, on four nodes', async () => {
    const chart = newChart();
    const group = newGroup(chart, {
      ...{ rolloutMaxSurge: 1, rolloutMaxUnavailable: 0 },
      // A model takes a while to load. Of pods that are ready at once LWS 0.9.0 loses all now and then: it takes the late end of the old
      // worker for a failure of the new group, deletes that (RecreateGroup), and takes it for ready meanwhile, so that the group more goes as well.
      podAnnotations: { 'test.kwok/start-delay': '2s' },
    });
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
