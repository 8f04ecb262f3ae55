import { type Finding, type KubernetesObject, nameOf, type ObjectSet } from './finding';

interface LeaderWorkerSetSpec {
  readonly replicas?: number;
  readonly rolloutStrategy?: { readonly rollingUpdateConfiguration?: { readonly maxSurge?: unknown } };
  readonly leaderWorkerTemplate?: { readonly size?: number };
}

/**
 * LWS makes a StatefulSet `<name>` for the leaders and `<name>-<group>` for the workers of each group. Another group, or a
 * StatefulSet, of such a name takes it over, and the two destroy each other.
 */
export function* statefulSetNameCollision(set: ObjectSet): Iterable<Finding> {
  const key = (object: KubernetesObject, name: string): string => `${object.metadata.namespace ?? ''}|${name}`;
  const groups = new Map(set.ofKind('LeaderWorkerSet').map((lws) => [key(lws, lws.metadata.name), lws]));
  if (groups.size === 0) {
    return;
  }
  for (const object of [...set.ofKind('LeaderWorkerSet'), ...set.ofKind('StatefulSet')]) {
    const { name } = object.metadata;
    const numbered = /^(.+)-(0|[1-9]\d*)$/.exec(name);
    const owner = numbered ? groups.get(key(object, numbered[1]!)) : undefined;
    const taken =
      owner && Number(numbered![2]) < groupsOf(owner)
        ? owner
        : object.kind === 'StatefulSet'
          ? groups.get(key(object, name))
          : undefined;
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
  const spec = (lws.spec ?? {}) as LeaderWorkerSetSpec;
  if ((spec.leaderWorkerTemplate?.size ?? 1) === 1) {
    return 0;
  }
  const surge = spec.rolloutStrategy?.rollingUpdateConfiguration?.maxSurge;
  return (spec.replicas ?? 1) + (typeof surge === 'number' ? surge : 0);
}
