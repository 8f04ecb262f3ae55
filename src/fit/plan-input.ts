import type { NodeSpec, SystemPodSpec } from '../hardware/node-spec';
import type { ModelShape } from '../model/shape';

/**
 * What a plan starts from: what was said, and nothing that was left open. Plain numbers; sizes in bytes, times in seconds,
 * CPU in thousandths of a core.
 */
export interface PlanInput {
  readonly model: ModelShape;
  readonly node: NodeSpec;
  /** Release of vLLM, and the known one it is judged as. */
  readonly vllm: { readonly version: string; readonly judgedAs: string };
  readonly pipelineParallelSize: number;
  readonly tensorParallelSize: number;
  /** Nodes that there are. Default: those that the ranks need. */
  readonly nodes?: number;
  /** Layers of each stage. Default: as vLLM splits them. */
  readonly layerPartition?: readonly number[];
  readonly dtype?: 'bfloat16' | 'float16' | 'float32';
  readonly kvCacheDtype?: string;
  readonly blockSize?: number;
  readonly hybridKvCacheManager?: boolean;
  readonly maxModelLen?: number;
  readonly maxNumBatchedTokens?: number;
  readonly maxNumSeqs?: number;
  readonly kvCacheMemory?: number;
  readonly cpu?: number;
  readonly threads?: number;
  readonly memory?: number;
  readonly sharedMemory?: number;
  readonly ephemeralStorage?: number;
  readonly startupBudget?: number;
  readonly stepTimeout?: number;
  readonly stallTimeout?: number;
  /** Whether the weights are kept in a volume of their own and take no room of the pod's disk. */
  readonly weightsOutsidePod?: boolean;
  /** Whether that volume is on the disk of the node (hostPath). */
  readonly weightsOnNode?: boolean;
  /** Whether the model is not compiled (`--enforce-eager`, compilation mode 0), so that CPU ranks skip their warm-up. */
  readonly skipsWarmUp?: boolean;
  /** Flags that change the engine and that the plan does not count with. */
  readonly notCounted?: readonly string[];
  /**
   * Whether the input is a command line of `vllm serve`. With a cache size given, such a line is taken as it stands: batched
   * tokens that it does not name are vLLM's own, since the cache has to do with them.
   */
  readonly isCommandLine?: boolean;
  /** Groups: copies of the whole engine. */
  readonly replicas?: number;
  /** Pods that are on the nodes already. Default: those of an EKS cluster as this project sets it up. */
  readonly systemPods?: readonly SystemPodSpec[];
}

/** An input with some of what was said left open again. */
export function without(input: PlanInput, ...names: (keyof PlanInput)[]): PlanInput {
  const rest: { -readonly [name in keyof PlanInput]: PlanInput[name] } = { ...input };
  for (const name of names) {
    delete (rest as Partial<typeof rest>)[name];
  }
  return rest;
}
