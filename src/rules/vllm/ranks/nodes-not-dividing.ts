import { CPU_GROUP, edit } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { hasSizeDrift, isMultiNode, isPlacedElsewhere, isWrongNodeCount, ranksOf, once } from './engines';

function* check(input: RuleInput): Iterable<Report> {
  for (const rank of ranksOf(input)) {
    const { group, settings } = rank;
    const { nnodes, worldSize } = settings;
    if (
      isMultiNode(rank) &&
      !isPlacedElsewhere(rank) &&
      worldSize !== undefined &&
      worldSize % nnodes.value! !== 0 &&
      // Both are said by rules of their own, and this follows from them.
      !isWrongNodeCount(rank) &&
      !hasSizeDrift(rank)
    ) {
      yield {
        object: group.object,
        path: nnodes.path,
        what: `--nnodes is ${nnodes.value} and the engine has ${worldSize} ${worldSize === 1 ? 'rank' : 'ranks'} (pipeline × tensor × data parallel)`,
        fix: `take a multiple of ${nnodes.value} ranks: a pipeline of ${nnodes.value} stages, for example`,
      };
    }
  }
}

export const nodesNotDividing: Rule = {
  id: 'vllm/nodes-not-dividing',
  severity: 'error',
  title: 'the ranks of the engine do not divide by its nodes',
  why: 'vLLM refuses to start: each node runs the same number of ranks',
  fix: 'take a multiple of the nodes',
  source: 'vllm/engine/arg_utils.py; run on 0.32.0',
  get bad() {
    return edit(CPU_GROUP, ['              - --pipeline-parallel-size=2\n', '']);
  },
  good: CPU_GROUP,
  check: once(check),
};
