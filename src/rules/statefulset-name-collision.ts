import { splitOrdinal } from '../engine/lws';
import { type Finding, type KubernetesObject, nameOf, type ObjectSet, placeOf } from './finding';
import { groupSpecOf } from './group-spec';

/**
 * LWS makes a StatefulSet `<name>` for the leaders and `<name>-<group>` for the workers of each group. Another group, or a
 * StatefulSet, of such a name takes it over, and the two destroy each other.
 */
export function* statefulSetNameCollision(set: ObjectSet): Iterable<Finding> {
  const groups = new Map(set.ofKind('LeaderWorkerSet').map((lws) => [placeOf(lws), lws]));
  if (groups.size === 0) {
    return;
  }
  for (const object of [...set.ofKind('LeaderWorkerSet'), ...set.ofKind('StatefulSet')]) {
    const numbered = splitOrdinal(object.metadata.name);
    const owner = numbered && groups.get(placeOf(object, numbered.base));
    const isOfWorkers = owner !== undefined && numbered!.ordinal < groupsOf(owner);
    const isOfLeaders = object.kind === 'StatefulSet';
    const taken = isOfWorkers ? owner : isOfLeaders ? groups.get(placeOf(object)) : undefined;
    if (taken) {
      yield {
        id: 'lws/statefulset-name-collision',
        severity: 'error',
        object,
        path: 'metadata.name',
        what: `${nameOf(object)} has the name of a StatefulSet that LWS makes for ${nameOf(taken)}`,
        why: 'both claim it, and the pods of one are taken down for those of the other',
        fix: 'take a name that is not the other one with a number behind it',
      };
    }
  }
}

/** Groups that may exist at once; a group of one pod has no StatefulSet of its own. */
function groupsOf(lws: KubernetesObject): number {
  const { replicas = 1, rolloutStrategy, leaderWorkerTemplate } = groupSpecOf(lws);
  const surge = rolloutStrategy?.rollingUpdateConfiguration?.maxSurge;
  return (leaderWorkerTemplate?.size ?? 1) === 1 ? 0 : replicas + (typeof surge === 'number' ? surge : 0);
}
