import { App } from 'cdk8s';
import { AlbIngress, AlbIngressClass, AlbRoute, NamespacePolicy, NumaPolicy, WeightsCache } from 'cdk8s-vllm';
import { describe, expect, test } from 'vitest';
import { expectError } from '../common/errors';
import { find, newChart, newGroup, synth } from './harness';

function namespaces(...charts: Parameters<typeof synth>[0][]): string[] {
  return charts.flatMap(synth).flatMap((o) => (o.kind === 'Namespace' ? [o.metadata.name] : []));
}

const privileged = { numaPolicy: NumaPolicy.BIND };

describe('Namespace', () => {
  test('is made once for all groups of an App, in whatever chart they are', () => {
    const app = new App();
    const [a, b, c] = [
      newChart({ namespace: 'x' }, app, 'a'),
      newChart({ namespace: 'x' }, app, 'b'),
      newChart({ namespace: 'y' }, app, 'c'),
    ];
    newGroup(a, {}, 'one');
    newGroup(a, {}, 'two');
    newGroup(b, {}, 'three');
    newGroup(c, {}, 'one');
    expect(namespaces(a, b, c)).toEqual(['x', 'y']);
  });

  test.each([
    ['as strict as its pods allow', [{}], 'baseline'],
    ['privileged for SYS_NICE', [privileged], 'privileged'],
    ['privileged for a folder of the node', [{ weightsCache: WeightsCache.hostPath('/m') }], 'privileged'],
    ['what the loosest group needs, first', [privileged, {}], 'privileged'],
    ['what the loosest group needs, last', [{}, privileged], 'privileged'],
  ])('is labelled %s', (_, groups, level) => {
    const chart = newChart();
    groups.forEach((props, i) => newGroup(chart, props, `g${i}`));
    expect(find(chart, 'Namespace').metadata).toEqual({
      name: 'vllm',
      labels: Object.fromEntries(['enforce', 'audit', 'warn'].map((m) => [`pod-security.kubernetes.io/${m}`, level])),
    });
  });

  test('counts the groups of other charts too', () => {
    const app = new App();
    const [a, b] = [newChart({ namespace: 'x' }, app, 'a'), newChart({ namespace: 'x' }, app, 'b')];
    newGroup(a);
    newGroup(b, { ...privileged, name: 'other' });
    expect(find(a, 'Namespace').metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'privileged' });
  });

  test.each([
    ['first', [{ ...privileged, namespacePolicy: NamespacePolicy.EXISTING }, {}]],
    ['last', [{}, { ...privileged, namespacePolicy: NamespacePolicy.EXISTING }]],
  ])('bears the level of groups that do not own it, too (%s)', (_, groups) => {
    const chart = newChart();
    groups.forEach((props, i) => newGroup(chart, props, `g${i}`));
    expect(find(chart, 'Namespace').metadata.labels).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'privileged',
    });
  });

  test.each(['kube-system', 'default'])('%s is never labelled', (namespace) => {
    const chart = newChart({ namespace });
    newGroup(chart);
    expect(namespaces(chart)).toEqual([]);
    expectError(
      () => newGroup(newChart({ namespace }), { namespacePolicy: NamespacePolicy.CREATE }),
      `namespace '${namespace}' belongs to the cluster`,
      'NamespacePolicy.EXISTING',
    );
  });

  test('a name that no namespace can have is refused', () => {
    expectError(() => newGroup(newChart({ namespace: 'Bad_NS' })), "namespace of the chart is 'Bad_NS'");
  });

  test.each([
    ['that exists', { namespace: 'vllm' }, { namespacePolicy: NamespacePolicy.EXISTING }],
    ['default', { namespace: 'default' }, {}],
    ['of nobody', { namespace: undefined }, {}],
  ])('%s is not made', (_, chartProps, props) => {
    const chart = newChart(chartProps);
    newGroup(chart, props);
    expect(namespaces(chart)).toEqual([]);
  });
});

test('objects outside of namespaces have none, the others have that of the chart', () => {
  const chart = newChart();
  newGroup(chart);
  const ingressClass = AlbIngressClass.create('vllm-alb');
  new AlbIngress(chart, 'ingress', { routes: [AlbRoute.service('/x', 'x', 80)], ingressClass });
  expect(synth(chart).map((o) => [o.kind, o.metadata.namespace])).toEqual(
    expect.arrayContaining([
      ['Namespace', undefined],
      ['IngressClass', undefined],
      ['IngressClassParams', undefined],
      ['Ingress', 'vllm'],
      ['LeaderWorkerSet', 'vllm'],
      ['PodDisruptionBudget', 'vllm'],
    ]),
  );
});
