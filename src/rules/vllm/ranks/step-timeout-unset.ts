import { CPU_GROUP, edit } from '../../examples';
import { GATES } from '../../../engine/gates';
import type { Report, Rule, RuleInput } from '../../rule';
import { environmentPathOf, isFollower, isMultiNode, ranksOf, once } from './engines';

const VARIABLE = 'VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS';

function* check(input: RuleInput): Iterable<Report> {
  for (const rank of ranksOf(input)) {
    const { group, engine, command } = rank;
    const isUnset =
      engine.variable(VARIABLE) === undefined && engine.environment.unread.length === 0 && command.isComplete;
    if (isMultiNode(rank) && !isFollower(rank) && isUnset) {
      yield { object: group.object, path: environmentPathOf(engine), what: `${VARIABLE} is not set on the leader` };
    }
  }
}

export const stepTimeoutUnset: Rule = {
  id: 'vllm/step-timeout-unset',
  severity: 'note',
  title: 'a hung worker is noticed late',
  why: 'the leader never notices that a worker hangs: /health stays 200, and a step ends after 300 s alone',
  fix: `set ${VARIABLE} to a minute, or four times the longest step if that is more`,
  source: GATES.hangIsUnseen.source,
  get bad() {
    return edit(CPU_GROUP, [`              - { name: ${VARIABLE}, value: "120" }\n`, '']);
  },
  good: CPU_GROUP,
  check: once(check),
};
