import { ALB_PREFIX } from '../../balancer/annotations';
import { matchesPattern } from '../../balancer/effective';
import type { Condition, Rule as ListenerRule } from '../../balancer/types';
import { type IngressPath, readIngress } from '../../manifest';
import type { KubernetesObject } from '../finding';
import { CPU_POD_BEHIND_BALANCER, edit, INGRESS, POD_SERVICE, together } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { byKey } from './engine-routes';

/** Each rule is compared with all before it; a balancer takes 100 of them. */
const MOST_RULES = 200;

/** Whether every text that a pattern matches is matched by another one. */
function coversPattern(wide: string, narrow: string): boolean {
  // A `?` of the wide one would take a `*` of the narrow one for a single character.
  return wide === narrow || (matchesPattern(wide, narrow) && !(wide.includes('?') && /[*?]/.test(narrow)));
}

function valuesOf({ conditions }: ListenerRule, field: Condition['field']): readonly string[] | undefined {
  // Several conditions on one field have to hold together.
  const found = conditions.filter((condition) => condition.field === field);
  return found.length === 1 ? found[0]!.values : undefined;
}

/** Whether the first of two rules takes every request that the second one could. */
function takesAllOf(first: ListenerRule, second: ListenerRule): boolean {
  const isPlain = first.conditions.every(
    (condition) =>
      (condition.field === 'host-header' || condition.field === 'path-pattern') && !('isRegex' in condition),
  );
  const isRegex = second.conditions.some((condition) => 'isRegex' in condition);
  return (
    isPlain &&
    !isRegex &&
    (['host-header', 'path-pattern'] as const).every((field) => {
      if (!first.conditions.some((condition) => condition.field === field)) {
        return true;
      }
      const [wide, narrow] = [valuesOf(first, field), valuesOf(second, field)];
      const fold = (text: string): string => (field === 'host-header' ? text.toLowerCase() : text);
      return (
        wide !== undefined &&
        narrow !== undefined &&
        narrow.every((pattern) => wide.some((candidate) => coversPattern(fold(candidate), fold(pattern))))
      );
    })
  );
}

/** The path of an Ingress that a rule comes from, by what it asks for. */
function pathOf(ingress: KubernetesObject, rule: ListenerRule): IngressPath | undefined {
  const paths = valuesOf(rule, 'path-pattern') ?? [];
  const [host] = valuesOf(rule, 'host-header') ?? [];
  const bare = (path: string): string => path.replace(/\/$/, '');
  return readIngress(ingress).paths.findLast(
    (candidate) =>
      candidate.host === host &&
      candidate.path !== undefined &&
      (paths.includes(candidate.path) ||
        paths[0] === bare(candidate.path) ||
        (candidate.path === '/' && paths[0] === '/*')),
  );
}

function* check(input: RuleInput): Iterable<Report> {
  const ingresses = byKey(input, 'Ingress');
  const seen = new Set<string>();
  for (const { rules } of input.balancers.flatMap(({ model }) => model?.listeners ?? [])) {
    for (const [at, rule] of rules.slice(0, MOST_RULES).entries()) {
      const taker = rules.slice(0, at).find((earlier) => takesAllOf(earlier, rule));
      const object = ingresses.get(rule.ingress);
      if (taker === undefined || object === undefined) {
        continue;
      }
      const path = pathOf(object, rule)?.jsonPath ?? 'spec.rules';
      if (!seen.has(`${rule.ingress} ${path}`)) {
        seen.add(`${rule.ingress} ${path}`);
        const whose = taker.ingress === rule.ingress ? 'the same Ingress' : `Ingress ${taker.ingress}`;
        yield {
          object,
          path,
          what:
            `no request gets to the rule for ${textOf(rule)}: the one of ${whose} for ${textOf(taker)} comes first and ` +
            'takes them all',
        };
      }
    }
  }
}

function textOf({ conditions }: ListenerRule): string {
  return conditions.map(({ values }) => values.join(' or ')).join(' at ');
}

const FIRST = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: web
  namespace: serving
  annotations:
    ${ALB_PREFIX}group.name: shared
    ${ALB_PREFIX}group.order: "ORDER"
    ${ALB_PREFIX}target-type: ip
    ${ALB_PREFIX}inbound-cidrs: 10.0.0.0/8
spec:
  ingressClassName: alb
  rules:
    - http:
        paths:
          - { path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: serving }
spec:
  selector: { app: web }
  ports: [{ port: 80, targetPort: 8080 }]
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: serving }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: web
          image: registry.example/web:1.4.2
          ports: [{ containerPort: 8080 }]
          resources: { limits: { memory: 128Mi } }
`;
const GROUP_MEMBER = (): string =>
  edit(INGRESS, ['  annotations:\n', `  annotations:\n    ${ALB_PREFIX}group.name: shared\n`]);
const bundle = (order: string): string =>
  together(edit(FIRST, ['ORDER', order]), GROUP_MEMBER(), POD_SERVICE, CPU_POD_BEHIND_BALANCER);

export const ruleNeverMatches: Rule = {
  id: 'alb/rule-never-matches',
  severity: 'warning',
  title: 'another rule of the balancer comes first and takes every request',
  why:
    'within one host of an Ingress the controller sorts prefixes by length, but hosts stay as they are listed and Ingresses of ' +
    'a group follow each other by group.order, then by name',
  fix: `give the Ingress with the catch-all a higher ${ALB_PREFIX}group.order, or list the host without a name last`,
  source: 'the rules that a real controller, 3.5.0, made; pkg/ingress/model_build_listener_rules.go',
  get bad() {
    return bundle('-1');
  },
  get good() {
    return bundle('100');
  },
  check,
};
