import { ALB_PREFIX } from '../../src/balancer/annotations';
import type { ManifestObject } from '../../src/balancer/object';
import { planBalancer } from '../../src/balancer/plan';
import type { BalancerModel, BalancerPlan } from '../../src/balancer/types';

/** Annotations by suffix. */
export type Suffixes = Readonly<Record<string, string>>;

export function annotations(suffixes: Suffixes): Record<string, string> {
  return Object.fromEntries(Object.entries(suffixes).map(([suffix, value]) => [ALB_PREFIX + suffix, value]));
}

/** Type, path, Service and port of a path. */
export type PathRow = readonly [type: string | null, path: string, service: string, port: number | string];

export function pathOf([pathType, path, service, port]: PathRow): unknown {
  return { path, ...(pathType !== null && { pathType }), backend: backendOf(service, port) };
}

export function backendOf(service: string, port: number | string): unknown {
  return { service: { name: service, port: typeof port === 'number' ? { number: port } : { name: port } } };
}

export function ingress(
  suffixes: Suffixes = {},
  paths: readonly PathRow[] = [['Prefix', '/', 'vllm-leader', 8000]],
  { name = 'web', spec = {}, metadata = {} }: { name?: string; spec?: object; metadata?: object } = {},
): ManifestObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, namespace: 'ing', annotations: annotations(suffixes), ...metadata },
    spec: { ingressClassName: 'alb', rules: [{ http: { paths: paths.map(pathOf) } }], ...spec },
  };
}

export function service(
  name: string,
  port: number,
  suffixes: Suffixes = {},
  { spec = {}, targetPort = 'http' }: { spec?: object; targetPort?: unknown } = {},
): ManifestObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'ing', annotations: annotations(suffixes) },
    spec: { type: 'ClusterIP', ports: [{ name: 'http', port, targetPort }], ...spec },
  };
}

/** The Services that the controller was observed with. */
export const SERVICES = [service('chat-app', 8080, { 'healthcheck-path': '/healthz' }), service('vllm-leader', 8000)];

export function ingressClass(name: string, params?: object, metadata: object = {}): ManifestObject[] {
  const reference = { apiGroup: 'elbv2.k8s.aws', kind: 'IngressClassParams', name };
  return [
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name, ...metadata },
      spec: { controller: 'ingress.k8s.aws/alb', ...(params && { parameters: reference }) },
    },
    ...(params
      ? [{ apiVersion: 'elbv2.k8s.aws/v1beta1', kind: 'IngressClassParams', metadata: { name }, spec: params }]
      : []),
  ];
}

/** The one plan of some objects, next to the Services. */
export function planOf(...objects: readonly ManifestObject[]): BalancerPlan {
  const plans = planBalancer([...SERVICES, ...objects]);
  if (plans.length !== 1) {
    throw new Error(`${plans.length} balancers were planned, not one`);
  }
  return plans[0]!;
}

/** The model of an Ingress with `target-type: ip` and more annotations. */
export function modelOf(
  suffixes: Suffixes = {},
  paths?: readonly PathRow[],
  options?: { spec?: object },
): BalancerModel {
  const plan = planOf(ingress({ 'target-type': 'ip', ...suffixes }, paths, options));
  if (plan.model === undefined) {
    throw new Error(plan.event.message);
  }
  return plan.model;
}

/** What the event of such an Ingress says behind `Failed build model due to`. */
export function buildErrorOf(suffixes: Suffixes, paths?: readonly PathRow[], options?: { spec?: object }): string {
  const { event } = planOf(ingress({ 'target-type': 'ip', ...suffixes }, paths, options));
  if (event.reason !== 'FailedBuildModel') {
    throw new Error(`${event.reason}: ${event.message}`);
  }
  return event.message.replace('Failed build model due to ', '');
}

/** Patterns and backend of each rule, for short. */
export function rulesOf(model: BalancerModel, port = 80): [string, string][] {
  const { rules = [] } = model.listeners.find((listener) => listener.port === port) ?? {};
  return rules.map(({ conditions, actions }) => {
    const [action] = actions;
    const to = action?.type === 'forward' ? action.targets.map(({ targetGroup }) => targetGroup?.replace('ing/web-', '')) : []; // prettier-ignore
    return [conditions.map(({ values }) => values.join(' ')).join(' & '), to.join('+') || action!.type];
  });
}
