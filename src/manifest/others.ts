import { dig, get, integerOf, listOf, textMapOf, textOf } from './json';
import type { KubernetesObject } from './object';
import { parseQuantity, type Quantity } from './quantity';
import type { Labels } from './selector';

/** A path of an Ingress and the Service port that it leads to. */
export interface IngressPath {
  readonly host?: string;
  readonly path?: string;
  readonly pathType?: string;
  readonly service?: string;
  /** A number, or the name of a Service port. */
  readonly port?: number | string;
  /** JSON path: `spec.rules[0].http.paths[0]`, or `spec.defaultBackend`. */
  readonly jsonPath: string;
}

export interface Ingress {
  readonly object: KubernetesObject;
  readonly namespace: string;
  readonly className?: string;
  readonly annotations: Labels;
  readonly paths: readonly IngressPath[];
  readonly hasTls: boolean;
}

/** The annotation from before `ingressClassName`. */
export const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

/** Whether annotation and field name different classes, which the API server refuses. */
export function hasClassConflict(object: KubernetesObject): boolean {
  const old = textMapOf(object.metadata.annotations).get(CLASS_ANNOTATION);
  const className = textOf(get(object.spec, 'ingressClassName'));
  return old !== undefined && className !== undefined && old !== className;
}

export function readIngress(object: KubernetesObject): Ingress {
  const { spec } = object;
  const backend = (raw: unknown) => ({
    service: textOf(dig(raw, 'service', 'name')),
    port: integerOf(dig(raw, 'service', 'port', 'number')) ?? textOf(dig(raw, 'service', 'port', 'name')),
  });
  const paths = listOf(get(spec, 'rules')).flatMap((rule, i) =>
    listOf(dig(rule, 'http', 'paths')).map((path, j): IngressPath => ({
      host: textOf(get(rule, 'host')),
      path: textOf(get(path, 'path')),
      pathType: textOf(get(path, 'pathType')),
      ...backend(get(path, 'backend')),
      jsonPath: `spec.rules[${i}].http.paths[${j}]`,
    })),
  );
  const byDefault = get(spec, 'defaultBackend');
  return {
    object,
    namespace: object.metadata.namespace ?? '',
    className: textOf(get(spec, 'ingressClassName')),
    annotations: textMapOf(object.metadata.annotations),
    paths: byDefault === undefined ? paths : [...paths, { ...backend(byDefault), jsonPath: 'spec.defaultBackend' }],
    hasTls: listOf(get(spec, 'tls')).length > 0,
  };
}

/** What a PodMonitor or ServiceMonitor scrapes. */
export interface Monitor {
  readonly object: KubernetesObject;
  readonly kind: 'PodMonitor' | 'ServiceMonitor';
  readonly selector: unknown;
  /** Namespaces that it looks in; nothing when it looks in all of them. */
  readonly namespaces?: readonly string[];
  readonly endpoints: readonly MonitorEndpoint[];
}

export interface MonitorEndpoint {
  /** Name of a port of the container, or of the Service. */
  readonly port?: string;
  readonly targetPort?: number | string;
  /** `/metrics` when none is written. */
  readonly httpPath: string;
  /** JSON path: `spec.podMetricsEndpoints[0]`. */
  readonly path: string;
}

export function readMonitor(object: KubernetesObject): Monitor {
  const { spec } = object;
  const kind = object.kind === 'ServiceMonitor' ? 'ServiceMonitor' : 'PodMonitor';
  const key = kind === 'ServiceMonitor' ? 'endpoints' : 'podMetricsEndpoints';
  const isAny = dig(spec, 'namespaceSelector', 'any') === true;
  const names = listOf(dig(spec, 'namespaceSelector', 'matchNames')).flatMap((name) => textOf(name) ?? []);
  return {
    object,
    kind,
    selector: get(spec, 'selector'),
    ...(!isAny && { namespaces: names.length > 0 ? names : [object.metadata.namespace ?? ''] }),
    endpoints: listOf(get(spec, key)).map((endpoint, i) => ({
      port: textOf(get(endpoint, 'port')),
      targetPort: integerOf(get(endpoint, 'targetPort')) ?? textOf(get(endpoint, 'targetPort')),
      httpPath: textOf(get(endpoint, 'path')) ?? '/metrics',
      path: `spec.${key}[${i}]`,
    })),
  };
}

/** What an autoscaler (HorizontalPodAutoscaler, ScaledObject) scales. */
export interface ScaleTarget {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name?: string;
  readonly path: string;
}

export function scaleTargetOf(object: KubernetesObject): ScaleTarget {
  const target = dig(object, 'spec', 'scaleTargetRef');
  return {
    apiVersion: textOf(get(target, 'apiVersion')),
    // KEDA's default.
    kind: textOf(get(target, 'kind')) ?? 'Deployment',
    name: textOf(get(target, 'name')),
    path: 'spec.scaleTargetRef',
  };
}

export interface DisruptionBudget {
  readonly object: KubernetesObject;
  readonly selector: unknown;
  readonly minAvailable?: number | string;
  readonly maxUnavailable?: number | string;
}

export function readDisruptionBudget(object: KubernetesObject): DisruptionBudget {
  const amount = (key: string) => integerOf(dig(object, 'spec', key)) ?? textOf(dig(object, 'spec', key));
  return {
    object,
    selector: dig(object, 'spec', 'selector'),
    minAvailable: amount('minAvailable'),
    maxUnavailable: amount('maxUnavailable'),
  };
}

export interface VolumeClaim {
  readonly object: KubernetesObject;
  readonly accessModes: readonly string[];
  readonly storageClassName?: string;
  readonly size?: Quantity;
}

export function readVolumeClaim(object: KubernetesObject): VolumeClaim {
  return {
    object,
    accessModes: listOf(dig(object, 'spec', 'accessModes')).flatMap((mode) => textOf(mode) ?? []),
    storageClassName: textOf(dig(object, 'spec', 'storageClassName')),
    size: parseQuantity(dig(object, 'spec', 'resources', 'requests', 'storage')),
  };
}
