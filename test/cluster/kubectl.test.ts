import { afterEach, beforeEach, expect, test } from 'vitest';
import { findGroup, nameOf } from '../../src/operate/group/find';
import { isWhole } from '../../src/operate/group/live';
import { portForward } from '../../src/operate/kubectl/forward';
import { Desk } from './asking';
import { only, reference } from './bundles';
import { client, describeOnCluster } from './harness/given';
import { Place } from './harness/place';
import { until } from './harness/wait';
import { podsOf } from './live';
import { serving } from './serving';

const group = only(reference.objects, 'LeaderWorkerSet');
const PODS = { apiGroups: [''], resources: ['pods'], verbs: ['list'] };

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

/** What the attempt fails with, as `kind: message`. */
async function failure(attempt: () => Promise<unknown>): Promise<string> {
  try {
    await attempt();
    return 'it did not fail';
  } catch (error) {
    const { kind, message } = error as { kind?: string; message: string };
    return `${kind}: ${message}`;
  }
}

const inPlace = () => desk.open({ namespace: place.namespace });

describeOnCluster('a group in the cluster', () => {
  test('is found with the rank of each pod, its node and its settings', async () => {
    await serving(place, 2, reference.objects);
    const found = await findGroup(await inPlace());
    expect(found).toMatchObject({ kind: 'LeaderWorkerSet', name: 'vllm-gemma', size: 2, missing: [] });
    expect(found.pods.map(({ rank, role, name, container, why }) => ({ rank, role, name, container, why }))).toEqual([
      { rank: 0, role: 'leader', name: 'vllm-gemma-0', container: 'vllm', why: '' },
      { rank: 1, role: 'worker', name: 'vllm-gemma-0-1', container: 'vllm', why: '' },
    ]);
    expect(new Set(found.pods.map(({ node }) => node)).size).toBe(2);
    expect(isWhole(found)).toBe(true);
    expect(found.pods[1]?.settings?.nodeRank.value).toBe(1);
    expect(found.pods[0]?.engine?.variable('VLLM_API_KEY')?.text?.source).toBe('secret vllm-api-key/key');
    // The namespaces that have one are named; other tests have theirs at the same time, and ten of all are listed.
    const elsewhere = await failure(async () => findGroup(await desk.open({ namespace: 'default' })));
    expect(elsewhere).toMatch(new RegExp(`there are groups in (.*\\b${place.namespace}\\b|.* and \\d+ more)`));
  });

  test('of several, one has to be named', async () => {
    const twice = reference.objects.map((object) =>
      object === group ? { ...object, spec: { ...(object.spec as object), replicas: 2 } } : object,
    );
    await serving(place, 4, twice);
    const kubectl = await inPlace();
    expect(await failure(() => findGroup(kubectl))).toMatch(/^which-group: .*one of vllm-gemma-0, vllm-gemma-1$/);
    expect(await failure(() => findGroup(kubectl, 'vllm-gemma'))).toMatch(/^which-group/);
    expect(nameOf(await findGroup(kubectl, 'vllm-gemma-1'))).toBe('vllm-gemma-1');
    expect(await failure(() => findGroup(kubectl, 'vllm-gema-1'))).toContain("did you mean 'vllm-gemma-1'");
  });

  test('that does not come up says why', async () => {
    await place.addNodes(1);
    await client().applyAll(place.move(reference.objects));
    const kubectl = await inPlace();
    const pending = await until('a pod without a node', async () => {
      const found = (await podsOf(place, 'vllm-gemma')).size === 2 && (await findGroup(kubectl));
      return found && found.pods.some(({ why }) => why.startsWith('has no node: 0/')) && found;
    });
    expect(isWhole(pending)).toBe(false);
  });

  test('without pods shows the event that tells why', async () => {
    // What LWS takes without a word, and cannot make pods of.
    const spec = structuredClone(group.spec) as {
      leaderWorkerTemplate: Record<'leaderTemplate' | 'workerTemplate', { spec: { restartPolicy?: string } }>;
    };
    spec.leaderWorkerTemplate.leaderTemplate.spec.restartPolicy = 'Never';
    await client().applyAll(place.move([{ ...group, spec }]));
    const kubectl = await inPlace();
    expect(
      await until('the event', async () => {
        const said = await failure(() => findGroup(kubectl));
        return said.includes('FailedCreate') && said;
      }),
    ).toMatch(
      /^no-group: LeaderWorkerSet vllm-gemma .* has no pods: LeaderWorkerSet vllm-gemma: FailedCreate: .*restartPolicy/,
    );
  });
});

describeOnCluster('what stands in the way is said', () => {
  test('a namespace without vLLM, and one that does not exist', async () => {
    expect(await failure(async () => findGroup(await inPlace()))).toMatch(
      new RegExp(`^no-group: no pod of the namespace ${place.namespace} runs vLLM`),
    );
    expect(await failure(async () => findGroup(await desk.open({ namespace: 'defalt' })))).toBe(
      "no-namespace: there is no namespace 'defalt'; did you mean 'default'?",
    );
  });

  test('rights that are missing, with the rule that gives them', async () => {
    const nobody = await desk.as(place, 'nobody', []);
    const said = await failure(async () => findGroup(await desk.open({ kubeconfig: nobody })));
    expect(said).toBe(
      `forbidden: system:serviceaccount:${place.namespace}:nobody may not list pods in the namespace ${place.namespace}; ` +
        'it takes a Role of that namespace with the rule\n  - {apiGroups: [""], resources: ["pods"], verbs: ["list"]}',
    );
    const lister = await desk.as(place, 'lister', [PODS]);
    const kubectl = await desk.open({ kubeconfig: lister });
    // The namespace is that of the context.
    expect(await failure(() => findGroup(kubectl))).toContain(
      `no-group: no pod of the namespace ${place.namespace} runs vLLM (whether it exists, you may not see)`,
    );
    for (const [attempt, verb, resource] of [
      [() => kubectl.get('/api/v1/nodes/n1/proxy/stats/summary'), 'get', 'nodes/proxy'],
      [() => kubectl.get(kubectl.path('secrets/vllm-api-key')), 'get', 'secrets'],
      [() => kubectl.exec('gemma-0', 'vllm', ['true']), 'get', 'pods'],
      [() => portForward(kubectl, 'gemma-0', 8000), 'get', 'pods'],
    ] as const) {
      expect(await failure(attempt)).toMatch(new RegExp(`^forbidden: .*may not ${verb} ${resource} `));
    }
  });

  test('the right to exec and to forward, once the pod is there', async () => {
    await serving(place, 2, reference.objects);
    const reader = await desk.as(place, 'reader', [{ ...PODS, verbs: ['list', 'get'] }]);
    const kubectl = await desk.open({ kubeconfig: reader });
    expect(await failure(() => kubectl.exec('vllm-gemma-0', 'vllm', ['true']))).toMatch(
      /^forbidden: .*may not create pods\/exec in the namespace/,
    );
    expect(await failure(() => portForward(kubectl, 'vllm-gemma-0', 8000))).toMatch(
      /^forbidden: .*may not create pods\/portforward in the namespace/,
    );
  });

  test('contexts, configurations, credentials and addresses', async () => {
    const config = desk.write('here', { user: { token: 'no-such-token' } });
    expect(await failure(() => desk.open({ kubeconfig: config, context: 'hree' }))).toBe(
      "wrong-context: the kubeconfig has no context 'hree'; did you mean 'here'?",
    );
    expect(await failure(() => desk.open({ kubeconfig: '/no/such/file' }))).toMatch(/^kubeconfig: /);
    expect(await failure(() => desk.open({ path: '/nowhere' }))).toMatch(/^no-kubectl: /);
    expect(await failure(async () => findGroup(await desk.open({ kubeconfig: config })))).toMatch(
      /^credentials: the cluster does not know who asks: /,
    );
    const elsewhere = desk.write('elsewhere', { user: { token: 'x' }, server: 'https://127.0.0.1:1' });
    expect(await failure(async () => findGroup(await desk.open({ kubeconfig: elsewhere })))).toMatch(/^unreachable: /);
  });
});
