import { GATES } from '../engine/gates';
import { holdsIn } from '../engine/releases';
import { type KvCacheRules, NEWEST_RULES } from './kv-cache';

/** How a release counts its cache, where that is known. */
export interface KvFormula {
  readonly rules: KvCacheRules;
  /** Whether tokens of all steps that run at once are in flight, or those of one. */
  readonly countsAllBatches: boolean;
}

/**
 * The first release with pipelines on CPU: its code was run on 4,000 configurations, and its log read. What came in between
 * changed in four places, one release at a time.
 */
const OLDEST: KvFormula = {
  rules: { keepsNullBlock: false, roundsSlidingBlocks: false, logsConcurrency: false },
  countsAllBatches: false,
};

/** The formula of a release; none where nobody measured it. */
export function kvFormula(release: string): KvFormula | undefined {
  if (holdsIn(GATES.kvNumbers, release)) {
    return { rules: NEWEST_RULES, countsAllBatches: true };
  }
  return release === '0.20.0' ? OLDEST : undefined;
}

/** Why there is none, for a person. */
export function kvFormulaWord(release: string): string {
  return `nobody measured the formula of ${release}; it is known for 0.20.0, ${GATES.kvNumbers.since} and ${GATES.kvNumbers.until}, and changed in between`;
}
