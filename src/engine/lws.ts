/** Names that LeaderWorkerSet gives to what it makes. Source: pkg/utils and api/leaderworkerset/v1 of sigs.k8s.io/lws. */
export const LWS_PREFIX = 'leaderworkerset.sigs.k8s.io/';
export const LWS_NAME_LABEL = `${LWS_PREFIX}name`;
export const LWS_WORKER_INDEX_LABEL = `${LWS_PREFIX}worker-index`;

/** Variables that LWS puts first into every container of a group; entries of the same name are dropped without a word. */
export const LWS_LEADER_ADDRESS = 'LWS_LEADER_ADDRESS';
export const LWS_WORKER_INDEX = 'LWS_WORKER_INDEX';
export const LWS_VARIABLES: readonly string[] = [LWS_LEADER_ADDRESS, LWS_WORKER_INDEX, 'LWS_GROUP_SIZE'];

/**
 * Longest name of a LeaderWorkerSet. The worker StatefulSet is called `<name>-<group>`, and its revision label adds a
 * hyphen and up to ten characters to that within the 63 of a label value.
 */
export function longestGroupName(groups: number, size: number): number {
  return size === 1 ? 52 : 51 - String(Math.max(0, groups - 1)).length;
}
