import { Size } from 'cdk8s';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Cpu, type VllmPipelineGroupProps } from '../../src/index';
import type { KubernetesObject } from '../../src/manifest/object';
import { newChart, newGroup, synth } from '../constructs/harness';
import { client, describeOnCluster } from './harness/given';
import { Place } from './harness/place';
import { until } from './harness/wait';
import {
  eventsOf,
  type HappenedEvent,
  type Group,
  groupPath,
  ofOwnNodes,
  type Pod,
  podsOf,
  uidsOf,
  untilAvailable,
  untilPending,
} from './live';
import { serving } from './serving';

const LWS = 'leaderworkerset.sigs.k8s.io/';

let place: Place;
beforeEach(async () => {
  place = await Place.make();
});
afterEach(async () => {
  await place.leave();
});

describeOnCluster('a rollout with one group more', () => {
  const surging = (props: Partial<VllmPipelineGroupProps> = {}) => {
    const chart = newChart();
    const { plan } = newGroup(chart, { rolloutMaxSurge: 1, rolloutMaxUnavailable: 0, ...props });
    return { objects: synth(chart) as unknown as KubernetesObject[], surge: plan.toJson().surge as Surge };
  };
  const edit = async () =>
    await client().jsonPatch(
      groupPath(place, 'gemma'),
      ['leader', 'worker'].map((role) => ({
        op: 'add',
        path: `/spec/leaderWorkerTemplate/${role}Template/spec/containers/0/env/-`,
        value: { name: 'CHANGED', value: 'yes' },
      })),
    );

  test('replaces groups whole, leader and worker together, where there are nodes for it', async () => {
    const { objects, surge } = surging();
    const before = uidsOf(await serving(place, surge.nodesDuringRollout, objects));
    expect(surge.nodesDuringRollout).toBe(4);
    expect((await edit()).status).toBe(200);
    await until('the new template in one group alone', async () => {
      const pods = [...(await podsOf(place, 'gemma')).values()];
      const isNew = ({ spec }: Pod) => spec.containers[0]!.env.some(({ name }) => name === 'CHANGED');
      return pods.length === 2 && pods.every(isNew);
    });
    await untilAvailable(place, 'gemma');
    // The workers of a group that is no more go after its leader.
    const after = await until('the pods of one group', async () => {
      const pods = await podsOf(place, 'gemma');
      return [...pods.keys()].sort().join() === 'gemma-0,gemma-0-1' && pods;
    });
    expect(uidsOf(after).some((uid) => before.includes(uid))).toBe(false);
    const revisions = [...after.values()].map(({ metadata }) => metadata.labels[`${LWS}template-revision-hash`]);
    expect(new Set(revisions).size).toBe(1);
    // The group more was there in between, whole.
    for (const pod of ['gemma-1', 'gemma-1-1']) {
      const isCreated = ({ note }: HappenedEvent) => note?.startsWith(`Create Pod ${pod} in StatefulSet `) === true;
      await until(
        `${pod} among the events`,
        async () => (await eventsOf(place)).some(isCreated),
        async () => await eventsOf(place),
      );
    }
  });

  test.each<[string, Partial<VllmPipelineGroupProps>]>([
    ['room is what they lack', {}],
    [
      'room is left and the ranks keep apart',
      { cpu: Cpu.units(3), memory: Size.gibibytes(8), kvCacheMemory: Size.gibibytes(1), threads: 2 },
    ],
  ])('waits where there are none, with the reason that the plan gives: %s', async (_, props) => {
    const { objects, surge } = surging(props);
    const before = uidsOf(await serving(place, surge.nodes, objects));
    expect(surge.nodes).toBe(2);
    expect((await edit()).status).toBe(200);
    for (const pod of ['gemma-1', 'gemma-1-1']) {
      expect(ofOwnNodes(await untilPending(place, 'gemma', pod))).toBe(surge.pendingReason);
    }
    // Meanwhile the old group serves.
    const pods = await podsOf(place, 'gemma');
    expect([pods.get('gemma-0')!.metadata.uid, pods.get('gemma-0-1')!.metadata.uid].sort()).toEqual(before.sort());
    const replicas = async () => (await client().get<Group>(groupPath(place, 'gemma'))).body.status?.replicas;
    await until('both groups in the status', async () => (await replicas()) === 2, replicas);
  });

  interface Surge {
    readonly nodes: number;
    readonly nodesDuringRollout: number;
    readonly pendingReason: string;
  }
});
