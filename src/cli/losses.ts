import { readGroups } from '../manifest';
import { type KubernetesObject, nameOf } from '../rules/finding';

interface Rollout {
  readonly replicas?: number;
  readonly rolloutStrategy?: {
    readonly rollingUpdateConfiguration?: { readonly maxUnavailable?: unknown; readonly maxSurge?: unknown };
  };
}

/** What requests lose when pods are told to go or die, a sentence for each group. */
export function losses(objects: readonly KubernetesObject[]): string[] {
  return objects
    .filter(({ kind }) => kind === 'LeaderWorkerSet')
    .flatMap((object) => {
      const engine = readGroups([object]).groups[0]?.leader.engine;
      if (engine === undefined) {
        return [];
      }
      const drain = engine.command.number('--shutdown-timeout') ?? 0;
      const kept =
        drain > 0
          ? `requests in flight have ${drain} s to come to their end in a rollout or a drain; a rank that dies or hangs loses them`
          : 'requests in flight are lost in a rollout or a drain, and when a rank dies or hangs (prop drainTimeout lets them come to their end in the first two)';
      const unserved = isServed(object.spec as Rollout)
        ? ''
        : '; a rollout serves nobody until the next pods are Ready (props replicas, rolloutMaxSurge)';
      return [`${nameOf(object)}: ${kept}${unserved}`];
    });
}

/** Whether a group is there at every moment of a rollout. */
function isServed({ replicas = 1, rolloutStrategy }: Rollout): boolean {
  const { maxUnavailable = 1, maxSurge = 0 } = rolloutStrategy?.rollingUpdateConfiguration ?? {};
  const isSurge = maxSurge !== 0 && maxSurge !== '0%';
  // A percentage that the library does not render is taken for less than all.
  return isSurge || typeof maxUnavailable !== 'number' || maxUnavailable < replicas;
}
