import { compareVersions } from '../common/versions';
import { GATES } from '../engine/gates';
import { holdsIn } from '../engine/releases';
import { isReferenceLatent } from './defaults';
import type { PlanInput } from './plan-input';
import type { PlanFinding, PlannedSettings } from './plan-types';
import type { Settled } from './settle';
import { headsProblem, layersProblem } from './split';
import { sizeText } from './units';
import { paddedVocabulary } from './weights';

/** What vLLM refuses whatever the memory: the shape of the model, the split, number formats, block sizes. */
export function refusals({ input, settings, kv }: Settled): PlanFinding[] {
  const { model, node } = input;
  const { maxModelLen } = settings;
  return [
    ...(model.refused === undefined || compareVersions(input.vllm.judgedAs, model.refusedSince ?? '0') < 0
      ? []
      : [
          {
            id: 'fit/model-refused',
            what: `vLLM does not take ${model.name}: ${model.refused}`,
            why: 'it ends at start, whatever the memory',
            fix: 'take another model, or the release that has it',
          },
        ]),
    ...splitRefusals(input),
    ...formatRefusals(input),
    ...batchRefusals(settings),
    ...(input.skipsWarmUp === true &&
    node.accelerator === undefined &&
    input.pipelineParallelSize > 1 &&
    holdsIn(GATES.eagerBreaksPipeline, input.vllm.judgedAs)
      ? [
          {
            id: 'fit/eager-breaks-pipeline',
            what: 'the model is not compiled (--enforce-eager, or compilation mode 0), in a pipeline on CPU',
            why: 'the warm-up is skipped, which alone makes the buffer that later stages receive into: the first request ends the engine',
            fix: 'take -cc.mode=2 -cc.backend=eager',
          },
        ]
      : []),
    ...(node.accelerator === undefined
      ? cpuRefusals(input, settings.blockSize, kv?.layout.blockSizes ?? [settings.blockSize])
      : []),
    ...(maxModelLen > model.contextLength
      ? [
          {
            id: 'fit/context-too-long',
            what: `max-model-len is ${maxModelLen}; ${model.name} was made for ${model.contextLength} tokens`,
            why: 'vLLM takes no more than config.json allows',
            fix: `take at most ${model.contextLength}`,
          },
        ]
      : []),
  ];
}

function batchRefusals({ maxNumBatchedTokens, maxNumSeqs }: PlannedSettings): PlanFinding[] {
  return maxNumSeqs > maxNumBatchedTokens
    ? [
        {
          id: 'fit/batched-tokens-below-seqs',
          what: `max-num-batched-tokens is ${maxNumBatchedTokens}, less than the max-num-seqs of ${maxNumSeqs}`,
          why: 'a step holds a token of every running request: vLLM refuses to start',
          fix: `take at least ${maxNumSeqs} batched tokens, or at most ${maxNumBatchedTokens} sequences`,
        },
      ]
    : [];
}

function splitRefusals({
  model,
  vllm,
  pipelineParallelSize,
  tensorParallelSize,
  layerPartition,
}: PlanInput): PlanFinding[] {
  const heads = headsProblem(model, tensorParallelSize);
  const layers = layersProblem(model, pipelineParallelSize, layerPartition);
  const vocabulary = paddedVocabulary(model);
  return [
    ...(heads === undefined ? [] : [{ id: 'fit/heads-not-divisible', ...heads }]),
    ...(vocabulary % tensorParallelSize === 0
      ? []
      : [
          {
            id: 'fit/vocabulary-not-divisible',
            what: `the vocabulary of ${model.name}, padded to ${vocabulary}, does not divide by a tensor-parallel size of ${tensorParallelSize}`,
            why: 'each rank holds an equal part of the embedding',
            fix: 'take a tensor-parallel size that is a power of two',
          },
        ]),
    ...(layers === undefined ? [] : [{ id: 'fit/layers-not-divisible', ...layers }]),
    ...(pipelineParallelSize > 1 && /^gemma4/.test(model.modelType) && holdsIn(GATES.gemma4Pipeline, vllm.judgedAs)
      ? [
          {
            id: 'fit/no-pipeline',
            what: `${model.name} cannot be split into pipeline stages by vLLM ${vllm.judgedAs}`,
            why: 'Gemma 4 fails as a pipeline there',
            fix: 'take vLLM 0.21.0 or newer',
          },
        ]
      : []),
    ...(pipelineParallelSize > 1 && model.noPipeline !== undefined
      ? [
          {
            id: 'fit/no-pipeline',
            what: `${model.name} (${model.architecture}) cannot be split into pipeline stages`,
            why: model.noPipeline,
            fix: 'run it whole on a larger node (-pp 1)',
          },
        ]
      : []),
  ];
}

/** Source: `_FLOAT16_NOT_SUPPORTED_MODELS` of vllm/config/model.py, 0.32.0. */
const NO_FLOAT16: ReadonlySet<string> = new Set(['gemma2', 'gemma3', 'gemma3_text', 'glm4']);

function formatRefusals({ model, node, vllm, dtype, kvCacheDtype = 'auto' }: PlanInput): PlanFinding[] {
  const { isa } = node.processor;
  const onCpu = node.accelerator === undefined;
  const found: PlanFinding[] = [];
  if (dtype === 'float16' && NO_FLOAT16.has(model.modelType)) {
    found.push({
      id: 'fit/dtype-refused',
      what: `dtype is float16; vLLM does not take it for ${model.modelType}`,
      why: 'it is numerically unstable for this family',
      fix: 'take bfloat16, or float32',
    });
  }
  if (node.accelerator?.bf16 === false && (dtype ?? 'bfloat16') === 'bfloat16') {
    found.push({
      id: 'fit/dtype-refused',
      what: `dtype is bfloat16; ${node.accelerator.name} (${node.name}) does not compute it`,
      why: 'vLLM refuses bfloat16 on GPUs before Ampere',
      fix: 'take float16, or a node with newer GPUs (g5, g6)',
    });
  }
  if (onCpu && kvCacheDtype.startsWith('fp8') && !holdsIn(GATES.fp8KvCache, vllm.judgedAs)) {
    found.push({
      id: 'fit/kv-cache-dtype',
      what: `kv-cache-dtype is ${kvCacheDtype}; vLLM ${vllm.judgedAs} does not take it on CPU`,
      why: `a cache in fp8 came with ${GATES.fp8KvCache.since}`,
      fix: `leave it at auto, or take vLLM ${GATES.fp8KvCache.since} or newer`,
    });
  } else if (onCpu && kvCacheDtype.startsWith('fp8') && !isa.avx512) {
    found.push({
      id: 'fit/kv-cache-dtype',
      what: `kv-cache-dtype is ${kvCacheDtype}; ${node.processor.name} has no AVX-512`,
      why: 'the CPU kernels for a cache in fp8 are written for x86 with AVX-512 alone',
      fix: 'leave it at auto, or take an x86 node with AVX-512 (m7i, m7a)',
    });
  }
  if (onCpu && kvCacheDtype.startsWith('fp8') && model.keyValue.headSize % 32 !== 0) {
    found.push({
      id: 'fit/kv-cache-dtype',
      what: `kv-cache-dtype is ${kvCacheDtype}; the head size of ${model.name}, ${model.keyValue.headSize}, is no multiple of 32`,
      why: 'the CPU kernels for a cache in fp8 take multiples of 32',
      fix: 'leave it at auto',
    });
  }
  return found;
}

/** Head sizes of the CPU attention kernel: its list, and 48, which was run. 16, 40 and 384 were run and failed. */
const CPU_HEAD_SIZES: ReadonlySet<number> = new Set([32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 512]);

/** Methods of quantization that the CPU backend has no kernel for. Source: the kernels of vllm/model_executor of 0.32.0, read. */
const METHODS_WITHOUT_CPU: ReadonlySet<string> = new Set([
  'bitsandbytes',
  'hqq',
  'torchao',
  'gguf',
  'modelopt_fp4',
  'moe_wna16',
]);

/** Weight formats that no CPU kernel takes. */
const NOT_ON_CPU: ReadonlySet<string> = new Set(['mxfp4', 'nvfp4']);

function cpuRefusals(
  { model, node, vllm }: PlanInput,
  blockSize: number,
  blockSizes: readonly number[],
): PlanFinding[] {
  const found: PlanFinding[] = [];
  const release = vllm.judgedAs;
  if (model.latentSize !== undefined && !holdsIn(GATES.mlaOnCpu, release)) {
    found.push({
      id: 'fit/latent-attention',
      what: `${model.name} has latent attention (MLA), which vLLM ${release} does not run on CPU`,
      why: `its CPU kernel came with ${GATES.mlaOnCpu.since}`,
      fix: `take vLLM ${GATES.mlaOnCpu.since} or newer`,
    });
  }
  const step = holdsIn(GATES.blockSize32, release) ? 32 : holdsIn(GATES.blockSize16, release) ? 16 : 1;
  if (!isReferenceLatent(model, node) && blockSizes.some((size) => size % step !== 0)) {
    found.push({
      id: 'fit/block-size',
      what: `block-size is ${blockSize}; the CPU backend of vLLM ${release} takes multiples of ${step}`,
      why: `its attention kernel knows no other: vLLM ends with "No common block size for ${blockSizes.find((size) => size % step !== 0)}"`,
      fix: 'leave it at 128',
    });
  }
  const hasAttention = model.layerKinds.some((kind) => kind !== 'state');
  if (hasAttention && model.latentSize === undefined && !CPU_HEAD_SIZES.has(model.keyValue.headSize)) {
    found.push({
      id: 'fit/head-size',
      what: `the head size of ${model.name} is ${model.keyValue.headSize}; the CPU attention kernel takes ${[...CPU_HEAD_SIZES].join(', ')}`,
      why: 'vLLM starts, or not even that, and the first request ends it: "Unsupported CPU attention configuration"',
      fix: 'take a GPU node, or another model',
    });
  }
  const { method } = model.weights;
  if (method !== undefined && METHODS_WITHOUT_CPU.has(method)) {
    found.push({
      id: 'fit/weight-format',
      what: `the weights of ${model.name} are quantized by ${method}, for which the CPU backend has no kernel`,
      why: 'vLLM runs this format on GPUs alone',
      fix: 'take a GPU node, or a repository with bfloat16 weights',
    });
  } else if (NOT_ON_CPU.has(model.weights.name)) {
    found.push({
      id: 'fit/weight-format',
      what: `the weights of ${model.name} are ${model.weights.name}, for which the CPU backend has no kernel`,
      why: `vLLM runs this format on GPUs alone (${sizeText(model.weightsBytes)} of files)`,
      fix: 'take a GPU node, or a repository with bfloat16 weights',
    });
  }
  if (model.weights.name === 'fp8' && !node.processor.isa.amx) {
    found.push({
      id: 'fit/weight-format',
      what: `the weights of ${model.name} are fp8, for which the CPU backend needs AMX; ${node.processor.name} has none`,
      why: 'the kernels for fp8 weights are written for matrix tiles',
      fix: 'take an Intel node from Sapphire Rapids on (m7i), a GPU node, or a repository with bfloat16 weights',
    });
  }
  return found;
}
