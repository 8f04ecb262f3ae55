import { GATES } from '../../../engine/gates';
import { CPU_GROUP, edit } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { holdsFor, imageWords, isMultiNode, platformOf, ranksOf, weakened, once } from './engines';

const { since } = GATES.cpuPipeline;

function* check(input: RuleInput): Iterable<Report> {
  for (const rank of ranksOf(input)) {
    const { group, engine, settings } = rank;
    const stages = settings.pipelineParallelSize.value;
    const holds = holdsFor(GATES.cpuPipeline, engine.image);
    if (platformOf(engine) === 'cpu' && isMultiNode(rank) && stages !== undefined && stages > 1 && holds !== true) {
      yield {
        object: group.object,
        path: `${engine.path}.image`,
        what:
          holds === false
            ? `${imageWords(engine.image)} cannot run ${stages} pipeline stages on several nodes`
            : `${imageWords(engine.image)} does not say its release, and ${stages} pipeline stages on several nodes need ${since}`,
        ...weakened(holds === false),
      };
    }
  }
}

export const cpuPipelineVersion: Rule = {
  id: 'vllm/cpu-pipeline-version',
  severity: 'error',
  title: 'a CPU image too old for a pipeline over nodes',
  why: 'it lacks the call that receives tensors from the stage before: /health answers 200 and the first request 500',
  fix: `take vLLM ${since} or newer`,
  holds: `vLLM before ${since}`,
  source: `${GATES.cpuPipeline.source}; vllm-project/vllm#37933`,
  get bad() {
    return edit(
      CPU_GROUP,
      ['vllm/vllm-openai-cpu:v0.31.0-x86_64', 'vllm/vllm-openai-cpu:v0.19.1-x86_64'],
      ['              - -cc.mode=2\n              - -cc.backend=eager\n', ''],
    );
  },
  good: CPU_GROUP,
  check: once(check),
};
