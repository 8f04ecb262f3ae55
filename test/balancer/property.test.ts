import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ALB_ANNOTATIONS, ALB_PREFIX } from '../../src/balancer/annotations';
import { routesTo } from '../../src/balancer/effective';
import type { ManifestObject } from '../../src/balancer/object';
import { planBalancer } from '../../src/balancer/plan';
import { ingressClass, pathOf, service } from './objects';

const suffix = fc.constantFrom(
  ...Object.keys(ALB_ANNOTATIONS),
  ...['actions.a', 'conditions.a', 'transforms.a', 'listener-attributes.HTTP-80', 'nonsense', ''],
);
const value = fc.oneof(
  fc.constantFrom('', 'a', '1', '443', 'true', 'ip', 'HTTP', 'a=1', 'a=2', '10.0.0.0/8', 'x,y', 'internet-facing'),
  fc.constantFrom('[{"HTTP":80}]', '[{"HTTPS":443}]', '[{"HTTP":80},{"HTTPS":443}]', '{"type":"forward"}', '[{}]'),
  fc.json(),
  fc.string(),
);
const anything = fc.jsonValue({ maxDepth: 2 });
const oddly = <T>(usual: fc.Arbitrary<T>) =>
  fc.oneof({ arbitrary: usual, weight: 9 }, { arbitrary: anything, weight: 1 });
const path = fc
  .tuple(
    fc.constantFrom('Prefix', 'Exact', 'ImplementationSpecific', null),
    fc.constantFrom('/', '/a', '/ab', '/a*', ''),
    fc.constantFrom('a', 'b', 'none'),
    fc.constantFrom<(string | number)[]>(80, 'http', 'use-annotation', 81),
  )
  .map(pathOf);
const annotation = fc.dictionary(suffix.map((name) => ALB_PREFIX + name), oddly(value), { maxKeys: 6 }); // prettier-ignore

const anIngress: fc.Arbitrary<ManifestObject> = fc.record({
  apiVersion: fc.constant('networking.k8s.io/v1'),
  kind: fc.constant('Ingress'),
  metadata: oddly(
    fc.record({ name: fc.constantFrom('x', 'y', 'z'), namespace: fc.constant('ing'), annotations: oddly(annotation) }),
  ),
  spec: oddly(
    fc.record({
      ingressClassName: oddly(fc.constantFrom('alb', 'own')),
      rules: oddly(
        fc.array(
          oddly(
            fc.record({
              host: oddly(fc.constant('a.example')),
              http: oddly(fc.record({ paths: oddly(fc.array(oddly(path), { maxLength: 4 })) })),
            }),
          ),
          { maxLength: 2 },
        ),
      ),
    }),
  ),
});

const params = fc.dictionary(
  fc.constantFrom('scheme', 'group', 'inboundCIDRs', 'tags', 'subnets', 'listeners', 'certificateArn', 'targetType', 'sslRedirectPort'),
  fc.oneof(fc.constantFrom('internal', 'ip', '443'), fc.array(fc.string()), anything),
); // prettier-ignore

const bundle = fc
  .tuple(
    fc.array(anIngress, { minLength: 1, maxLength: 3 }),
    params,
    fc.array(fc.tuple(fc.constantFrom('a', 'b'), annotation), { maxLength: 2 }),
  )
  .map(([ingresses, spec, services]): ManifestObject[] => [
    // One object of a name, as in a cluster.
    ...new Map(
      ingresses.map((object) => [JSON.stringify((object.metadata as { name?: unknown } | null)?.name), object]),
    ).values(),
    ...ingressClass('own', spec),
    ...new Map(
      services.map(([name, found]) => [
        name,
        { ...service(name, 80), metadata: { name, namespace: 'ing', annotations: found } },
      ]),
    ).values(),
  ]);

describe('whatever is given', () => {
  test('plans come out, with an event', () => {
    fc.assert(
      fc.property(bundle, (objects) => {
        for (const plan of planBalancer(objects)) {
          expect(plan.event.message).not.toBe('');
          expect(plan.model === undefined).toBe(
            plan.event.reason !== 'SuccessfullyReconciled' && plan.event.reason !== 'FailedDeployModel',
          );
          if (plan.model) {
            routesTo(plan.model, '/a');
          }
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('of any JSON', () => {
    fc.assert(
      fc.property(fc.array(anything), (objects) => {
        expect(planBalancer(objects as ManifestObject[])).toEqual([]);
      }),
    );
  });

  test('the order of objects does not matter', () => {
    fc.assert(
      fc.property(
        bundle.chain((objects) => fc.tuple(fc.constant(objects), fc.shuffledSubarray(objects, { minLength: objects.length }))),
        ([objects, shuffled]) => {
          expect(planBalancer(shuffled)).toEqual(planBalancer(objects));
        },
      ),
      { numRuns: 1000 },
    ); // prettier-ignore
  });

  test('priorities count from 1 on each port', () => {
    fc.assert(
      fc.property(bundle, (objects) => {
        for (const { model } of planBalancer(objects)) {
          for (const { rules } of model?.listeners ?? []) {
            expect(rules.map(({ priority }) => priority)).toEqual(rules.map((_, index) => index + 1));
          }
        }
      }),
    );
  });
});
