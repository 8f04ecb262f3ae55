import { edit, GPU_GROUP } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { environmentPathOf, isMultiNode, oncePerObject, ranksOf } from './engines';

const VARIABLE = 'VLLM_HOST_IP';

function* check(input: RuleInput): Iterable<Report> {
  for (const rank of ranksOf(input)) {
    const { group, engine, command } = rank;
    const isUnset =
      engine.variable(VARIABLE) === undefined && engine.environment.unread.length === 0 && command.isComplete;
    if (isMultiNode(rank) && isUnset) {
      yield { object: group.object, path: environmentPathOf(engine), what: `${VARIABLE} is not set` };
    }
  }
}

export const hostIpUnset: Rule = {
  id: 'vllm/host-ip-unset',
  severity: 'note',
  title: 'a rank guesses the address that it tells its peers',
  why: 'vLLM takes the address of its default route; with several networks, or without a route, that is not the one its peers reach',
  fix: 'set VLLM_HOST_IP from fieldPath: status.podIP in every pod',
  source: 'vllm/utils/network_utils.py',
  get bad() {
    return edit(GPU_GROUP, ['name: VLLM_HOST_IP', 'name: POD_IP']);
  },
  good: GPU_GROUP,
  check: oncePerObject(check),
};
