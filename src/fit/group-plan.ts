import { Duration, Size } from 'cdk8s';
import { Cpu } from '../common/cpu';
import { checkInteger } from '../common/numbers';
import { describe, judge, type Judged, nearestOf } from './plan';
import type { PlanInput } from './plan-input';
import type { Plan, PlannedSettings } from './plan-types';
import { splitLayers } from './split';
import { KIBI } from './units';

/** The props of a group behind the settings of a plan. */
const PROPS: Readonly<Partial<Record<keyof PlannedSettings, string>>> = {
  cpuMillis: 'cpu',
  threads: 'threads',
  memoryBytes: 'memory',
  sharedMemoryBytes: 'sharedMemory',
  kvCacheMemoryBytes: 'kvCacheMemory',
  ephemeralStorageBytes: 'ephemeralStorage',
  maxModelLen: 'maxModelLen',
  maxNumBatchedTokens: 'maxNumBatchedTokens',
  startupBudgetSeconds: 'startupBudget',
  stepTimeoutSeconds: 'stepTimeout',
  stallTimeoutSeconds: 'stallTimeout',
};

/**
 * The numbers that a group is rendered with: those given, and for the rest those planned from the model, the node and the split;
 * with them what the model needs and does there. `cdk8s-vllm plan` prints the same.
 *
 * @example
 *   group.plan.layersPerStage;   // [13, 13]
 *   group.plan.planned;          // ['cpu', 'memory', …]: the numbers that nobody gave
 *   group.plan.kvCacheTokens;    // 780335
 *   group.plan.toJson();         // the document of `cdk8s-vllm plan -o json`
 */
export class GroupPlan {
  /** @internal */
  public static _make(input: PlanInput): GroupPlan {
    checkNumbers(input);
    // A user of the construct has to say how layers are dealt out that do not divide.
    splitLayers(input.model, input.pipelineParallelSize, input.layerPartition);
    return new GroupPlan(judge(input));
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
  /** Highest point of the memory of the fullest rank. */
  public readonly peakMemory: Size;

  private readonly judged: Judged;
  private described: Plan | undefined;

  private constructor(judged: Judged) {
    this.judged = judged;
    const { settings, input, partition } = judged.settled;
    refuse(judged);
    this.layersPerStage = [...partition];
    this.cpu = Cpu.millis(settings.cpuMillis);
    this.memory = sizeOf(settings.memoryBytes);
    this.sharedMemory = sizeOf(settings.sharedMemoryBytes);
    this.kvCacheMemory = sizeOf(settings.kvCacheMemoryBytes);
    this.ephemeralStorage = sizeOf(settings.ephemeralStorageBytes);
    this.threads = settings.threads;
    this.maxModelLen = settings.maxModelLen;
    this.planned = settings.planned.flatMap((name) => PROPS[name as keyof PlannedSettings] ?? []);
    // vLLM's own default of a single pod is left to vLLM.
    const isSaid = input.maxNumBatchedTokens !== undefined || this.planned.includes('maxNumBatchedTokens');
    this.maxNumBatchedTokens = isSaid ? settings.maxNumBatchedTokens : undefined;
    this.startupBudget = Duration.seconds(settings.startupBudgetSeconds);
    this.stepTimeout = Duration.seconds(settings.stepTimeoutSeconds);
    this.stallTimeout = Duration.seconds(settings.stallTimeoutSeconds);
    this.peakMemory = sizeOf(Math.max(0, ...judged.ranks.map(({ memory }) => memory.peak)));
  }

  /** Tokens that the KV cache holds, as vLLM logs it; none where the formula of the release was never measured. */
  public get kvCacheTokens(): number | undefined {
    return this._plan.kvCache?.tokens;
  }

  /** Requests of full length at once, as vLLM logs it; none where the formula of the release was never measured. */
  public get maxConcurrency(): number | undefined {
    return this._plan.kvCache?.concurrency;
  }

  /** Generated tokens a second of a single stream: an estimate. */
  public get tokensPerSecond(): number {
    return this._plan.speed.decodeTokensPerSecond.estimate;
  }

  /** All of the plan, as `cdk8s-vllm plan -o json` prints it. */
  public toJson(): { [field: string]: unknown } {
    return { ...structuredClone(this._plan) };
  }

  /**
   * Worked out when somebody asks: a synthesis needs the numbers above alone.
   * @internal
   */
  public get _plan(): Plan {
    return (this.described ??= describe(this.judged));
  }
}

/** A group that cannot work is an error where it is made. */
function refuse({ found, settled }: Judged): void {
  if (found.length === 0) {
    return;
  }
  const sentences = found.map(({ what, why, fix }) => `${what}; ${why}: ${fix}`);
  // A group wants uneven stages by name, and is rendered for CPUs alone.
  const takes = ({ model, node, pipelineParallelSize, layerPartition }: PlanInput): boolean =>
    node.accelerator === undefined && (layerPartition !== undefined || model.layers % pipelineParallelSize === 0);
  const ways = nearestOf(settled.input, takes)
    .map(({ change }) => change)
    .join('; ');
  throw new Error(sentences.join('\n') + (ways === '' ? '' : `\nwhat fits: ${ways}`));
}

function sizeOf(bytes: number): Size {
  return Size.kibibytes(bytes / KIBI);
}

function checkNumbers(input: PlanInput): void {
  const { model, maxModelLen } = input;
  const whole = (name: keyof PlanInput, min: number, max: number): void => {
    if (input[name] !== undefined) {
      checkInteger(name, input[name] as number, min, max);
    }
  };
  whole('threads', 1, 1024);
  whole('maxNumBatchedTokens', 1, 1_048_576);
  const seconds = (name: 'startupBudget' | 'stepTimeout' | 'stallTimeout', min: number, max: number): void => {
    const value = input[name];
    if (value !== undefined && (!Number.isSafeInteger(value) || value < min || value > max)) {
      throw new Error(`${name} is ${value} s; it takes whole seconds from ${min} to ${max}`);
    }
  };
  seconds('startupBudget', 60, 24 * 3600);
  seconds('stepTimeout', 30, 24 * 3600);
  // A first request of a new kind may stop a healthy engine for some ten seconds while something is compiled.
  seconds('stallTimeout', 60, 25 * 3600);
  if (maxModelLen !== undefined && !(Number.isSafeInteger(maxModelLen) && maxModelLen >= 1)) {
    throw new Error(
      `maxModelLen is ${maxModelLen}; ${model.name} takes whole numbers from 1 to ${model.contextLength}`,
    );
  }
}
