import { CPU_GROUP, edit } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { ranksOf, once } from './engines';

function* check(input: RuleInput): Iterable<Report> {
  for (const { group, settings } of ranksOf(input)) {
    const { executor, pipelineParallelSize } = settings;
    const stages = pipelineParallelSize.value;
    if (executor.value === 'uni' && stages !== undefined && stages > 1) {
      yield {
        object: group.object,
        path: executor.path,
        what: `--distributed-executor-backend is uni in a pipeline of ${stages} stages`,
      };
    }
  }
}

export const uniPipeline: Rule = {
  id: 'vllm/uni-pipeline',
  severity: 'error',
  title: 'a pipeline in a single process',
  why: 'vLLM refuses to start: a pipeline needs a process for each stage',
  fix: 'take mp',
  source: 'vllm/engine/arg_utils.py; run on 0.32.0',
  get bad() {
    return edit(CPU_GROUP, ['--distributed-executor-backend=mp', '--distributed-executor-backend=uni']);
  },
  good: CPU_GROUP,
  check: once(check),
};
