import { edit, GPU_GROUP } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { hasSizeDrift, isWrongNodeCount, ranksOf, once } from './engines';

function* check(input: RuleInput): Iterable<Report> {
  for (const rank of ranksOf(input)) {
    const { group, settings } = rank;
    // Where the ranks do not agree, vllm/rank-flag-drift says so.
    if (isWrongNodeCount(rank) && !hasSizeDrift(rank)) {
      const [nnodes, size] = [settings.nnodes.value!, group.size!];
      yield {
        object: group.object,
        path: settings.nnodes.path,
        what: `--nnodes is ${settings.nnodes.isGiven ? nnodes : 'not given, so 1,'} and the group has ${size} ${size === 1 ? 'pod' : 'pods'}`,
        why:
          nnodes > size
            ? 'the ranks wait for pods that the group never gets, until the start times out'
            : `the pods with an index of ${nnodes} and more are refused: --node-rank ends at ${nnodes - 1}`,
      };
    }
  }
}

export const nnodesGroupSize: Rule = {
  id: 'vllm/nnodes-group-size',
  severity: 'error',
  title: 'the number of nodes is not the size of the group',
  why: 'each pod of a group is one node of the engine',
  fix: 'write --nnodes=$(LWS_GROUP_SIZE), or make both numbers the same',
  source: 'vllm/engine/arg_utils.py; LWS, the size of a group',
  get bad() {
    return edit(GPU_GROUP, ['--nnodes=2', '--nnodes=4']);
  },
  get good() {
    return edit(GPU_GROUP, ['--nnodes=2', '--nnodes=$(LWS_GROUP_SIZE)']);
  },
  check: once(check),
};
