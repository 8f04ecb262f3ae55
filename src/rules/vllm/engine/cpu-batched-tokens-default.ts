import { CPU_GROUP, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine, isCpu, isReadWhole } from './engines';

const check = eachEngine(function* (at) {
  const { maxNumBatchedTokens: tokens, pipelineParallelSize: stages, tensorParallelSize: shares } = at.settings;
  const isLeft = !tokens.isGiven && isReadWhole(at);
  if (isCpu(at) && isLeft && stages.value !== undefined && stages.value > 1 && shares.value !== undefined) {
    yield {
      path: tokens.path,
      what: `max-num-batched-tokens is left at its default of ${2048 * stages.value * shares.value} in a pipeline of ${stages.value} stages`,
    };
  }
});

export const cpuBatchedTokensDefault: Rule = {
  id: 'vllm/cpu-batched-tokens-default',
  severity: 'note',
  title: 'a pipeline on CPU with the default number of batched tokens',
  why: 'the default doubles with each stage: a long prompt stops every other stream for its whole length, five times as long as with 256',
  fix: 'give --max-num-batched-tokens=256 to every rank (512 for models that read images)',
  holds: 'pipelines on CPU',
  source: 'engine/arg_utils.py; measured on 0.31.0',
  get bad() {
    return edit(CPU_GROUP, ['              - --max-num-batched-tokens=256\n', '']);
  },
  good: CPU_GROUP,
  check,
};
