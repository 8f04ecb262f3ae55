import { afterEach, expect, test } from 'vitest';
import { get, dig } from '../../src/manifest/json';
import type { KubernetesObject } from '../../src/manifest/object';
import { edit } from '../../src/rules/examples';
import { RULES } from '../../src/rules/index';
import { objectsOf } from '../rules/manifests';
import { messageOf } from './harness/client';
import { client, describeOnCluster } from './harness/given';
import { Place } from './harness/place';
import { until } from './harness/wait';
import {
  complaints,
  conditionOf,
  endpointsOf,
  evict,
  groupPath,
  podsOf,
  restartContainer,
  untilAvailable,
} from './live';

let places: Place[] = [];
afterEach(async () => {
  await Promise.all(places.map((place) => place.leave()));
  places = [];
});

const examplesOf = (id: string) => RULES.find((rule) => rule.id === id)!;

/** The objects of an example, on nodes that have room for it. */
async function deploy(manifest: string): Promise<Place> {
  const place = await Place.make();
  places.push(place);
  await place.addNodes(2, { instanceType: 'm7i.4xlarge' });
  await client().applyAll(place.move(objectsOf(manifest)));
  return place;
}

/** What the API server accepts, and what becomes of it: the reason why there is a rule. */
describeOnCluster('what comes of', () => {
  test('lws/service-selects-workers: requests go to workers', async () => {
    const { bad, good } = examplesOf('lws/service-selects-workers');
    for (const [manifest, count] of [
      [bad, 2],
      [good, 1],
    ] as const) {
      const place = await deploy(manifest);
      await untilAvailable(place, 'chat');
      const service = objectsOf(manifest).find(({ kind }) => kind === 'Service')!.metadata.name;
      const ready = async () => (await endpointsOf(place, service)).filter(([, isReady]) => isReady).length;
      await until(`${count} endpoints`, async () => (await ready()) === count, ready);
    }
  });

  test('lws/reserved-variable: the value of the user is dropped', async () => {
    const place = await deploy(examplesOf('lws/reserved-variable').bad);
    const [leader] = (await untilAvailable(place, 'chat')).values();
    const sizes = leader!.spec.containers[0]!.env.filter(({ name }) => name === 'LWS_GROUP_SIZE');
    expect(sizes).toEqual([{ name: 'LWS_GROUP_SIZE', value: '2' }]);
  });

  test('lws/restart-policy-default: Default is None', async () => {
    const place = await deploy(examplesOf('lws/restart-policy-default').bad);
    const { body } = await client().get<KubernetesObject>(groupPath(place, 'chat'));
    expect(dig(body.spec, 'leaderWorkerTemplate', 'restartPolicy')).toBe('None');
  });

  test('lws/no-group-restart: the leader stays when its worker starts over', async () => {
    const { bad, good } = examplesOf('lws/no-group-restart');
    const [alone, together] = await Promise.all([deploy(bad), deploy(good)]);
    const uidOfLeader = async (place: Place) => (await podsOf(place, 'chat')).get('chat-0')?.metadata.uid;
    await Promise.all([untilAvailable(alone, 'chat'), untilAvailable(together, 'chat')]);
    const before = { alone: await uidOfLeader(alone), together: await uidOfLeader(together) };
    await restartContainer(alone, 'chat-0-1');
    await restartContainer(together, 'chat-0-1');
    await until('a new leader where the group goes together', async () => {
      const uid = await uidOfLeader(together);
      return uid !== undefined && uid !== before.together;
    });
    expect(await uidOfLeader(alone)).toBe(before.alone);
  });

  test('lws/leader-ready-deadlock: no worker, for as long as the leader is not ready', async () => {
    const { bad, good } = examplesOf('lws/leader-ready-deadlock');
    // A leader that waits for its workers is what KWOK is told to play.
    const waiting = (manifest: string) =>
      edit(manifest, [
        '        labels: { app: chat, role: leader }\n',
        '        labels: { app: chat, role: leader }\n        annotations: { test.kwok/unready: "true" }\n',
      ]);
    const [stuck, fine] = await Promise.all([deploy(waiting(bad)), deploy(waiting(good))]);
    const isRunning = async (place: Place, pod: string) =>
      (await podsOf(place, 'chat')).get(pod)?.status.phase === 'Running';
    await until('the leader that is stuck', async () => await isRunning(stuck, 'chat-0'));
    await until('a worker beside the other leader', async () => await isRunning(fine, 'chat-0-1'));
    expect([...(await podsOf(stuck, 'chat')).keys()]).toEqual(['chat-0']);
    expect(conditionOf((await podsOf(stuck, 'chat')).get('chat-0')!, 'Ready')?.status).toBe('False');
  });

  test('lws/name-too-long: LWS takes it, and makes no worker', async () => {
    const place = await deploy(examplesOf('lws/name-too-long').bad);
    const refused = async () => (await complaints(place)).filter((each) => each.includes('FailedCreate'));
    await until('the worker to be refused', async () => (await refused()).length > 0);
    expect((await refused())[0]).toMatch(/must be no more than 63 (characters|bytes)/);
  });

  test('k8s/overlapping-budgets: no pod can be evicted at all', async () => {
    const { bad, good } = examplesOf('k8s/overlapping-budgets');
    for (const [manifest, words] of [
      [bad, /^500 This pod has more than one PodDisruptionBudget/],
      [good, /^201 /],
    ] as const) {
      const place = await deploy(manifest);
      const pod = await until('a pod that serves', async () => {
        const pods = await client().list<KubernetesObject>(`${place.core}/pods?fieldSelector=status.phase=Running`);
        return pods[0]?.metadata.name;
      });
      let answer = await evict(place, pod);
      // The budget may not have counted the pod yet.
      await until(`the eviction to end in ${words.source}`, async () => {
        answer = words.test(messageOf(answer)) ? answer : await evict(place, pod);
        return words.test(messageOf(answer));
      });
    }
  });

  test('k8s/selector-matches-nothing: nobody answers', async () => {
    const { bad, good } = examplesOf('k8s/selector-matches-nothing');
    const [wrong, right] = await Promise.all([deploy(bad), deploy(good)]);
    await until('an endpoint of the one that matches', async () => (await endpointsOf(right, 'small-api')).length > 0);
    await until('the pod of the other one', async () => {
      const pods = await client().list<KubernetesObject>(`${wrong.core}/pods`);
      return pods.some((pod) => get(pod.status, 'phase') === 'Running');
    });
    expect(await endpointsOf(wrong, 'small-api')).toEqual([]);
  });
});
