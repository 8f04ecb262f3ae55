import { GATES } from '../engine/gates';
import { holdsIn } from '../engine/releases';

/** Whether the cache numbers of a release are known: measured from some release on, and another formula before. */
export function isKvFormulaMeasured(release: string): boolean {
  return holdsIn(GATES.kvNumbers, release);
}

/** Why they are not, for a person. */
export function kvFormulaWord(release: string): string {
  return `nobody measured the formula of ${release}; it is known from ${GATES.kvNumbers.since} on, and was another one before`;
}
