import { splitOrdinal } from '../engine/lws';
import { type Finding, type KubernetesObject, nameOf, type ObjectSet, placeOf } from './finding';
import { groupSpecOf } from './group-spec';

/** A Service that has the name of a group's headless Service is silently kept, and the leader gets no address. */
export function* serviceNameCollision(set: ObjectSet): Iterable<Finding> {
  const shared = new Map<string, KubernetesObject>();
  const numbered = new Map<string, KubernetesObject[]>();
  for (const service of set.ofKind('Service')) {
    shared.set(placeOf(service), service);
    const numberedName = splitOrdinal(service.metadata.name);
    if (numberedName) {
      const place = placeOf(service, numberedName.base);
      const known = numbered.get(place);
      if (known) {
        known.push(service);
      } else {
        numbered.set(place, [service]);
      }
    }
  }
  for (const lws of set.ofKind('LeaderWorkerSet')) {
    const taken = shared.get(placeOf(lws));
    // One headless Service for the whole set, or one for each group, with its ordinal.
    const isUnique = groupSpecOf(lws).networkConfig?.subdomainPolicy === 'UniquePerReplica';
    const collisions = isUnique ? (numbered.get(placeOf(lws)) ?? []) : taken ? [taken] : [];
    for (const service of collisions) {
      yield {
        id: 'lws/service-name-collision',
        severity: 'error',
        object: service,
        path: 'metadata.name',
        what: `Service '${service.metadata.name}' has the name of the headless Service of ${nameOf(lws)}`,
        why: 'the LWS controller keeps it as it is, so the address of the leader never resolves and no rank joins',
        fix: `give the Service another name, for example '${lws.metadata.name}-leader'`,
      };
    }
  }
}
