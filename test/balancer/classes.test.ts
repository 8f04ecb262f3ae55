import { describe, expect, test } from 'vitest';
import type { ManifestObject } from '../../src/balancer/object';
import { planBalancer } from '../../src/balancer/plan';
import { ingress, ingressClass, planOf, SERVICES } from './objects';

const namesOf = (...objects: ManifestObject[]): string[] =>
  planBalancer([...SERVICES, ...objects]).map(({ name }) => name);
const old = (value: string, spec: object = {}) =>
  ingress({}, undefined, { metadata: { annotations: { 'kubernetes.io/ingress.class': value } }, spec });

describe('whose an Ingress is', () => {
  test.each([
    ['by its class, which the chart makes', [ingress()], true],
    ['by a class of another name that is not there', [ingress({}, [], { spec: { ingressClassName: 'x' } })], false],
    ['by a class of ours', [ingress({}, [], { spec: { ingressClassName: 'x' } }), ...ingressClass('x')], true],
    [
      'by a class of another controller, even if it is called alb',
      [
        ingress(),
        {
          apiVersion: 'networking.k8s.io/v1',
          kind: 'IngressClass',
          metadata: { name: 'alb' },
          spec: { controller: 'y' },
        },
      ],
      false,
    ],
    ['by the old annotation', [old('alb', { ingressClassName: undefined })], true],
    ['by the old annotation before the field', [old('nginx')], false],
    ['by no class', [ingress({}, [], { spec: { ingressClassName: undefined } })], false],
    [
      'by the default class',
      [
        ingress({}, [], { spec: { ingressClassName: undefined } }),
        ...ingressClass('x', undefined, { annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } }),
      ],
      true,
    ],
    ['of another API group', [{ ...ingress(), apiVersion: 'networking.gke.io/v1' }], false],
  ])('%s', (_, objects, isOurs) => {
    expect(namesOf(...objects)).toEqual(isOurs ? ['ing/web'] : []);
  });

  test('without a namespace it is in default', () => {
    const plan = planOf(ingress({}, [], { metadata: { namespace: undefined } }));
    expect(plan).toMatchObject({ name: 'default/web', isGroup: false, ingresses: ['default/web'] });
  });
});

describe('classes that are not as they should be', () => {
  const withParameters = (parameters: object) => [
    ingress({}, undefined, { spec: { ingressClassName: 'x' } }),
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name: 'x' },
      spec: { controller: 'ingress.k8s.aws/alb', parameters },
    },
  ];

  test('parameters of another kind', () => {
    expect(planOf(...withParameters({ kind: 'ConfigMap', name: 'c' })).event).toEqual({
      reason: 'FailedLoadGroupID',
      message: 'failed load groupID due to invalid ingress class: IngressClass x references unknown parameters',
    });
  });

  test('parameters that are elsewhere, perhaps in the cluster', () => {
    const plan = planOf(...withParameters({ apiGroup: 'elbv2.k8s.aws', kind: 'IngressClassParams', name: 'p' }));
    expect(plan.notSeen).toEqual(['IngressClassParams p']);
  });
});

describe('groups', () => {
  test.each([
    ['A', "must consist of lower case alphanumeric characters, '-' or '.'"],
    ['', 'must consist of lower case'],
    ['a'.repeat(64), 'groupName must be no more than 63 characters'],
  ])("'%s' is no name of one", (name, message) => {
    const { event } = planOf(ingress({ 'group.name': name }));
    expect(event.reason).toBe('FailedLoadGroupID');
    expect(event.message).toContain('failed load groupID due to invalid ingress group: groupName must');
    expect(event.message).toContain(message);
  });

  test('the group of the class wins, and spans namespaces', () => {
    const member = (name: string, namespace: string) =>
      ingress({ 'group.name': name }, [], { name, metadata: { name, namespace }, spec: { ingressClassName: 'x' } });
    const plans = planBalancer([
      member('b', 'one'),
      member('a', 'two'),
      ...ingressClass('x', { group: { name: 'of-class' } }),
    ]);
    expect(plans).toMatchObject([{ name: 'of-class', isGroup: true, ingresses: ['one/b', 'two/a'] }]);
  });

  test('plans stand by name', () => {
    expect(namesOf(ingress({}, [], { name: 'b' }), ingress({}, [], { name: 'a' }))).toEqual(['ing/a', 'ing/b']);
  });
});
