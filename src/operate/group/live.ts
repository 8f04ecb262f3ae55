import { LWS_NAME_LABEL, LWS_PREFIX, LWS_WORKER_INDEX_LABEL, splitOrdinal } from '../../engine/lws';
import { DEFAULT_PORT } from '../../engine/server';
import {
  dig,
  type EngineContainer,
  type EngineSettings,
  integerOf,
  type KubernetesObject,
  listOf,
  readGroups,
  type RolePod,
  textOf,
} from '../../manifest';
import { isReady, restartsOf, statusOf, whyNotReady } from './pod-state';

/** A pod of a group as it is in the cluster. */
export interface LivePod {
  readonly rank: number;
  readonly role: 'leader' | 'worker' | 'single';
  readonly name: string;
  readonly uid: string;
  readonly node?: string;
  readonly address?: string;
  /** Whether it has the network of its node, whose counters are then not its own. */
  readonly hostNetwork: boolean;
  /** The container that runs vLLM. */
  readonly container: string;
  readonly pod: RolePod;
  readonly engine?: EngineContainer;
  /** Nothing where its command is not read, as that of a Ray worker. */
  readonly settings?: EngineSettings;
  readonly isReady: boolean;
  /** What keeps it from being ready; empty when it is. */
  readonly why: string;
  readonly restarts: number;
  readonly object: KubernetesObject;
}

/** Pods that serve one model together: one group of a LeaderWorkerSet, or one pod of something else. */
export interface LiveGroup {
  /** Kind and name of what made the pods. */
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  /** Tells it from others of the same owner. */
  readonly key: string;
  /** Pods that it has to have. */
  readonly size: number;
  /** Those that are there, by rank; the first leads. */
  readonly pods: readonly LivePod[];
  /** Ranks without a pod. */
  readonly missing: readonly number[];
}

/** Name of the pod with rank 0, which no other group has. */
export function leaderOf({ pods }: LiveGroup): LivePod | undefined {
  return pods.find(({ rank }) => rank === 0);
}

/** Where its server listens, within the pod of the leader. */
export function portOf(group: LiveGroup): number {
  return leaderOf(group)?.settings?.port.value ?? DEFAULT_PORT;
}

/** The name that its arguments have the model served under, or ask for; nothing where they are not read. */
export function servedModelOf(group: LiveGroup): string | undefined {
  const settings = leaderOf(group)?.settings;
  return settings?.servedModelNames.value?.[0] ?? settings?.model.value;
}

/** What selects the pods that it has, had and will have; all of the namespace where no label tells them. */
export function selectorOf({ kind, name }: LiveGroup): { readonly selector?: string } {
  return kind === 'LeaderWorkerSet' ? { selector: `${LWS_NAME_LABEL}=${name}` } : {};
}

/** Whether every pod is there and ready. */
export function isWhole({ pods, missing }: LiveGroup): boolean {
  return missing.length === 0 && pods.every((pod) => pod.isReady);
}

/** The groups among the pods of a namespace. Those that are going or have ended belong to none. */
export function groupsOf(objects: readonly KubernetesObject[]): LiveGroup[] {
  const byKey = new Map<string, Found[]>();
  for (const object of objects) {
    const phase = statusOf(object).phase;
    if (phase === 'Succeeded' || (phase === 'Failed' && !isOfLws(object)) || isGoing(object)) {
      continue;
    }
    const found = foundIn(object);
    if (found !== undefined) {
      byKey.set(found.key, [...(byKey.get(found.key) ?? []), found]);
    }
  }
  return [...byKey.values()].flatMap((found) => {
    // A LeaderWorkerSet may run anything.
    return found.some(({ pod }) => pod.engine !== undefined) ? [groupOf(found)] : [];
  });
}

function groupOf(found: readonly Found[]): LiveGroup {
  const sorted = [...found].sort((a, b) => a.rank - b.rank);
  const [first] = sorted as [Found];
  const size = Math.max(...sorted.map((each) => each.size));
  const pods = sorted.map(({ object, pod, rank }): LivePod => ({
    rank,
    role: size === 1 ? 'single' : rank === 0 ? 'leader' : 'worker',
    name: object.metadata.name,
    uid: textOf(dig(object, 'metadata', 'uid')) ?? '',
    node: textOf(dig(object, 'spec', 'nodeName')),
    address: statusOf(object).podIP,
    hostNetwork: pod.hostNetwork,
    container: pod.engine?.name ?? pod.containers[0]?.name ?? '',
    pod,
    engine: pod.engine,
    settings: pod.engine?.settings,
    isReady: isReady(object),
    why: whyNotReady(object),
    restarts: restartsOf(object),
    object,
  }));
  const ranks = new Set(pods.map(({ rank }) => rank));
  return {
    ...first.owner,
    key: first.key,
    namespace: first.object.metadata.namespace ?? 'default',
    size,
    pods,
    missing: Array.from({ length: size }, (_, rank) => rank).filter((rank) => !ranks.has(rank)),
  };
}

/** A pod that may belong to a group. */
export interface Found {
  readonly key: string;
  readonly owner: { readonly kind: string; readonly name: string };
  readonly rank: number;
  readonly size: number;
  readonly object: KubernetesObject;
  readonly pod: RolePod;
}

/** What a pod says of the group that it belongs to, alive or not; nothing where it runs no vLLM. */
export function foundIn(object: KubernetesObject): Found | undefined {
  // An item of a list says neither kind nor version.
  const { workloads } = readGroups([{ ...object, apiVersion: 'v1', kind: 'Pod' }]);
  const pod = workloads[0]?.leader;
  if (pod === undefined) {
    return undefined;
  }
  const set = object.metadata.labels?.[LWS_NAME_LABEL];
  if (set !== undefined) {
    const index = object.metadata.labels?.[`${LWS_PREFIX}group-index`] ?? '0';
    return {
      key: `${set} ${index}`,
      owner: { kind: 'LeaderWorkerSet', name: set },
      rank: Number(object.metadata.labels?.[LWS_WORKER_INDEX_LABEL] ?? 0),
      size: Number(object.metadata.annotations?.[`${LWS_PREFIX}size`] ?? 1),
      object,
      pod,
    };
  }
  if (pod.engine === undefined) {
    return undefined;
  }
  const owner = ownerOf(object);
  const { nnodes, masterAddr, masterPort, nodeRank } = pod.engine.settings ?? {};
  const size = nnodes?.value ?? 1;
  // Ranks that LWS did not make still name the same place to meet.
  return size === 1
    ? { key: object.metadata.name, owner, rank: 0, size, object, pod }
    : {
        key: `${masterAddr?.text?.toString() ?? ''}:${masterPort?.value ?? ''}`,
        owner,
        rank: typeof nodeRank?.value === 'number' ? nodeRank.value : podIndex(object),
        size,
        object,
        pod,
      };
}

/** What a person calls it: of a Deployment's pod the Deployment, not the ReplicaSet between them. */
function ownerOf(object: KubernetesObject): { kind: string; name: string } {
  const owner = listOf(dig(object, 'metadata', 'ownerReferences')).find((each) => dig(each, 'controller') === true);
  const [kind, name] = [textOf(dig(owner, 'kind')), textOf(dig(owner, 'name'))];
  if (kind === undefined || name === undefined) {
    return { kind: 'Pod', name: object.metadata.name };
  }
  const hash = object.metadata.labels?.['pod-template-hash'];
  return kind === 'ReplicaSet' && hash !== undefined && name.endsWith(`-${hash}`)
    ? { kind: 'Deployment', name: name.slice(0, -hash.length - 1) }
    : { kind, name };
}

function podIndex({ metadata: { name, labels } }: KubernetesObject): number {
  const label = labels?.['apps.kubernetes.io/pod-index'];
  return label !== undefined && integerOf(Number(label)) !== undefined
    ? Number(label)
    : (splitOrdinal(name)?.ordinal ?? 0);
}

function isOfLws({ metadata: { labels } }: KubernetesObject): boolean {
  return labels?.[LWS_NAME_LABEL] !== undefined;
}

/** Whether it is told to end. */
export function isGoing(object: KubernetesObject): boolean {
  return dig(object, 'metadata', 'deletionTimestamp') !== undefined;
}
