import { SHARED_MEMORY_PATH } from '../engine/server';
import { type Container, readContainer } from './container';
import type { PodSurroundings } from './environment';
import { booleanOf, dig, get, integerOf, listOf, mapOf, textMapOf, textOf } from './json';
import { parseQuantity, type Quantity } from './quantity';
import type { Labels } from './selector';
import type { Gap } from './text';

export interface Volume {
  readonly name: string;
  readonly path: string;
  readonly kind: 'emptyDir' | 'persistentVolumeClaim' | 'configMap' | 'secret' | 'hostPath' | 'ephemeral' | 'other';
  /** Of an emptyDir: `Memory`, a kind of huge pages, or empty for the disk. */
  readonly medium: string;
  readonly sizeLimit?: Quantity;
  /** Of a claim, ConfigMap or Secret. */
  readonly refersTo?: string;
  readonly raw: unknown;
}

/** The accessors of a pod spec, the same for each kind that has one. */
export interface PodSpec {
  /** JSON path of the spec: `spec.template.spec`. */
  readonly path: string;
  readonly raw: unknown;
  readonly hostNetwork: boolean;
  /** `ClusterFirst` when none is written. */
  readonly dnsPolicy: string;
  readonly enableServiceLinks: boolean;
  readonly nodeSelector: Labels;
  readonly serviceAccountName?: string;
  readonly schedulerName?: string;
  readonly restartPolicy: string;
  readonly terminationGracePeriodSeconds: number;
  readonly volumes: readonly Volume[];
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[];
}

const SOURCES = ['emptyDir', 'persistentVolumeClaim', 'configMap', 'secret', 'hostPath', 'ephemeral'] as const;

/** Reads a pod spec. */
export function readPodSpec(raw: unknown, path: string, pod: PodSurroundings, unread: Gap[]): PodSpec {
  const containers = (key: string, isInit: boolean) =>
    listOf(get(raw, key)).flatMap((container, i) =>
      mapOf(container) === undefined ? [] : [readContainer(container, `${path}.${key}[${i}]`, isInit, pod, unread)],
    );
  return {
    path,
    raw,
    hostNetwork: booleanOf(get(raw, 'hostNetwork')) ?? false,
    dnsPolicy: textOf(get(raw, 'dnsPolicy')) ?? 'ClusterFirst',
    enableServiceLinks: pod.hasServiceLinks,
    nodeSelector: textMapOf(get(raw, 'nodeSelector')),
    serviceAccountName: textOf(get(raw, 'serviceAccountName')) ?? textOf(get(raw, 'serviceAccount')),
    schedulerName: textOf(get(raw, 'schedulerName')),
    restartPolicy: textOf(get(raw, 'restartPolicy')) ?? 'Always',
    terminationGracePeriodSeconds: integerOf(get(raw, 'terminationGracePeriodSeconds')) ?? 30,
    volumes: listOf(get(raw, 'volumes')).flatMap((volume, i) => readVolume(volume, `${path}.volumes[${i}]`, unread)),
    containers: containers('containers', false),
    initContainers: containers('initContainers', true),
  };
}

function readVolume(raw: unknown, path: string, unread: Gap[]): Volume[] {
  const name = textOf(get(raw, 'name'));
  if (name === undefined) {
    return [];
  }
  const kind = SOURCES.find((key) => get(raw, key) !== undefined && get(raw, key) !== null) ?? 'other';
  const source = get(raw, kind);
  const limit = get(source, 'sizeLimit');
  const sizeLimit = limit === undefined || limit === null ? undefined : parseQuantity(limit);
  if (limit !== undefined && limit !== null && sizeLimit === undefined) {
    unread.push({
      path: `${path}.emptyDir.sizeLimit`,
      what: 'the size limit',
      why: 'Kubernetes takes no such quantity',
    });
  }
  return [
    {
      name,
      path,
      kind,
      medium: textOf(get(source, 'medium')) ?? '',
      sizeLimit,
      refersTo: textOf(get(source, 'claimName')) ?? textOf(get(source, 'name')) ?? textOf(get(source, 'secretName')),
      raw,
    },
  ];
}

/** The volume that is mounted at a path of a container. */
export function volumeAt(container: Container, pod: PodSpec, mountPath: string): Volume | undefined {
  const mount = container.mounts.find((each) => each.mountPath === mountPath);
  return mount && pod.volumes.find(({ name }) => name === mount.name);
}

/** What a container's shared memory is: of the node, of a volume, or the 64 MiB that a container gets by itself. */
export function sharedMemory(container: Container, pod: PodSpec): { bytes?: number; volume?: Volume } {
  const volume = volumeAt(container, pod, SHARED_MEMORY_PATH);
  if (volume !== undefined) {
    return { volume, ...(volume.sizeLimit && { bytes: volume.sizeLimit.value }) };
  }
  return booleanOf(dig(pod.raw, 'hostIPC')) === true ? {} : { bytes: 64 * 1024 ** 2 };
}
