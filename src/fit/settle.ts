import { DEFAULT_SYSTEM_PODS, worstNode } from '../hardware/system-pods';
import {
  backendOf,
  DEFAULT_MODEL_LEN,
  DTYPE_BITS,
  isReferenceLatent,
  kvBytesPerNumber,
  pipelineBatchedTokens,
  podsOf,
  seqsInForce,
  type VllmDefaults,
  vllmDefaults,
} from './defaults';
import { podDisk } from './disk';
import { kvFormula } from './kv-formula';
import { type KvCacheInput, type KvCacheLayout, kvCacheLayout } from './kv-cache';
import { cpuMemory, gpuMemory, GPU_MEMORY, LIMIT_MARGIN, type MemoryParts, peakOf } from './memory';
import type { PlanInput } from './plan-input';
import type { PlannedSettings, Room } from './plan-types';
import { roomOf } from './room';
import { batchSeconds, operationsPerSecond, operationsPerToken, type SpeedInput } from './speed';
import { defaultPartition, headsProblem, layersProblem, stagesOf } from './split';
import { downloadSeconds, startupBudget, startupSeconds } from './startup';
import { GIBI, KIBI, MEBI, roundDown, roundUp } from './units';
import { type Backend, type RankPlace, rankWeights, type RankWeights } from './weights';

/** One rank: where it stands, and what of the model it holds. */
export interface Rank extends RankPlace {
  readonly rank: number;
  readonly stage: number;
  readonly weights: RankWeights;
}

/** The plan's numbers while they are worked out; every default settled. */
export interface Settled {
  readonly input: PlanInput;
  readonly backend: Backend;
  /** Pods of a group, and nodes that there are for it. */
  readonly pods: number;
  readonly nodes: number;
  readonly systemPods: Room;
  readonly free: Room;
  readonly memoryAtMost: number;
  readonly dtypeBits: number;
  /** Layers of each stage; empty when the split is impossible. */
  readonly partition: readonly number[];
  readonly ranks: readonly Rank[];
  readonly settings: PlannedSettings;
  /** What vLLM would take, were it told nothing. */
  readonly defaults: VllmDefaults;
  /** What the cache is laid out by; none when the formula does not hold for this release or model, or there is no split. */
  readonly kv: { readonly input: KvCacheInput; readonly layout: KvCacheLayout } | undefined;
  readonly speedInput: SpeedInput;
  readonly loadSeconds: number;
  readonly downloadSeconds: number;
}

/** The article's shares of an m7g.2xlarge: 20 of 32 GiB for a pod, 4 of these 20 for the cache, 4 GiB of shared memory. */
const MEMORY_SHARE = 20 / 32;
const KV_SHARE = 4 / 20;
export const SHARED_MEMORY_SHARE = 4 / 20;
export const SHARED_MEMORY_AT_MOST = 4 * GIBI;
/** vCPUs that a node keeps for the kubelet and the pods of the system. */
export const CPUS_FOR_SYSTEM = 2;
/** Of a node that is nearly full no more than this is left unused. */
const LIMIT_STEP = 256 * MEBI;
export const MAX_STEP_SECONDS = 24 * 3600;
/** A step may take this often its planned time; two steps of a pipeline are waited for at once. */
export const STEP_FACTOR = 4;
export const MIN_STEP_SECONDS = 60;

/** Works out every number that was not given. */
export function settle(input: PlanInput): Settled {
  const { model, node, pipelineParallelSize, tensorParallelSize } = input;
  const planned: (keyof PlannedSettings)[] = [];
  const given = <T>(name: keyof PlannedSettings, value: T | undefined, plan: () => T): T => {
    if (value !== undefined) {
      return value;
    }
    planned.push(name);
    return plan();
  };
  const backend = backendOf(node);
  const pods = podsOf(input);
  const worst = worstNode(input.systemPods ?? DEFAULT_SYSTEM_PODS);
  const systemPods = { cpuMillis: worst.cpuMillis, memoryBytes: worst.memory, pods: worst.pods };
  const { free, memoryAtMost } = roomOf(node, systemPods);

  const dtype = given('dtype', input.dtype, (): 'bfloat16' => 'bfloat16');
  const kvCacheDtype = input.kvCacheDtype ?? 'auto';
  const dtypeBits = DTYPE_BITS[dtype];
  const maxModelLen = given('maxModelLen', input.maxModelLen, () => Math.min(DEFAULT_MODEL_LEN, model.contextLength));
  const defaults = vllmDefaults(input, maxModelLen);
  const blockSize = isReferenceLatent(model, node) ? defaults.blockSize : (input.blockSize ?? defaults.blockSize);
  const takenAsItStands = input.isCommandLine === true && input.kvCacheMemory !== undefined;
  const isPipeline = backend === 'cpu' && pipelineParallelSize > 1 && !takenAsItStands;
  // The reference kernel of latent attention reads a prompt as a whole, whatever is asked for.
  const wholePrompts = isReferenceLatent(model, node);
  const maxNumBatchedTokens = wholePrompts
    ? Math.max(maxModelLen, 2048)
    : isPipeline
      ? given('maxNumBatchedTokens', input.maxNumBatchedTokens, () => pipelineBatchedTokens(model))
      : (input.maxNumBatchedTokens ?? defaults.maxNumBatchedTokens);
  const isLeftToVllm = wholePrompts || (!isPipeline && input.maxNumBatchedTokens === undefined);
  const maxNumSeqs = isLeftToVllm ? defaults.maxNumSeqs : seqsInForce(input.maxNumSeqs, defaults, maxNumBatchedTokens);

  const partition = partitionOf(input);
  const ranks = ranksOf(input, partition, dtypeBits, backend);
  const formula = kvFormula(input.vllm.judgedAs);
  const kvInput: KvCacheInput = {
    model,
    partition,
    tensorParallelSize,
    blockSize,
    bytesPerNumber: kvBytesPerNumber(kvCacheDtype, dtypeBits),
    maxModelLen,
    inFlightTokens: (formula?.countsAllBatches === false ? 1 : defaults.concurrentBatches) * maxNumBatchedTokens,
    hybrid: input.hybridKvCacheManager ?? true,
    ...(formula && {
      rules: { ...formula.rules, roundsSlidingBlocks: backend === 'cpu' && formula.rules.roundsSlidingBlocks },
    }),
  };
  const hasTokens = !model.layerKinds.includes('state');
  const kv =
    formula !== undefined && partition.length > 0 && hasTokens
      ? { input: kvInput, layout: kvCacheLayout(kvInput) }
      : undefined;

  const cpu = given('cpuMillis', input.cpu, () => Math.max(1000, roundDown(plannedCpu(node.cpus, free), 1000)));
  const threads = given('threads', input.threads, () => Math.max(1, Math.floor(cpu / 1000) - 1));
  const memoryOf = (rank: Rank, kvCache: number): MemoryParts =>
    rankMemory(input, rank, { backend, kvCache, maxNumSeqs, maxNumBatchedTokens });
  const peak = (kvCache: number): number => Math.max(0, ...ranks.map((rank) => peakOf(memoryOf(rank, kvCache))));
  const minimum = Math.max(MEBI, ...(kv?.layout.minimumBytes ?? []));
  const { memory, kvCache } =
    backend === 'cpu'
      ? cpuSizes(input, { free, peak, minimum, given })
      : gpuSizes(input, { free, peak, minimum, given });

  const speedInput: SpeedInput = {
    model,
    node,
    backend,
    pipelineParallelSize,
    tensorParallelSize,
    threads,
    maxNumBatchedTokens,
    dtypeBits,
  };
  const starts = ranks.map((rank) => startOf(rank, speedInput, { maxNumSeqs, maxNumBatchedTokens }));
  const loading = Math.max(0, ...starts.map(({ wall }) => wall));
  const downloading = downloadSeconds(model.weightsBytes);
  const stepTimeout = given('stepTimeoutSeconds', input.stepTimeout, () =>
    Math.min(
      MAX_STEP_SECONDS,
      Math.max(MIN_STEP_SECONDS, Math.ceil(STEP_FACTOR * batchSeconds(speedInput, maxNumBatchedTokens))),
    ),
  );
  const settings: PlannedSettings = {
    dtype,
    kvCacheDtype,
    blockSize,
    maxModelLen,
    maxNumBatchedTokens,
    maxNumSeqs,
    kvCacheMemoryBytes: kvCache,
    hybridKvCacheManager: input.hybridKvCacheManager ?? true,
    cpuMillis: cpu,
    threads,
    memoryBytes: memory,
    sharedMemoryBytes: given('sharedMemoryBytes', input.sharedMemory, () =>
      Math.min(SHARED_MEMORY_AT_MOST, shareOf(memory, SHARED_MEMORY_SHARE)),
    ),
    ephemeralStorageBytes: given('ephemeralStorageBytes', input.ephemeralStorage, () =>
      podDisk(model, input.weightsOutsidePod === true),
    ),
    startupBudgetSeconds: given('startupBudgetSeconds', input.startupBudget, () => startupBudget(downloading, loading)),
    stepTimeoutSeconds: stepTimeout,
    stallTimeoutSeconds: given('stallTimeoutSeconds', input.stallTimeout, () =>
      // The engine's own way out comes first: it answers the waiting requests before it leaves.
      Math.max(90, stepTimeout + 60),
    ),
    planned,
  };
  return {
    input,
    backend,
    pods,
    nodes: input.nodes ?? pods * (input.replicas ?? 1),
    systemPods,
    free,
    memoryAtMost,
    dtypeBits,
    partition,
    ranks,
    settings,
    defaults,
    kv,
    speedInput,
    loadSeconds: loading,
    downloadSeconds: downloading,
  };
}

/** What fills the memory of a rank with a cache of that size. */
export function rankMemory(
  { model, node }: PlanInput,
  rank: Rank,
  sizes: {
    readonly backend: Backend;
    readonly kvCache: number;
    readonly maxNumSeqs: number;
    readonly maxNumBatchedTokens: number;
  },
): MemoryParts {
  const memoryInput = {
    isLeader: rank.rank === 0,
    isLastStage: rank.isLastStage,
    weights: rank.weights,
    kvCache: sizes.kvCache,
    maxNumSeqs: sizes.maxNumSeqs,
    maxNumBatchedTokens: sizes.maxNumBatchedTokens,
    vocabularySize: model.vocabularySize,
    hiddenSize: model.hiddenSize,
    // Every rank reads the whole repository, whatever part of it it keeps.
    filesBytes: model.weightsBytes,
  };
  return sizes.backend === 'cpu' ? cpuMemory(memoryInput) : gpuMemory(memoryInput, node.accelerator!);
}

/** CPU seconds and wall seconds of the start of a rank. */
export function startOf(
  rank: Rank,
  speedInput: SpeedInput,
  { maxNumSeqs, maxNumBatchedTokens }: { readonly maxNumSeqs: number; readonly maxNumBatchedTokens: number },
): { cpu: number; wall: number } {
  const { model, tensorParallelSize, threads } = speedInput;
  const share = (rank.lastLayer - rank.firstLayer + 1) / model.layers / tensorParallelSize;
  return startupSeconds({
    backend: speedInput.backend,
    isLeader: rank.rank === 0,
    isLastStage: rank.isLastStage,
    weights: rank.weights,
    maxNumSeqs,
    vocabularySize: model.vocabularySize,
    batchOperations: operationsPerToken(model) * share * maxNumBatchedTokens,
    operationsPerSecond: operationsPerSecond(speedInput),
    threads,
  });
}

function partitionOf({
  model,
  pipelineParallelSize,
  tensorParallelSize,
  layerPartition,
}: PlanInput): readonly number[] {
  const isImpossible =
    (pipelineParallelSize > 1 && model.noPipeline !== undefined) ||
    layersProblem(model, pipelineParallelSize, layerPartition) !== undefined ||
    headsProblem(model, tensorParallelSize) !== undefined;
  return isImpossible ? [] : (layerPartition ?? defaultPartition(model.layers, pipelineParallelSize));
}

function ranksOf(
  { model, tensorParallelSize }: PlanInput,
  partition: readonly number[],
  dtypeBits: number,
  backend: Backend,
): Rank[] {
  return stagesOf(partition).flatMap(({ first, last }, stage) => {
    const place = {
      stage,
      firstLayer: first,
      lastLayer: last,
      isFirstStage: stage === 0,
      isLastStage: stage === partition.length - 1,
      tensorParallelSize,
    };
    const weights = rankWeights(model, place, dtypeBits, backend);
    return Array.from({ length: tensorParallelSize }, (_, i) => ({
      ...place,
      rank: stage * tensorParallelSize + i,
      weights,
    }));
  });
}

function plannedCpu(cpus: number, free: Room): number {
  return Math.min(free.cpuMillis, (cpus - CPUS_FOR_SYSTEM) * 1000);
}

interface Sizing {
  readonly free: Room;
  /** Highest point of the fullest rank with a cache of that size. */
  readonly peak: (kvCache: number) => number;
  /** Smallest cache that serves one request. */
  readonly minimum: number;
  readonly given: (name: keyof PlannedSettings, value: number | undefined, plan: () => number) => number;
}

/**
 * Memory limit and cache on CPU. Nobody said a limit: the article's share of the node, or more where the model needs it, as far
 * as the node goes. Nobody said a cache: a fifth of the limit, at least what one request takes, at most what is left.
 */
function cpuSizes(input: PlanInput, { free, peak, minimum, given }: Sizing): { memory: number; kvCache: number } {
  const share = shareOf(input.node.memory, MEMORY_SHARE);
  const wish = (memory: number): number => Math.max(shareOf(memory, KV_SHARE), roundUp(minimum, GIBI));
  const memory = given('memoryBytes', input.memory, () => {
    const needed = (kvCache: number): number => roundUp(LIMIT_MARGIN * peak(kvCache), GIBI);
    const wanted = Math.max(share, needed(input.kvCacheMemory ?? wish(share)));
    return Math.max(MEBI, Math.min(wanted, roundDown(free.memoryBytes, LIMIT_STEP)));
  });
  const kvCache = given('kvCacheMemoryBytes', input.kvCacheMemory, () => {
    const wanted = wish(memory);
    const room = largestCache(memory / LIMIT_MARGIN, peak);
    return wanted <= room ? wanted : smallerCache(room, minimum);
  });
  return { memory, kvCache };
}

/** On a GPU vLLM takes a share of its memory, and gives to the cache what the model leaves of that. */
function gpuSizes(input: PlanInput, { free, peak, minimum, given }: Sizing): { memory: number; kvCache: number } {
  const kvCache = given('kvCacheMemoryBytes', input.kvCacheMemory, () =>
    smallerCache(largestCache(GPU_MEMORY.utilization * input.node.accelerator!.memory, peak), minimum),
  );
  const memory = given('memoryBytes', input.memory, () =>
    Math.max(GIBI, Math.min(shareOf(input.node.memory, MEMORY_SHARE), roundDown(free.memoryBytes, GIBI))),
  );
  return { memory, kvCache };
}

/** Whole GiB where there is one and it is enough; else what the smallest takes. */
function smallerCache(room: number, minimum: number): number {
  const whole = roundDown(room, GIBI);
  return whole >= Math.max(GIBI, minimum)
    ? whole
    : Math.max(roundUp(minimum, KIBI), roundDown(Math.max(0, room), MEBI));
}

/** Largest cache, in whole bytes, with which the fullest rank stays under a limit; negative when nothing is left. */
export function largestCache(limit: number, peak: (kvCache: number) => number): number {
  const without = peak(0);
  if (without >= limit) {
    return Math.floor(limit - without);
  }
  // Up to some size the sampler's warm-up fills the same room; beyond it each byte counts once.
  let [low, high] = [0, Math.floor(limit)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (peak(middle) <= limit) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

function shareOf(bytes: number, share: number): number {
  return GIBI * Math.max(1, Math.floor((bytes / GIBI) * share));
}
