import { Size } from 'cdk8s';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KubernetesObject } from '../../src/manifest/object';
import { Cpu, NodeShape, type VllmPipelineGroupProps } from '../../src/index';
import { newChart, newGroup, synth } from '../constructs/harness';
import { only, reference } from './bundles';
import { client, describeOnCluster } from './harness/given';
import { messageOf } from './harness/client';
import { Place } from './harness/place';
import { until } from './harness/wait';
import {
  endpointsOf,
  evict,
  groupPath,
  ofOwnNodes,
  podsOf,
  restartContainer,
  uidsOf,
  untilAvailable,
  untilPending,
} from './live';
import { serving } from './serving';

const LWS = 'leaderworkerset.sigs.k8s.io/';
const group = only(reference.objects, 'LeaderWorkerSet');
const name = group.metadata.name;
const leader = `${name}-0`;
const worker = `${name}-0-1`;

let place: Place;
beforeEach(async () => {
  place = await Place.make();
});
afterEach(async () => {
  await place.leave();
});

/** The bundle on as many nodes, serving. */
const served = async (nodes: number) => await serving(place, nodes, reference.objects);

describeOnCluster('the reference bundle on two nodes', () => {
  test('has a rank on each', async () => {
    const pods = await served(2);
    expect([...pods.keys()].sort()).toEqual([leader, worker]);
    expect(new Set([...pods.values()].map(({ spec }) => spec.nodeName)).size).toBe(2);
    expect([...pods.values()].map(({ status }) => status.qosClass)).toEqual(['Guaranteed', 'Guaranteed']);
  });

  test('gets the variables and labels of LWS', async () => {
    const pods = await served(2);
    for (const [index, pod] of [pods.get(leader)!, pods.get(worker)!].entries()) {
      expect(pod.spec.containers[0]!.env.slice(0, 3)).toEqual([
        { name: 'LWS_LEADER_ADDRESS', value: `${leader}.${name}.${place.namespace}` },
        { name: 'LWS_GROUP_SIZE', value: '2' },
        { name: 'LWS_WORKER_INDEX', value: String(index) },
      ]);
      const { labels, annotations } = pod.metadata;
      expect(labels).toMatchObject({
        [`${LWS}name`]: name,
        [`${LWS}group-index`]: '0',
        [`${LWS}worker-index`]: String(index),
        [`${LWS}group-key`]: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
        [`${LWS}template-revision-hash`]: expect.any(String) as string,
      });
      expect(annotations[`${LWS}size`]).toBe('2');
    }
    expect(pods.get(worker)!.metadata.annotations[`${LWS}leader-name`]).toBe(leader);
  });

  test('sends requests to the leader while it is ready, and to nobody else', async () => {
    const pods = await served(2);
    const address = pods.get(leader)!.status.podIP!;
    await until(
      'the ready leader among the endpoints',
      async () => same(await endpoints(), [[address, true]]),
      endpoints,
    );
    await setReady(leader, false);
    await until('the unready leader out of them', async () => same(await endpoints(), [[address, false]]), endpoints);
    // The ranks find each other all the same: the name of an unready leader has to resolve.
    const names = async () => await endpointsOf(place, name);
    const isFound = ([at, isReady]: readonly [string, boolean]) => at === address && isReady;
    await until(
      'both ranks behind the headless Service',
      async () => (await names()).length === 2 && (await names()).some(isFound),
      names,
    );
  });

  test.each([
    ['a deleted worker', async () => await client().delete(`${place.core}/pods/${worker}`)],
    ['a restarted container of the worker', async () => await restartContainer(place, worker)],
    ['a restarted container of the leader', async () => await restartContainer(place, leader)],
  ])('%s takes the whole group down and brings a new one', async (_, harm) => {
    const before = uidsOf(await served(2));
    expect((await harm()).status).toBe(200);
    const after = await until('two other pods', async () => {
      const pods = await podsOf(place, name);
      return pods.size === 2 && uidsOf(pods).every((uid) => !before.includes(uid)) && pods;
    });
    expect([...after.keys()].sort()).toEqual([leader, worker]);
    await untilAvailable(place, name);
  });

  test('no pod of it can be evicted', async () => {
    await served(2);
    await until('the budget to know both pods', async () => {
      const path = `${place.api('policy/v1')}/poddisruptionbudgets/${name}`;
      const { body } = await client().get<{ status?: { expectedPods?: number } }>(path);
      return body.status?.expectedPods === 2;
    });
    for (const pod of [worker, leader]) {
      const answer = await evict(place, pod);
      expect(messageOf(answer)).toMatch(/^429 Cannot evict pod as it would violate the pod's disruption budget/);
    }
  });

  test('applying it once more changes nothing', async () => {
    const before = uidsOf(await served(2));
    const state = async () =>
      await Promise.all(
        place.move(reference.objects).map(async (object) => {
          const { body } = await client().get<KubernetesObject>(await client().pathOf(object));
          const { generation, resourceVersion } = body.metadata as { generation?: number; resourceVersion?: string };
          // What has no generation has no status either that would change its version.
          return `${object.kind}/${object.metadata.name} ${generation ?? resourceVersion}`;
        }),
      );
    const first = await state();
    await client().applyAll(place.move(reference.objects));
    expect(await state()).toEqual(first);
    await untilAvailable(place, name);
    expect(uidsOf(await podsOf(place, name))).toEqual(before);
  });

  test('the scale subresource adds a group and takes it away', async () => {
    await served(4);
    const path = `${groupPath(place, name)}/scale`;
    expect((await client().mergePatch(path, { spec: { replicas: 2 } })).status).toBe(200);
    expect([...(await untilAvailable(place, name)).keys()].sort()).toEqual([
      leader,
      worker,
      `${name}-1`,
      `${name}-1-1`,
    ]);
    const scale = async () => (await client().get<{ status: unknown }>(path)).body.status;
    const two = { replicas: 2, selector: `${LWS}name=${name},${LWS}worker-index=0` };
    await until('both groups in the status', async () => same(await scale(), two), scale);
    expect((await client().mergePatch(path, { spec: { replicas: 1 } })).status).toBe(200);
    await until('one group', async () => (await podsOf(place, name)).size === 2);
  });

  test('a node that is too small keeps the worker pending, until there is room', async () => {
    await place.addNodes(1);
    const [small] = await place.addNodes(1, { instanceType: 'm7g.xlarge' });
    await client().applyAll(place.move(reference.objects));
    const said = ofOwnNodes(await untilPending(place, name, worker));
    expect(said).toBe('0/2 nodes are available: 2 Insufficient cpu, 2 Insufficient memory.');
    const path = `/api/v1/nodes/${small}/status`;
    const allocatable = { cpu: '7910m', memory: '29Gi' };
    expect((await client().mergePatch(path, { status: { capacity: allocatable, allocatable } })).status).toBe(200);
    await untilAvailable(place, name);
  });
});

describeOnCluster('a group on nodes that are too small', () => {
  test.each<[string, Partial<VllmPipelineGroupProps>]>([
    ['cores', { cpu: Cpu.units(5), memory: Size.gibibytes(11), kvCacheMemory: Size.gibibytes(1) }],
    ['memory', { cpu: Cpu.units(3), threads: 2 }],
    ['cores and memory', {}],
  ])('stays pending for want of %s, in the very words that the planner refuses it with', async (_, props) => {
    const chart = newChart();
    newGroup(chart, props);
    await place.addNodes(2, { instanceType: 'm7g.xlarge' });
    await client().applyAll(place.move(synth(chart) as unknown as KubernetesObject[]));
    const said = ofOwnNodes(await untilPending(place, 'gemma', 'gemma-0'));
    const small = {
      ...props,
      node: NodeShape.of('m7g.xlarge'),
      cpu: props.cpu ?? Cpu.units(6),
      memory: props.memory ?? Size.gibibytes(20),
    };
    expect(() => newGroup(newChart(), small)).toThrow(`the pod stays Pending, "${said}"`);
  });
});

/** The endpoints of the Service in front of the leader. */
const endpoints = async () =>
  await endpointsOf(place, only(reference.objects.filter(isLeaderService), 'Service').metadata.name);

function isLeaderService({ spec }: KubernetesObject): boolean {
  const selector = (spec as { selector?: Record<string, string> } | undefined)?.selector;
  return selector?.[`${LWS}name`] === name;
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

async function setReady(pod: string, isReady: boolean): Promise<void> {
  const status = isReady ? 'True' : 'False';
  const conditions = ['Ready', 'ContainersReady'].map((type) => ({ type, status }));
  const answer = await client().send(
    'PATCH',
    `${place.core}/pods/${pod}/status`,
    JSON.stringify({ status: { conditions } }),
    'application/strategic-merge-patch+json',
  );
  expect(answer.status).toBe(200);
}
