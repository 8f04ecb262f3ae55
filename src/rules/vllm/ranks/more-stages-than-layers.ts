import { edit, GPU_GROUP } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { ranksOf, once } from './engines';
import { modelOf } from './shapes';

function* check(input: RuleInput): Iterable<Report> {
  for (const rank of ranksOf(input)) {
    const { group, settings } = rank;
    const stages = settings.pipelineParallelSize;
    const model = stages.value === undefined || stages.value < 2 ? undefined : modelOf(rank);
    if (model !== undefined && stages.value! > model.layers) {
      yield {
        object: group.object,
        path: stages.path,
        what: `--pipeline-parallel-size is ${stages.value}; ${model.name} has ${model.layers} layers`,
        fix: `take at most ${model.layers} stages`,
      };
    }
  }
}

const MANY = (): string =>
  edit(
    GPU_GROUP,
    ['--pipeline-parallel-size=2', '--pipeline-parallel-size=32'],
    ['--nnodes=2', '--nnodes=32'],
    ['    size: 2\n', '    size: 32\n'],
    ['Qwen/Qwen3-235B-A22B', 'Qwen/Qwen3-0.6B'],
  );

export const moreStagesThanLayers: Rule = {
  id: 'vllm/more-stages-than-layers',
  severity: 'warning',
  title: 'more pipeline stages than layers',
  why: 'vLLM takes it and leaves stages without a layer, which pass on what they get and keep a node busy',
  fix: 'take at most one stage for each layer',
  source: 'vllm/distributed/utils.py get_pp_indices',
  get bad() {
    return MANY();
  },
  get good() {
    return edit(MANY(), ['Qwen/Qwen3-0.6B', 'Qwen/Qwen3-32B']);
  },
  check: once(check),
};
