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

/** First release of the controller that can do each thing which the rendering asks for. */
export const LWS_SINCE = {
  /** The worker index came with 0.6, a rollout partition with 0.7. */
  partition: '0.7.0',
  /** maxUnavailable 0 with a surge; before, it is accepted and then fails in the controller's log alone. */
  surgeAlone: '0.9.0',
  /** The upper bound of replicas; before, any number that 32 bits hold is taken. */
  replicasBound: '0.10.0',
} as const;

/** Splits the name of something that LWS made one of for each group: `gemma-1` gives `gemma` and 1. */
export function splitOrdinal(name: string): { base: string; ordinal: number } | undefined {
  const found = /^(.+)-(0|[1-9]\d*)$/.exec(name);
  return found ? { base: found[1]!, ordinal: Number(found[2]) } : undefined;
}
