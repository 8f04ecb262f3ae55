import { didYouMean } from '../common/nearest';
import { PLAN_WARNINGS } from '../fit/warning-ids';
import { RULES } from './index';

/** Every finding that can be accepted: the warnings of the planner, and the rules. */
export function findingIds(): string[] {
  return [...Object.keys(PLAN_WARNINGS), ...RULES.map(({ id }) => id)];
}

/** Checks the name of a finding that somebody typed. */
export function checkFindingId(id: string): string {
  const known = findingIds();
  if (!known.includes(id)) {
    throw new Error(
      `finding '${id}' is not known${didYouMean(id, known)} (docs/rules/README.md lists the rules, docs/plan.md the warnings of the planner)`,
    );
  }
  return id;
}
