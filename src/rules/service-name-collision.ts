import { type Finding, type KubernetesObject, nameOf, type ObjectSet } from './finding';

interface LeaderWorkerSetSpec {
  readonly networkConfig?: { readonly subdomainPolicy?: string };
}

/** A Service that has the name of a group's headless Service is silently kept, and the leader gets no address. */
export function* serviceNameCollision(set: ObjectSet): Iterable<Finding> {
  const shared = new Map<string, KubernetesObject>();
  const numbered = new Map<string, KubernetesObject[]>();
  for (const service of set.ofKind('Service')) {
    const { name, namespace = '' } = service.metadata;
    shared.set(`${namespace}|${name}`, service);
    const base = /^(.+)-(?:0|[1-9]\d*)$/.exec(name)?.[1];
    if (base !== undefined) {
      const key = `${namespace}|${base}`;
      const known = numbered.get(key);
      if (known) {
        known.push(service);
      } else {
        numbered.set(key, [service]);
      }
    }
  }
  for (const lws of set.ofKind('LeaderWorkerSet')) {
    const { subdomainPolicy } = ((lws.spec ?? {}) as LeaderWorkerSetSpec).networkConfig ?? {};
    const key = `${lws.metadata.namespace ?? ''}|${lws.metadata.name}`;
    const taken = shared.get(key);
    // One headless Service for the whole set, or one for each group, with its ordinal.
    const collisions = subdomainPolicy === 'UniquePerReplica' ? (numbered.get(key) ?? []) : taken ? [taken] : [];
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
