import { LWS_PREFIX } from '../../engine/lws';
import type { KubernetesObject } from '../finding';
import { get, textMapOf } from '../../manifest/json';
import { compareVersions } from '../../common/versions';

/** Newest release of LWS whose labels and annotations were read. */
const NEWEST_READ = '0.10.0';

/** What LWS puts on pods, without its prefix; those of subgroups only where there are some. Source: api/leaderworkerset/v1. */
const PLAIN: Readonly<Record<KeyKind, readonly string[]>> = {
  labels: ['name', 'group-index', 'worker-index', 'group-key', 'template-revision-hash'],
  annotations: ['size', 'leader-name', 'exclusive-topology', 'subdomainPolicy', 'leader-requests-tpus'],
};
const OF_SUBGROUPS: Readonly<Record<KeyKind, readonly string[]>> = {
  labels: ['subgroup-index', 'subgroup-key'],
  annotations: ['subgroup-size', 'subgroup-policy-type', 'subgroup-exclusive-topology'],
};

/** What a user may set on a LeaderWorkerSet. */
export const GROUP_ANNOTATIONS = [
  'exclusive-topology',
  'subgroup-exclusive-topology',
  'experimental-recreate-group-after-start',
].map((key) => LWS_PREFIX + key);

export type KeyKind = 'labels' | 'annotations';

/** Prefixes of LWS: its own, the API group that people take for it, and the one of its first releases. */
const PREFIXES = [LWS_PREFIX, 'leaderworkerset.x-k8s.io/', 'leaderworkerset.gke.io/'];

/** Whether a label or annotation would be one of LWS. */
export function isOfLws(key: string): boolean {
  return PREFIXES.some((prefix) => key.startsWith(prefix));
}

/** The labels or annotations that the pods of a LeaderWorkerSet get. */
export function keysOfPods(kind: KeyKind, lws: KubernetesObject): string[] {
  const hasSubgroups = get(get(lws.spec, 'leaderWorkerTemplate'), 'subGroupPolicy') !== undefined;
  return [...PLAIN[kind], ...(hasSubgroups ? OF_SUBGROUPS[kind] : [])].map((key) => LWS_PREFIX + key);
}

/** All that any release puts anywhere, or takes. */
export const ALL_KEYS: readonly string[] = [
  ...[PLAIN, OF_SUBGROUPS].flatMap(({ labels, annotations }) => [...labels, ...annotations]),
  'replicas',
].map((key) => LWS_PREFIX + key);

/** Whether a cluster's LWS is newer than what was read, and may know more. */
export function mayKnowMore(lws: string | undefined): boolean {
  return lws !== undefined && compareVersions(lws, NEWEST_READ) > 0;
}

/** The annotations of an object that belong to LWS. */
export function annotationsOfLws(object: KubernetesObject): string[] {
  return [...textMapOf(object.metadata.annotations).keys()].filter(isOfLws);
}
