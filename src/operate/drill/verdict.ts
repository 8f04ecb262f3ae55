import type { Bound } from '../bounds';
import type { DrillFaultReport } from './report';

/** What a fault is judged by. */
export interface Judged {
  /** UIDs by rank; of what came after it, empty for none. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly total: number | undefined;
  readonly overhead: number | undefined;
  readonly bound: Bound | undefined;
  /** Whether the fault is one that no request comes to its end with. */
  readonly isHang: boolean;
  /** So long it was waited for. */
  readonly seconds: number;
  /** Seconds that the leader gives its requests, where the fault lets it. */
  readonly drain: number;
  readonly request: DrillFaultReport['request'];
}

/** What is not part of any bound: the controllers, the scheduler, this measurement. */
export const SLACK_SECONDS = 10;

/** Whether it healed as one group, by itself, within its bound, and without losing what was to be kept. */
export function verdictOf(judged: Judged): Pick<DrillFaultReport, 'held' | 'said'> {
  const said = failureOf(judged);
  return said === undefined ? { held: 'yes', said: 'it healed by itself, as one group' } : { held: 'no', said };
}

function failureOf(judged: Judged): string | undefined {
  const { before, after, total, overhead, bound, isHang, seconds, drain, request } = judged;
  const old = after.flatMap((uid, rank) => (before.includes(uid) ? [rank] : []));
  const missing = after.flatMap((uid, rank) => (uid === '' ? [rank] : []));
  if (old.length === after.length) {
    // What ends later does so because the fault has been put right.
    return isHang && request.isWhole && request.seconds < seconds
      ? 'it broke nothing: a request came to its end all the same, and every pod is still the one that it was'
      : `nothing ended it within ${seconds} s: every pod is still the one that it was`;
  }
  if (old.length > 0 || missing.length > 0) {
    return [
      ...(old.length > 0 ? [`rank ${old.join(', ')} was not made anew with the others`] : []),
      ...(missing.length > 0 ? [`rank ${missing.join(', ')} has no pod`] : []),
    ].join('; ');
  }
  if (total === undefined) {
    return `no request was answered within ${seconds} s`;
  }
  if (bound === undefined) {
    return 'it healed, though nothing in the manifest ends a hang: set stepTimeout (VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS)';
  }
  const limit = bound.seconds + SLACK_SECONDS;
  if (overhead === undefined || overhead > limit) {
    return `it healed, and took longer than the ${limit} s that the manifest allows`;
  }
  return drain > 0 && !request.isWhole
    ? `it healed, and lost the request in flight, although the leader drains for ${drain} s`
    : undefined;
}
