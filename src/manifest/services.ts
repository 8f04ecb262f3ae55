import { booleanOf, dig, get, integerOf, listOf, textMapOf, textOf } from './json';
import type { KubernetesObject } from './object';
import type { Labels } from './selector';

export interface ServicePort {
  readonly name?: string;
  readonly port?: number;
  /** A number, or the name of a container port; the port itself when none is written. */
  readonly targetPort?: number | string;
  readonly nodePort?: number;
  readonly protocol: string;
  readonly path: string;
}

export interface Service {
  readonly object: KubernetesObject;
  readonly name: string;
  readonly namespace: string;
  readonly type: string;
  /** Whether it has no address of its own: `clusterIP: None`. */
  readonly isHeadless: boolean;
  readonly publishesNotReady: boolean;
  /** Empty when it selects nothing by itself. */
  readonly selector: Labels;
  readonly ports: readonly ServicePort[];
}

export function readService(object: KubernetesObject): Service {
  const spec = object.spec;
  return {
    object,
    name: object.metadata.name,
    namespace: textOf(object.metadata.namespace) ?? '',
    type: textOf(get(spec, 'type')) ?? 'ClusterIP',
    isHeadless: get(spec, 'clusterIP') === 'None',
    publishesNotReady: booleanOf(get(spec, 'publishNotReadyAddresses')) ?? false,
    selector: textMapOf(get(spec, 'selector')),
    ports: listOf(get(spec, 'ports')).map((port, i) => readPort(port, `spec.ports[${i}]`)),
  };
}

function readPort(port: unknown, path: string): ServicePort {
  const number = integerOf(get(port, 'port'));
  const target = get(port, 'targetPort');
  return {
    name: textOf(get(port, 'name')),
    port: number,
    targetPort: integerOf(target) ?? textOf(target) ?? number,
    nodePort: integerOf(get(port, 'nodePort')),
    protocol: textOf(get(port, 'protocol')) ?? 'TCP',
    path,
  };
}

/** Whether its namespace's pods get variables for it: only what has an address of its own. */
export function hasServiceLinks(service: Service): boolean {
  return !service.isHeadless && service.type !== 'ExternalName';
}

/**
 * The names of the variables that a Service gives to every pod of its namespace, unless `enableServiceLinks` is false.
 * Source: k8s.io/kubernetes/pkg/kubelet/envvars/envvars.go.
 */
export function serviceLinks(service: Service): string[] {
  if (!hasServiceLinks(service)) {
    return [];
  }
  const prefix = service.name.toUpperCase().replaceAll('-', '_');
  const named = service.ports.flatMap(({ name }) =>
    name === undefined ? [] : [`${prefix}_SERVICE_PORT_${name.toUpperCase().replaceAll('-', '_')}`],
  );
  const ofPorts = service.ports.flatMap(({ port, protocol }) => {
    const each = `${prefix}_PORT_${port ?? ''}_${protocol.toUpperCase()}`;
    return [each, `${each}_PROTO`, `${each}_PORT`, `${each}_ADDR`];
  });
  return [`${prefix}_SERVICE_HOST`, `${prefix}_SERVICE_PORT`, ...named, `${prefix}_PORT`, ...ofPorts];
}

/** The container ports that a Service's port leads to, of pods that declare `ports`; by number it needs no declaration. */
export function leadsTo(
  port: ServicePort,
  ports: readonly { name?: string; containerPort?: number }[],
): number | undefined {
  return typeof port.targetPort === 'string'
    ? ports.find(({ name }) => name === port.targetPort)?.containerPort
    : port.targetPort;
}

/** The Service and port that something names: `{name, port: {name}}` of an Ingress, or a plain number. */
export function portOf(service: Service, wanted: unknown): ServicePort | undefined {
  const name = textOf(wanted) ?? textOf(get(wanted, 'name'));
  const number = integerOf(wanted) ?? integerOf(dig(wanted, 'number'));
  return service.ports.find((port) => (name !== undefined ? port.name === name : port.port === number));
}
