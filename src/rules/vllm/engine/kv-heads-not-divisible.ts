import { headsProblem } from '../../../fit/split';
import { edit, GPU_GROUP } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine } from './engines';
import { modelOf } from './models';

const check = eachEngine(function* (at) {
  const { value, path } = at.settings.tensorParallelSize;
  const model = modelOf(at);
  if (model === undefined || value === undefined || !Number.isSafeInteger(value) || value < 2) {
    return;
  }
  const problem = headsProblem(model, value);
  if (problem !== undefined) {
    const heads = `${model.attentionHeads} attention heads and ${model.keyValue.heads} key and value heads`;
    yield {
      path,
      what: `tensor-parallel-size is ${value}; ${model.name} has ${heads}`,
      why: `vLLM refuses to start: ${problem.why}`,
      fix: problem.fix.replace('it takes', 'take one of'),
    };
  }
});

export const kvHeadsNotDivisible: Rule = {
  id: 'vllm/kv-heads-not-divisible',
  severity: 'error',
  title: 'the heads of the model cannot be shared by the tensor-parallel ranks',
  why: 'each rank needs a whole number of heads, and vLLM refuses to start',
  fix: 'take a tensor-parallel size that divides them',
  holds: 'models of the catalogue',
  source: 'config/model.py and layers/linear.py of vLLM; refused by 0.32.0',
  get bad() {
    return edit(GPU_GROUP, ['Qwen/Qwen3-235B-A22B', 'microsoft/phi-4']);
  },
  good: GPU_GROUP,
  check,
};
