import type { KubernetesObject } from './finding';

/** What rules read of a LeaderWorkerSet; anyone may have written it, so nothing is taken for granted. */
export interface GroupSpec {
  readonly replicas?: number;
  readonly networkConfig?: { readonly subdomainPolicy?: string };
  readonly rolloutStrategy?: {
    readonly rollingUpdateConfiguration?: { readonly maxUnavailable?: unknown; readonly maxSurge?: unknown };
  };
  readonly leaderWorkerTemplate?: { readonly size?: number };
}

/** The spec of a LeaderWorkerSet. */
export function groupSpecOf(object: KubernetesObject): GroupSpec {
  return object.spec ?? {};
}
