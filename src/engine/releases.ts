import { compareVersions } from '../common/versions';
import { type Gate, type GateId, GATES } from './gates';

/**
 * The vLLM releases that the gates were judged for. A newer one is taken on the user's word only
 * (`VllmVersion.of('0.34.0', { like: '0.32.0' })`); adding one is reading its code, and then changing the newest here.
 */
export const OLDEST_RELEASE = '0.20.0';
export const NEWEST_RELEASE = '0.32.0';

/** First release of each thing that the rendering depends on. */
export const SINCE = {
  cpuPipeline: GATES.cpuPipeline.since,
  unboundThreads: GATES.unboundThreads.since,
} as const;

/** Whether something holds in a release; `until` is the last release that it holds in. */
export function holdsIn({ since, until }: Pick<Gate, 'since' | 'until'>, release: string): boolean {
  return (
    (since === undefined || compareVersions(release, since) >= 0) &&
    (until === undefined || compareVersions(release, until) <= 0)
  );
}

/** What a release can do and breaks on. */
export function gatesOf(release: string): ReadonlyMap<GateId, Gate> {
  return new Map((Object.entries(GATES) as [GateId, Gate][]).filter(([, gate]) => holdsIn(gate, release)));
}
