import { type Finding, type KubernetesObject, nameOf, type ObjectSet } from './finding';

interface LeaderWorkerSetSpec {
  readonly replicas?: number;
  readonly networkConfig?: { readonly subdomainPolicy?: string };
}

/** Names of the headless Services that the LWS controller makes for a LeaderWorkerSet, each with its ordinal bound. */
function takes(lws: KubernetesObject, service: string): boolean {
  const spec = (lws.spec ?? {}) as LeaderWorkerSetSpec;
  const { name } = lws.metadata;
  if (spec.networkConfig?.subdomainPolicy !== 'UniquePerReplica') {
    return service === name;
  }
  const ordinal = service.startsWith(`${name}-`) ? service.slice(name.length + 1) : '';
  return /^(0|[1-9]\d*)$/.test(ordinal);
}

/** A Service that has the name of a group's headless Service is silently kept, and the leader gets no address. */
export function* serviceNameCollision(set: ObjectSet): Iterable<Finding> {
  const key = (object: KubernetesObject, name: string): string => `${object.metadata.namespace ?? ''}|${name}`;
  const services = new Map(set.ofKind('Service').map((s) => [key(s, s.metadata.name), s]));
  if (services.size === 0) {
    return;
  }
  for (const lws of set.ofKind('LeaderWorkerSet')) {
    const unique = ((lws.spec ?? {}) as LeaderWorkerSetSpec).networkConfig?.subdomainPolicy === 'UniquePerReplica';
    const shared = services.get(key(lws, lws.metadata.name));
    const candidates = unique
      ? [...services.values()].filter((s) => s.metadata.namespace === lws.metadata.namespace)
      : shared
        ? [shared]
        : [];
    for (const service of candidates) {
      if (takes(lws, service.metadata.name)) {
        yield {
          id: 'lws/service-name-collision',
          severity: 'error',
          object: nameOf(service),
          path: 'metadata.name',
          what: `Service '${service.metadata.name}' has the name of the headless Service of ${nameOf(lws)}`,
          why: 'the LWS controller keeps it as it is, so the address of the leader never resolves and no rank joins',
          fix: `give the Service another name, for example '${lws.metadata.name}-leader'`,
        };
      }
    }
  }
}
