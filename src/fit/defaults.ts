import type { NodeSpec } from '../hardware/node-spec';
import type { ModelShape } from '../model/shape';
import type { PlanInput } from './plan-input';
import { GIBI } from './units';
import type { Backend } from './weights';

/** What computes on a node: its GPUs, if it has some. */
export function backendOf(node: NodeSpec): Backend {
  return node.accelerator === undefined ? 'cpu' : 'gpu';
}

/** Pods of a group: one a rank on CPU, one a node full of GPUs else. */
export function podsOf({ node, pipelineParallelSize, tensorParallelSize }: PlanInput): number {
  return Math.ceil((pipelineParallelSize * tensorParallelSize) / (node.accelerator?.count ?? 1));
}

/** Bits of a number of a type. */
export const DTYPE_BITS = { bfloat16: 16, float16: 16, float32: 32 } as const;

/** Bytes of one number in the cache, by `--kv-cache-dtype`; `auto` follows the type of the model. */
export function kvBytesPerNumber(kvCacheDtype: string, dtypeBits: number): number {
  if (kvCacheDtype === 'auto') {
    return dtypeBits / 8;
  }
  return kvCacheDtype.startsWith('fp8') ? 1 : DTYPE_BITS[kvCacheDtype as keyof typeof DTYPE_BITS] / 8;
}

/** Names that `--kv-cache-dtype` takes here. */
export const KV_CACHE_DTYPES = ['auto', 'bfloat16', 'float16', 'fp8', 'fp8_e4m3', 'fp8_e5m2'] as const;

/** What vLLM takes when it is told nothing. Source: arg_utils.py and platforms/cpu.py of 0.31.0 and 0.32.0. */
export interface VllmDefaults {
  readonly blockSize: number;
  readonly maxNumSeqs: number;
  readonly maxNumBatchedTokens: number;
  /** Steps that run at once: tokens of all of them may be in flight. */
  readonly concurrentBatches: number;
}

export function vllmDefaults(input: PlanInput, maxModelLen: number): VllmDefaults {
  const { node, model, pipelineParallelSize: stages, tensorParallelSize, maxNumSeqs } = input;
  const ranks = stages * tensorParallelSize;
  if (node.accelerator === undefined) {
    const seqs = maxNumSeqs ?? 128 * ranks;
    return {
      blockSize: cpuBlockSize(model, node),
      maxNumSeqs: seqs,
      maxNumBatchedTokens: Math.min(2048 * ranks, seqs * maxModelLen),
      concurrentBatches: stages,
    };
  }
  const large = node.accelerator.memory >= 70 * GIBI && node.accelerator.name !== 'A100';
  const seqs = maxNumSeqs ?? (large ? 1024 : 256);
  return {
    blockSize: 16,
    maxNumSeqs: seqs,
    maxNumBatchedTokens: Math.min(large ? 8192 : 2048, seqs * maxModelLen),
    // Asynchronous scheduling keeps a second step in flight where there is no pipeline.
    concurrentBatches: Math.max(2, stages),
  };
}

/** 128, except for the reference kernel of latent attention, which takes 16 alone. */
function cpuBlockSize(model: ModelShape, node: NodeSpec): number {
  return isReferenceLatent(model, node) ? 16 : 128;
}

/** Latent attention (MLA) on cores without matrix tiles: one kernel, of one block size. */
export function isReferenceLatent(model: ModelShape, node: NodeSpec): boolean {
  return model.latentSize !== undefined && node.accelerator === undefined && !node.processor.isa.amx;
}

/**
 * Tokens of one scheduler step in a pipeline. vLLM's own default doubles with each stage (2048·PP·TP) and freezes
 * everybody else's stream for a whole long prompt; 256 cut that freeze to a fifth. Models that read images get 512, since
 * one Gemma 3 image is 256 tokens and should not be cut.
 */
export function pipelineBatchedTokens(model: ModelShape): number {
  return model.multimodal ? 512 : 256;
}

/** Enough for a chat, and a bound for the cache of one request. */
export const DEFAULT_MODEL_LEN = 4096;

/** `max_num_seqs` in force: a step cannot run more requests than it has tokens, and vLLM lowers its own default to that. */
export function seqsInForce(given: number | undefined, defaults: VllmDefaults, maxNumBatchedTokens: number): number {
  return given ?? Math.min(defaults.maxNumSeqs, maxNumBatchedTokens);
}
