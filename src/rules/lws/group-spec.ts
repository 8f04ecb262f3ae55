import { dig, get, integerOf, textOf } from '../../manifest/json';
import type { KubernetesObject } from '../finding';

/** What rules read of a LeaderWorkerSet; anyone may have written it, so nothing is taken for granted. */
export interface GroupSpec {
  /** Groups; nothing when it is no number. */
  readonly replicas?: number;
  /** Pods of a group; nothing when it is no number. */
  readonly size?: number;
  readonly subdomainPolicy?: string;
  readonly restartPolicy?: string;
  /** A number or a percentage; anything else is for the API server to refuse. */
  readonly maxUnavailable: unknown;
  readonly maxSurge: unknown;
}

/** The spec of a LeaderWorkerSet, with the defaults that the API server fills in. */
export function groupSpecOf({ spec }: KubernetesObject): GroupSpec {
  const template = get(spec, 'leaderWorkerTemplate');
  const rollout = dig(spec, 'rolloutStrategy', 'rollingUpdateConfiguration');
  return {
    replicas: integerOf(get(spec, 'replicas') ?? 1),
    size: integerOf(get(template, 'size') ?? 1),
    subdomainPolicy: textOf(dig(spec, 'networkConfig', 'subdomainPolicy')),
    restartPolicy: textOf(get(template, 'restartPolicy')),
    maxUnavailable: get(rollout, 'maxUnavailable') ?? 1,
    maxSurge: get(rollout, 'maxSurge') ?? 0,
  };
}

/** What a number or a percentage of a whole comes to; nothing when it is neither, or more than all. */
export function shareOf(amount: unknown, whole: number, round: 'up' | 'down'): number | undefined {
  if (typeof amount === 'string') {
    const percent = /^\d+%$/.test(amount) ? Number(amount.slice(0, -1)) : NaN;
    const share = (percent * whole) / 100;
    return percent <= 100 ? (round === 'up' ? Math.ceil(share) : Math.floor(share)) : undefined;
  }
  const count = integerOf(amount);
  return count !== undefined && count >= 0 ? count : undefined;
}
