import { describe, expect, test } from 'vitest';
import { podsMatching, podsSelectedBy, readGroups, readService } from '../../src/manifest/index';
import type { KubernetesObject } from '../../src/manifest/object';

const pod = (name: string, namespace: string, labels: Record<string, string>): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels },
  spec: { containers: [] },
});
const group = (name: string, size: number): KubernetesObject => ({
  apiVersion: 'leaderworkerset.x-k8s.io/v1',
  kind: 'LeaderWorkerSet',
  metadata: { name, namespace: 'a' },
  spec: { leaderWorkerTemplate: { size, workerTemplate: { metadata: { labels: { all: 'x' } }, spec: {} } } },
});
const service = (namespace: string, selector: unknown) =>
  readService({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's', namespace },
    spec: { selector },
  });

const INDEX = 'leaderworkerset.sigs.k8s.io/worker-index';
const { workloads } = readGroups([
  pod('one', 'a', { all: 'x', own: '1' }),
  pod('two', 'a', { all: 'x', own: '2' }),
  pod('three', 'b', { all: 'x', own: '1' }),
  group('g', 3),
]);
const names = (pods: ReturnType<typeof podsSelectedBy>) =>
  pods.map(({ workload, pod: { role } }) => `${workload.name} ${role}`);

describe('pods that a Service selects', () => {
  test.each([
    [{ all: 'x' }, ['one single', 'two single', 'g leader', 'g worker']],
    [{ all: 'x', own: '1' }, ['one single']],
    [{ all: 'x', own: '3' }, []],
    [{ all: 'x', [INDEX]: '0' }, ['g leader']],
    [{ all: 'x', [INDEX]: '2' }, ['g worker']],
    [{ [INDEX]: '3' }, []],
    [{}, []],
  ])('%j', (selector, selected) => {
    expect(names(podsSelectedBy(service('a', selector), workloads))).toEqual(selected);
  });

  test('are those of its namespace', () => {
    expect(names(podsSelectedBy(service('b', { all: 'x' }), workloads))).toEqual(['three single']);
    expect(names(podsSelectedBy(service('c', { all: 'x' }), workloads))).toEqual([]);
  });

  test('are one list for all Services that select the same', () => {
    const list = podsSelectedBy(service('a', { all: 'x' }), workloads);
    expect(podsSelectedBy(service('a', { all: 'x' }), workloads)).toBe(list);
    expect(podsSelectedBy(service('b', { all: 'x' }), workloads)).not.toBe(list);
    expect(podsSelectedBy(service('a', { all: 'x' }), [...workloads])).not.toBe(list);
  });
});

describe('pods that a label selector matches', () => {
  const expression = (operator: string, values?: string[]) => ({
    matchExpressions: [{ key: 'own', operator, ...(values && { values }) }],
  });

  test.each<[unknown, string[] | undefined, string[]]>([
    [{ matchLabels: { own: '1' } }, undefined, ['one single', 'three single']],
    [{ matchLabels: { own: '1' } }, ['b', 'c'], ['three single']],
    [{ matchLabels: { own: '1' } }, ['a', 'b'], ['one single', 'three single']],
    [{ matchLabels: { own: '1' } }, [], []],
    [{}, ['b'], ['three single']],
    [undefined, undefined, []],
    [expression('In', ['2']), undefined, ['two single']],
    [expression('NotIn', ['1', '2']), undefined, ['g leader', 'g worker']],
    [expression('NotIn', ['1']), ['a'], ['two single', 'g leader', 'g worker']],
    [expression('Exists'), ['a'], ['one single', 'two single']],
    [expression('DoesNotExist'), ['a'], ['g leader', 'g worker']],
    [expression('Near'), ['a'], []],
    [{ matchLabels: { own: 1 } }, ['a'], []],
  ])('%j in %j', (selector, namespaces, selected) => {
    expect(names(podsMatching(selector, namespaces, workloads))).toEqual(selected);
  });

  test('are one list for all that select the same', () => {
    const select = () => podsMatching({ matchLabels: { all: 'x' } }, undefined, workloads);
    expect(select()).toBe(select());
    expect(podsMatching({ matchLabels: { all: 'x' } }, ['a'], workloads)).not.toBe(select());
  });
});
