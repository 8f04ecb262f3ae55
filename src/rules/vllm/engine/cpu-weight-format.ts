import type { Rule } from '../../rule';
import { CPU_POD } from '../../examples';
import { eachEngine, type EngineAt, isArm, isCpu, nodesOf } from './engines';
import { withArguments } from './manifests';
import { modelOf } from './models';

/** Methods that no CPU kernel takes. */
const GPU_ALONE = new Set(['mxfp4', 'nvfp4', 'modelopt_fp4', 'bitsandbytes', 'awq_marlin', 'gptq_marlin', 'marlin']);
/** Endings by which repositories say it. */
const NAMES = /-(nvfp4|mxfp4|bnb-4bit)(-|$)/i;

/** Whether the nodes lack the matrix tiles that fp8 weights need; `undefined` when they are not known. */
function lacksTiles(at: EngineAt): boolean | undefined {
  const nodes = nodesOf(at.pod);
  return isArm(at) ? true : nodes && nodes.some(({ processor }) => !processor.isa.amx);
}

const check = eachEngine(function* (at) {
  const { quantization, model } = at.settings;
  if (!isCpu(at)) {
    return;
  }
  if (quantization.isGiven) {
    if (GPU_ALONE.has(quantization.value ?? '')) {
      yield { path: quantization.path, what: `quantization is ${quantization.value} on CPU` };
    }
    return;
  }
  const format = modelOf(at)?.weights.name ?? NAMES.exec(model.value ?? '')?.[1]?.toLowerCase();
  if (format === 'mxfp4' || format === 'nvfp4' || format === 'bnb-4bit') {
    yield { path: model.path, what: `the weights of ${model.value} are ${format}, and the engine runs on CPU` };
  } else if (format === 'fp8') {
    const lacks = lacksTiles(at);
    if (lacks !== false) {
      yield {
        path: model.path,
        what:
          `the weights of ${model.value} are fp8, for which the CPU build needs AMX` +
          (lacks === true ? ', and the nodes have none' : ''),
        fix: 'take Intel nodes from Sapphire Rapids on (m7i), GPUs, or a repository with bfloat16 weights',
        ...(lacks === undefined && { severity: 'note' as const }),
      };
    }
  }
});

export const cpuWeightFormat: Rule = {
  id: 'vllm/cpu-weight-format',
  severity: 'error',
  title: 'weights in a format that has no CPU kernel',
  why: 'vLLM runs this format on GPUs alone and refuses it at its start',
  fix: 'take a repository with bfloat16 weights, or GPUs',
  holds: 'engines on CPU',
  source: 'docs/features/quantization and scaled_mm/cpu.py of vLLM',
  get bad() {
    return withArguments('--quantization=bitsandbytes');
  },
  good: CPU_POD,
  check,
};
