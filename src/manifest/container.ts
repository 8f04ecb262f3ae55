import { type Environment, type PodSurroundings, readEnvironment } from './environment';
import { type ImageReference, parseImage } from './image';
import { dig, get, integerOf, listOf, mapOf, textOf } from './json';
import { parseQuantity, type Quantity } from './quantity';
import type { Gap } from './text';

export interface ContainerPort {
  readonly name?: string;
  readonly containerPort?: number;
  readonly hostPort?: number;
  readonly protocol: string;
  readonly path: string;
}

export interface Probe {
  readonly kind: 'http' | 'tcp' | 'exec' | 'grpc' | 'unknown';
  /** JSON path: `….containers[0].livenessProbe`. */
  readonly path: string;
  /** Of an HTTP probe: the path that it asks, without what follows a question mark. */
  readonly httpPath?: string;
  readonly scheme?: string;
  readonly headers: readonly string[];
  /** The port as a number, names resolved; `undefined` when no port of the container has the name. */
  readonly port?: number;
  /** The port as written. */
  readonly writtenPort?: number | string;
  /** Words of an exec probe. */
  readonly command: readonly string[];
  readonly initialDelaySeconds: number;
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold: number;
  readonly successThreshold: number;
  readonly terminationGracePeriodSeconds?: number;
  /** Seconds of silence that it bears: `initialDelaySeconds + periodSeconds × failureThreshold`. */
  readonly patienceSeconds: number;
}

export interface Resources {
  readonly path: string;
  readonly requests: ReadonlyMap<string, Quantity>;
  readonly limits: ReadonlyMap<string, Quantity>;
}

export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly subPath?: string;
  readonly isReadOnly: boolean;
  readonly path: string;
}

export interface Container {
  readonly name?: string;
  /** JSON path: `spec.template.spec.containers[0]`. */
  readonly path: string;
  readonly raw: unknown;
  readonly isInit: boolean;
  readonly image?: ImageReference;
  readonly environment: Environment;
  readonly resources: Resources;
  readonly ports: readonly ContainerPort[];
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly mounts: readonly VolumeMount[];
  readonly securityContext: unknown;
}

/** Reads what every container has; what it runs is read elsewhere. */
export function readContainer(
  raw: unknown,
  path: string,
  isInit: boolean,
  pod: PodSurroundings,
  unread: Gap[],
): Container {
  const image = textOf(get(raw, 'image'));
  const environment = readEnvironment(raw, path, pod);
  unread.push(...environment.unread);
  const ports = listOf(get(raw, 'ports')).map((port, i) => readPort(port, `${path}.ports[${i}]`));
  const probe = (name: string) => readProbe(get(raw, name), `${path}.${name}`, ports);
  return {
    name: textOf(get(raw, 'name')),
    path,
    raw,
    isInit,
    image: image === undefined ? undefined : parseImage(image),
    environment,
    resources: readResources(get(raw, 'resources'), `${path}.resources`, unread),
    ports,
    startupProbe: probe('startupProbe'),
    readinessProbe: probe('readinessProbe'),
    livenessProbe: probe('livenessProbe'),
    mounts: listOf(get(raw, 'volumeMounts')).flatMap((mount, i) => readMount(mount, `${path}.volumeMounts[${i}]`)),
    securityContext: get(raw, 'securityContext'),
  };
}

function readPort(port: unknown, path: string): ContainerPort {
  return {
    name: textOf(get(port, 'name')),
    containerPort: integerOf(get(port, 'containerPort')),
    hostPort: integerOf(get(port, 'hostPort')),
    protocol: textOf(get(port, 'protocol')) ?? 'TCP',
    path,
  };
}

function readMount(mount: unknown, path: string): VolumeMount[] {
  const [name, mountPath] = [textOf(get(mount, 'name')), textOf(get(mount, 'mountPath'))];
  return name === undefined || mountPath === undefined
    ? []
    : [
        {
          name,
          mountPath: mountPath.length > 1 ? mountPath.replace(/\/$/, '') : mountPath,
          subPath: textOf(get(mount, 'subPath')),
          isReadOnly: get(mount, 'readOnly') === true,
          path,
        },
      ];
}

/** Reads `resources`; a limit without a request is the request too, as the API server fills it in. */
export function readResources(raw: unknown, path: string, unread: Gap[]): Resources {
  const limits = readQuantities(get(raw, 'limits'), `${path}.limits`, unread);
  const requests = readQuantities(get(raw, 'requests'), `${path}.requests`, unread);
  return { path, limits, requests: new Map([...limits, ...requests]) };
}

function readQuantities(raw: unknown, path: string, unread: Gap[]): ReadonlyMap<string, Quantity> {
  const quantities = new Map<string, Quantity>();
  for (const [name, value] of Object.entries(mapOf(raw) ?? {})) {
    const quantity = parseQuantity(value);
    if (quantity === undefined) {
      unread.push({
        path: `${path}.${name}`,
        what: `the quantity of ${name}`,
        why: 'Kubernetes takes no such quantity',
      });
    } else {
      quantities.set(name, quantity);
    }
  }
  return quantities;
}

const KINDS = { httpGet: 'http', tcpSocket: 'tcp', exec: 'exec', grpc: 'grpc' } as const;

/** Reads a probe, with the defaults of Kubernetes. */
export function readProbe(raw: unknown, path: string, ports: readonly ContainerPort[]): Probe | undefined {
  if (mapOf(raw) === undefined) {
    return undefined;
  }
  const handler = (Object.keys(KINDS) as (keyof typeof KINDS)[]).find((key) => mapOf(get(raw, key)) !== undefined);
  const action = handler === undefined ? undefined : get(raw, handler);
  const written = integerOf(get(action, 'port')) ?? textOf(get(action, 'port'));
  const seconds = (name: string, otherwise: number) => {
    const value = integerOf(get(raw, name));
    // Zero stands for the default in all of them but the delay, where it is the default.
    return value === undefined || value <= 0 ? otherwise : value;
  };
  const timing = {
    initialDelaySeconds: seconds('initialDelaySeconds', 0),
    periodSeconds: seconds('periodSeconds', 10),
    timeoutSeconds: seconds('timeoutSeconds', 1),
    failureThreshold: seconds('failureThreshold', 3),
    successThreshold: seconds('successThreshold', 1),
  };
  return {
    kind: handler === undefined ? 'unknown' : KINDS[handler],
    path,
    ...(handler === 'httpGet' && {
      httpPath: (textOf(get(action, 'path')) ?? '/').split('?', 1)[0]!,
      scheme: textOf(get(action, 'scheme')) ?? 'HTTP',
    }),
    headers: listOf(get(action, 'httpHeaders')).flatMap((header) => textOf(get(header, 'name')) ?? []),
    ...(written !== undefined && { writtenPort: written, port: resolvePort(written, ports) }),
    command: listOf(dig(raw, 'exec', 'command')).filter((word): word is string => typeof word === 'string'),
    ...timing,
    terminationGracePeriodSeconds: integerOf(get(raw, 'terminationGracePeriodSeconds')),
    patienceSeconds: timing.initialDelaySeconds + timing.periodSeconds * timing.failureThreshold,
  };
}

function resolvePort(written: number | string, ports: readonly ContainerPort[]): number | undefined {
  return typeof written === 'number' ? written : ports.find(({ name }) => name === written)?.containerPort;
}

/** Whether a container may gain more rights than it needs, for rules: one answer from container and pod. */
export function securityOf(container: unknown, pod: unknown, key: string): unknown {
  return get(get(container, 'securityContext'), key) ?? get(get(pod, 'securityContext'), key);
}
