import { describe, expect, test } from 'vitest';
import { type KubernetesObject, nameOf } from '../../src/rules/finding';
import { describe as describeFinding, runRules } from '../../src/rules/index';

function object(
  apiVersion: string,
  kind: string,
  name: string,
  spec: object = {},
  namespace = 'vllm',
): KubernetesObject {
  return { apiVersion, kind, metadata: { name, namespace }, spec };
}
const lws = (name: string, spec: object = {}, namespace?: string): KubernetesObject =>
  object('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', name, spec, namespace);
const service = (name: string, namespace?: string): KubernetesObject => object('v1', 'Service', name, {}, namespace);

function ids(objects: KubernetesObject[], target = {}): string[] {
  return runRules(objects, target).map(({ id, object: about }) => `${id} ${nameOf(about)}`);
}

describe('k8s/duplicate-name', () => {
  test('same kind, namespace and name', () => {
    expect(ids([service('a'), service('a')])).toEqual(['k8s/duplicate-name Service/a']);
  });

  test.each([
    ['kind', object('v1', 'ConfigMap', 'a')],
    ['namespace', service('a', 'other')],
    ['API group', object('serving.knative.dev/v1', 'Service', 'a')],
  ])('another %s makes it another object', (_, other) => {
    expect(ids([service('a'), other])).toEqual([]);
  });

  test('another version of the group is the same object', () => {
    const [v1, v2] = ['v1', 'v2'].map((version) => object(`autoscaling/${version}`, 'HorizontalPodAutoscaler', 'a'));
    expect(ids([v1!, v2!])).toEqual(['k8s/duplicate-name HorizontalPodAutoscaler/a']);
  });
});

describe('k8s/duplicate-name, beyond the plain case', () => {
  test('kinds outside of namespaces clash across them', () => {
    const role = (namespace: string): KubernetesObject =>
      object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'reader', {}, namespace);
    expect(ids([role('a'), role('b')])).toEqual(['k8s/duplicate-name ClusterRole/reader']);
  });

  test('a second Namespace is told how to keep the own one', () => {
    const [finding] = runRules([object('v1', 'Namespace', 'vllm'), object('v1', 'Namespace', 'vllm', {}, 'other')]);
    expect(describeFinding(finding!)).toContain('namespacePolicy: NamespacePolicy.EXISTING');
  });

  test('objects that the API server names do not clash', () => {
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { generateName: 'run-' },
    } as unknown as KubernetesObject;
    expect(ids([job, { ...job }])).toEqual([]);
  });
});

describe('objects that a patch has broken', () => {
  test.each([
    ['no metadata', { apiVersion: 'v1', kind: 'Service' }],
    ['containers as a text', lws('a', { leaderWorkerTemplate: { workerTemplate: { spec: { containers: 'oops' } } } })],
    ['env as a text', lws('a', { leaderWorkerTemplate: { workerTemplate: { spec: { containers: [{ env: 'x' }] } } } })],
    ['a hole in a list', lws('a', { leaderWorkerTemplate: { workerTemplate: { spec: { containers: [null] } } } })],
    ['no spec', { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', metadata: { name: 'a' } }],
  ])('%s is left to the API server', (_, broken) => {
    expect(ids([broken as unknown as KubernetesObject])).toEqual([]);
  });
});

describe('lws/statefulset-name-collision', () => {
  const group = (name: string, replicas = 1, more: object = {}): KubernetesObject =>
    lws(name, { replicas, leaderWorkerTemplate: { size: 2 }, ...more });
  const set = (name: string): KubernetesObject => object('apps/v1', 'StatefulSet', name);
  const surge = { rolloutStrategy: { rollingUpdateConfiguration: { maxSurge: 1 } } };

  test.each([
    ['a group called like the workers of the first group', [group('g'), group('g-0')], 'LeaderWorkerSet/g-0'],
    ['a group called like those of the second', [group('g-1'), group('g', 2)], 'LeaderWorkerSet/g-1'],
    ['a group called like those of a surge', [group('g', 1, surge), group('g-1')], 'LeaderWorkerSet/g-1'],
    ['a StatefulSet called like the leaders', [group('g'), set('g')], 'StatefulSet/g'],
    ['a StatefulSet called like the workers', [group('g'), set('g-0')], 'StatefulSet/g-0'],
  ])('%s', (_, objects, about) => {
    expect(ids(objects)).toEqual([`lws/statefulset-name-collision ${about}`]);
  });

  test.each([
    ['a number that no group has', [group('g'), group('g-1')]],
    ['a number with a zero in front', [group('g'), group('g-00')]],
    ['another namespace', [group('g'), lws('g-0', {}, 'other')]],
    ['single pods, which need no workers', [lws('g', { leaderWorkerTemplate: { size: 1 } }), group('g-0')]],
  ])('%s is free', (_, objects) => {
    expect(ids(objects)).toEqual([]);
  });
});

describe('lws/duplicate-env', () => {
  const pods = (kind: string, env: string[]): object => ({
    leaderWorkerTemplate: { workerTemplate: { spec: { [kind]: [{ name: 'c', env: env.map((name) => ({ name })) }] } } },
  });

  test.each(['containers', 'initContainers'])('in %s', (kind) => {
    const [finding, ...more] = runRules([lws('a', pods(kind, ['X', 'Y', 'X']))]);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({
      id: 'lws/duplicate-env',
      object: { kind: 'LeaderWorkerSet', metadata: { name: 'a' } },
      path: `spec.leaderWorkerTemplate.workerTemplate.spec.${kind}[0].env`,
      what: "env 'X' is set twice in container 'c'",
    });
  });

  test('names that are set once, and pods without any', () => {
    expect(ids([lws('a', pods('containers', ['X', 'Y'])), lws('b')])).toEqual([]);
  });

  test('a Deployment may: its API server keeps the last', () => {
    const template = { spec: { containers: [{ env: [{ name: 'X' }, { name: 'X' }] }] } };
    expect(ids([object('apps/v1', 'Deployment', 'd', { template })])).toEqual([]);
  });
});

describe('lws/service-name-collision', () => {
  const unique = { networkConfig: { subdomainPolicy: 'UniquePerReplica' } };

  test.each([
    ['Shared', {}, ['a']],
    ['UniquePerReplica', unique, ['a-0', 'a-17']],
  ])('%s takes these names', (_, spec, names) => {
    expect(ids([lws('a', spec), ...names.map((name) => service(name))])).toEqual(
      names.map((name) => `lws/service-name-collision Service/${name}`),
    );
  });

  test.each([
    ['Shared', {}, ['a-0', 'a-leader', 'b']],
    ['UniquePerReplica', unique, ['a', 'a-01', 'a-leader', 'a-', 'aa-0', 'b-0']],
  ])('%s leaves these names', (_, spec, names) => {
    expect(ids([lws('a', spec), ...names.map((name) => service(name))])).toEqual([]);
  });

  test('another namespace is another name', () => {
    expect(ids([lws('a'), service('a', 'other')])).toEqual([]);
    expect(ids([lws('a', unique), service('a-0', 'other')])).toEqual([]);
  });

  test('the line says what, why and what to do', () => {
    const [finding] = runRules([lws('a'), service('a')]);
    expect(describeFinding(finding!)).toMatch(
      /^Service\/a metadata\.name: Service 'a' has the name .*; .*never resolves.*; give .*'a-leader' \(lws\/service-name-collision\)$/,
    );
  });
});

describe('the LWS of the target cluster', () => {
  const surgeOnly = { rolloutStrategy: { rollingUpdateConfiguration: { maxUnavailable: 0, maxSurge: 1 } } };

  test.each([
    ['0.6.1', {}, ['lws/controller-too-old']],
    ['0.7.0', {}, []],
    ['0.8.0', surgeOnly, ['lws/surge-only-too-old']],
    ['0.6.0', surgeOnly, ['lws/controller-too-old', 'lws/surge-only-too-old']],
    ['0.9.0', surgeOnly, []],
    ['0.10.0', surgeOnly, []],
    ['1.0.0', surgeOnly, []],
    [undefined, surgeOnly, []],
  ])('%s with %j', (version, spec, expected) => {
    expect(runRules([lws('a', spec)], { lws: version }).map(({ id }) => id)).toEqual(expected);
  });
});

describe('work', () => {
  /** Counts every property that the rules read of the objects. */
  function reads(groups: number, spec: object): number {
    let count = 0;
    const counted = <T extends object>(value: T): T =>
      new Proxy(value, {
        get(target, key) {
          count++;
          const found: unknown = Reflect.get(target, key);
          return typeof found === 'object' && found !== null ? counted(found) : found;
        },
      });
    const objects = Array.from({ length: groups }, (_, i) => [lws(`g${i}`, spec), service(`g${i}-leader`)]).flat();
    runRules(objects.map(counted), { lws: '0.10.0' });
    return count;
  }

  test.each([
    ['Shared', 1000],
    ['UniquePerReplica', 200],
  ])('of twice the groups is twice the work: %s, from %d', (subdomainPolicy, groups) => {
    const spec = { networkConfig: { subdomainPolicy } };
    const half = reads(groups, spec);
    expect(half).toBeGreaterThan(groups);
    expect(reads(2 * groups, spec)).toBeLessThanOrEqual(2 * half);
  });
});
