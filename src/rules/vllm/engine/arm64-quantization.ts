import { edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine, type EngineAt, isArm, isCpu } from './engines';
import { ARM_POD } from './manifests';
import { modelOf } from './models';

const FORMATS = ['awq', 'gptq', 'int8', 'int4'];

/** The format of the weights, by flag, catalogue or name, and where that is said. */
function formatOf(at: EngineAt): { format: string; path: string } | undefined {
  const { quantization, model } = at.settings;
  if (quantization.isGiven) {
    return quantization.value === undefined ? undefined : { format: quantization.value, path: quantization.path };
  }
  const known = modelOf(at);
  const format = known?.weights.name ?? /-(awq|gptq)(-|$)/i.exec(model.value ?? '')?.[1]?.toLowerCase();
  return format === undefined ? undefined : { format, path: model.path };
}

const check = eachEngine(function* (at) {
  const found = isCpu(at) && isArm(at) ? formatOf(at) : undefined;
  if (found !== undefined && FORMATS.includes(found.format)) {
    yield { path: found.path, what: `the weights are ${found.format}, and the engine runs on arm64 CPUs` };
  }
});

export const arm64Quantization: Rule = {
  id: 'vllm/arm64-quantization',
  severity: 'warning',
  title: 'AWQ or GPTQ weights on arm64 CPUs',
  why: 'the CPU documentation of vLLM lists this format for x86, not for Arm',
  fix: 'take a repository with bfloat16 weights, or x86 nodes',
  holds: 'engines on arm64 CPUs; documented, not run',
  source: 'docs/features/quantization of vLLM',
  get bad() {
    return edit(ARM_POD, ['Qwen/Qwen3-0.6B', 'Qwen/Qwen3-4B-AWQ']);
  },
  get good() {
    return edit(ARM_POD, ['Qwen/Qwen3-0.6B', 'Qwen/Qwen3-1.7B']);
  },
  check,
};
