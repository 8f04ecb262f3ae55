import { GATES } from '../../../engine/gates';
import { edit, GPU_GROUP } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { holdsFor, type Rank, ranksOf, weakened, once } from './engines';
import { isKnownRelease, modelOf } from './shapes';

function* check(input: RuleInput): Iterable<Report> {
  for (const rank of ranksOf(input)) {
    const { group, settings } = rank;
    const stages = settings.pipelineParallelSize;
    const found = stages.value === undefined || stages.value <= 1 ? undefined : problemOf(rank);
    if (found !== undefined) {
      yield {
        object: group.object,
        path: stages.path,
        what: `--pipeline-parallel-size is ${stages.value}, and vLLM cannot split ${settings.model.value} into stages`,
        ...found,
      };
    }
  }
}

function problemOf(rank: Rank): Pick<Report, 'why' | 'fix' | 'severity'> | undefined {
  const model = modelOf(rank);
  if (model?.noPipeline !== undefined) {
    return { why: model.noPipeline, ...weakened(isKnownRelease(rank)) };
  }
  return model !== undefined &&
    model.modelType.startsWith('gemma4') &&
    holdsFor(GATES.gemma4Pipeline, rank.engine.image) === true
    ? { why: `Gemma 4 fails as a pipeline up to ${GATES.gemma4Pipeline.until}`, fix: 'take vLLM 0.21.0 or newer' }
    : undefined;
}

export const noPipelineSupport: Rule = {
  id: 'vllm/no-pipeline-support',
  severity: 'error',
  title: 'a model that has no pipeline',
  why: 'vLLM refuses to start: "Pipeline parallelism is not supported for this model"',
  fix: 'share each layer instead (tensor parallel), or run the model whole on a larger node',
  source: 'vllm/model_executor/models, SupportsPP',
  get bad() {
    return edit(
      GPU_GROUP,
      ['Qwen/Qwen3-235B-A22B', 'google/gemma-3n-E4B-it'],
      [
        '              - { name: VLLM_HOST_IP,',
        '              - { name: HF_TOKEN, valueFrom: { secretKeyRef: { name: hub, key: token } } }\n              - { name: VLLM_HOST_IP,',
      ],
    );
  },
  good: GPU_GROUP,
  check: once(check),
};
