import type { LayerKind } from '../model/shape';

/** One thing that is wrong, or worth knowing, about a plan. */
export interface PlanFinding {
  /** Stable name: `fit/kv-cache-too-small`. */
  readonly id: string;
  /** What is wrong, with the value got and what is allowed. */
  readonly what: string;
  /** Why it matters. */
  readonly why: string;
  /** What to do. */
  readonly fix: string;
}

/** A configuration near the one asked for that fits. */
export interface Alternative {
  /** What is different, for a person: `3 nodes instead of 2`. */
  readonly change: string;
  /** The flags of `cdk8s-vllm plan` that make it. */
  readonly flags: readonly string[];
  /** The flags that are left out for it. */
  readonly without: readonly string[];
}

/** The model that was planned. */
export interface PlannedModel {
  /** Repository on Hugging Face, or the name given. */
  readonly name: string;
  /** The model's class, as in config.json. */
  readonly architecture: string;
  /** Transformer layers. */
  readonly layers: number;
  /** How many layers keep what: every token (`full`), a window (`sliding`), a chunk, a state. */
  readonly layerKinds: Readonly<Partial<Record<LayerKind, number>>>;
  /** Tokens of the window or chunk; null when no layer has one. */
  readonly slidingWindow: number | null;
  /** Width of the hidden state. */
  readonly hiddenSize: number;
  /** Attention heads of a layer. */
  readonly attentionHeads: number;
  /** Key and value heads of a layer. */
  readonly keyValueHeads: number;
  /** Size of one head. */
  readonly headSize: number;
  /** Words of the vocabulary. */
  readonly vocabularySize: number;
  /** Whether the output head is the embedding. */
  readonly tiedEmbeddings: boolean;
  /** Tokens. */
  readonly contextLength: number;
  /** All parameters, derived from config.json. */
  readonly parameters: number;
  /** Whether that count agrees with the size of the published files. */
  readonly parametersVerified: boolean;
  /** How weights are stored: bfloat16, fp8, awq, … */
  readonly weightFormat: string;
  /** Size of the weight files. */
  readonly weightsBytes: number;
  /** Whether it reads images or sound. */
  readonly multimodal: boolean;
  /** Whether a person must accept a licence first. */
  readonly gated: boolean;
  /** What is not certain about these numbers. */
  readonly notes: readonly string[];
}

/** CPU, memory and pods, of a node or of what is left of it. */
export interface Room {
  /** Thousandths of a core. */
  readonly cpuMillis: number;
  /** Bytes. */
  readonly memoryBytes: number;
  /** Pods. */
  readonly pods: number;
}

/** The nodes that were planned for: one kind, one pod each. */
export interface PlannedNodes {
  /** EC2 instance type, or the name given. */
  readonly name: string;
  /** Nodes that there are, or that all groups need. */
  readonly count: number;
  /** vCPUs of one. */
  readonly cpus: number;
  /** Nominal memory of one. */
  readonly memoryBytes: number;
  /** As in the label `kubernetes.io/arch`. */
  readonly architecture: 'arm64' | 'amd64';
  /** What people call the processor. */
  readonly processor: string;
  /** Whether the cores compute bf16. */
  readonly bf16: boolean;
  /** Whether the cores have AVX-512. */
  readonly avx512: boolean;
  /** Whether the cores have matrix tiles (AMX). */
  readonly amx: boolean;
  /** NUMA nodes of one. */
  readonly numaNodes: number;
  /** GPUs of one; 0 for the CPU backend. */
  readonly gpus: number;
  /** Kind of GPU: `H100`; null without. */
  readonly gpu: string | null;
  /** Memory of one GPU; null without. */
  readonly gpuMemoryBytes: number | null;
  /** What the kubelet leaves to pods. Memory is a floor: instances of one type differ. */
  readonly allocatable: Room;
  /** What pods of the system may request on the node of a rank, at worst. */
  readonly systemPods: Room;
  /** What is left for ranks. */
  readonly free: Room;
  /** Pods of ranks that one node could hold by requests; the group's anti-affinity allows one. */
  readonly podsPerNode: number;
}

/** The release of vLLM that was planned for. */
export interface PlannedVllm {
  /** The release asked for. */
  readonly version: string;
  /** The known release it is taken for; the same, unless it is newer than this library. */
  readonly judgedAs: string;
  /** Whether the cache formula was measured on this release; `withheld` gives no cache numbers. */
  readonly kvCacheFormula: 'measured' | 'withheld';
}

/** How the model is split, and why. */
export interface Parallelism {
  /** Stages that the layers are split into. */
  readonly pipelineParallelSize: number;
  /** Ranks that share each layer. */
  readonly tensorParallelSize: number;
  /** Layers of each pipeline stage, first stage first; empty when they cannot be split. */
  readonly layersPerStage: readonly number[];
  /** Whether one node of this kind would hold the whole model with these settings; null when there is one node. */
  readonly fitsOnOneNode: boolean | null;
  /** Why this split, in sentences. */
  readonly why: readonly string[];
}

/** The settings of the plan; those that nobody gave are planned. */
export interface PlannedSettings {
  /** Number format of weights and activations. */
  readonly dtype: string;
  /** Number format of the cache; `auto` follows `dtype`. */
  readonly kvCacheDtype: string;
  /** Tokens of a cache block. */
  readonly blockSize: number;
  /** Longest prompt plus answer, tokens. */
  readonly maxModelLen: number;
  /** Tokens of one scheduler step. */
  readonly maxNumBatchedTokens: number;
  /** Requests that run at once, at most. */
  readonly maxNumSeqs: number;
  /** Cache of a rank. */
  readonly kvCacheMemoryBytes: number;
  /** Whether layers with a window let go of what left it. */
  readonly hybridKvCacheManager: boolean;
  /** CPU of a pod, request and limit. */
  readonly cpuMillis: number;
  /** Compute threads of a rank. */
  readonly threads: number;
  /** Memory of a pod, request and limit. */
  readonly memoryBytes: number;
  /** Upper bound of /dev/shm, inside `memoryBytes`. */
  readonly sharedMemoryBytes: number;
  /** Disk of a pod on its node. */
  readonly ephemeralStorageBytes: number;
  /** From the start of the container to the first healthy answer. */
  readonly startupBudgetSeconds: number;
  /** How long one step may take. */
  readonly stepTimeoutSeconds: number;
  /** How long requests may make no progress. */
  readonly stallTimeoutSeconds: number;
  /** Names of the settings above that were planned, not given. */
  readonly planned: readonly string[];
}

/** The KV cache, as vLLM computes and logs it; what it would be, where it is refused. */
export interface PlannedKvCache {
  /** `CPU KV cache size: … tokens`. */
  readonly tokens: number;
  /** `Maximum concurrency for … tokens per request`, not rounded. */
  readonly concurrency: number;
  /** The same as vLLM logs it: two digits, ties to the even one. */
  readonly concurrencyLogged: string;
  /** Blocks, over all ranks the smallest number. */
  readonly blocks: number;
  /** Blocks that a request of `maxModelLen` tokens takes. */
  readonly blocksPerRequest: number;
  /** Groups of layers that share a table of blocks. */
  readonly groups: number;
  /** Smallest `kvCacheMemoryBytes` that vLLM accepts at this `maxModelLen`. */
  readonly minimumBytes: number;
  /** Largest whole MiB that the memory limit of a rank leaves for the cache. */
  readonly largestBytes: number;
  /** Longest `maxModelLen` that this cache serves, at most the context of the model. */
  readonly longestModelLen: number;
  /** Bytes that one more token takes on the fullest rank, all layers counted as full. */
  readonly bytesPerToken: number;
}

/** What fills the memory of one rank: on the CPU backend that of its pod, else that of its GPU. Bytes. */
export interface RankMemory {
  /** Python, torch and vLLM itself: API server and engine core on the leader, the worker everywhere. */
  readonly runtime: number;
  /** Of `runtime`: what the message queues may take of /dev/shm. */
  readonly sharedMemory: number;
  /** Layers of the stage. */
  readonly layers: number;
  /** Embedding and head with the copies that vLLM keeps of them. */
  readonly embeddings: number;
  /** Vision and audio towers. */
  readonly towers: number;
  /** The KV cache. */
  readonly kvCache: number;
  /** What the sampler's warm-up takes beyond the cache that comes after it; last stage only. */
  readonly sampler: number;
  /** Freed by repacking and not given back, and what large batches add. */
  readonly slack: number;
  /** Sum: the highest point. The limit has to be above it. */
  readonly peak: number;
  /** What the container may hold, and on a GPU what vLLM takes of it. */
  readonly limit: number;
  /** Pages of the weight files that the kernel keeps while there is room; counted to the pod, and reclaimable. */
  readonly pageCache: number;
}

/** One rank. */
export interface PlannedRank {
  /** From 0. */
  readonly rank: number;
  /** The leader serves HTTP. */
  readonly role: 'leader' | 'worker';
  /** Pipeline stage, from 0. */
  readonly stage: number;
  /** First and last layer, from 0. */
  readonly firstLayer: number;
  readonly lastLayer: number;
  /** Layers of the stage. */
  readonly layers: number;
  /** What fills its memory. */
  readonly memory: RankMemory;
  /** Bytes of one cache block on this rank; null when withheld. */
  readonly kvCacheBytesPerBlock: number | null;
  /** CPU seconds from start to ready, files at hand. */
  readonly startupCpuSeconds: number;
}

/** Bytes between pipeline stages; null with one rank. */
export interface Wire {
  /** From each stage to the next, for a prompt token that no prefix cache has. */
  readonly bytesPerPromptToken: number;
  /** Both directions together, for a generated token. */
  readonly bytesPerGeneratedToken: number;
  /** From stage to stage, for a generated token. */
  readonly forwardPerGeneratedToken: number;
  /** From the last stage to the leader, for a generated token. */
  readonly backwardPerGeneratedToken: number;
  /** From the last stage to the leader, once for a request. */
  readonly backwardPerRequest: number;
}

/** An estimate with the band it should lie in. */
export interface Estimate {
  /** Lower end of the band. */
  readonly low: number;
  /** Best guess. */
  readonly estimate: number;
  /** Upper end of the band. */
  readonly high: number;
}

/** How fast one user is served. */
export interface Speed {
  /** Generated tokens a second of a single stream. */
  readonly decodeTokensPerSecond: Estimate;
  /** Prompt tokens a second. */
  readonly prefillTokensPerSecond: Estimate;
  /** Seconds of one step with a full batch, all stages. */
  readonly fullBatchSeconds: number;
  /** Where the constants come from. */
  readonly basis: string;
}

/** What a number of batched tokens does. */
export interface BatchedTokensChoice {
  /** Tokens of one scheduler step. */
  readonly maxNumBatchedTokens: number;
  /** `planned`, `given`, `vllm-default` or both of these. */
  readonly marks: readonly ('planned' | 'given' | 'vllm-default')[];
  /** Longest pause of the other streams while a long prompt is read. */
  readonly freezeSeconds: number;
  /** Until the first token of that prompt. */
  readonly firstTokenSeconds: number;
  /** Requests of full length at once; null when withheld. */
  readonly concurrency: number | null;
  /** Highest memory of any rank. */
  readonly peakBytes: number;
  /** CPU seconds of the slowest rank from start to ready. */
  readonly startupCpuSeconds: number;
}

/** What pipeline batches do at a number of users. */
export interface PipelineBatches {
  /** Requests that run at once. */
  readonly users: number;
  /** Total tokens a second with all running requests in one batch: the stages work in turn. */
  readonly oneBatchTokensPerSecond: Estimate;
  /** The same in two batches: the stages work at once, and each batch reads all weights. */
  readonly twoBatchTokensPerSecond: Estimate;
  /** Which of both is faster. */
  readonly better: 'one' | 'two' | 'equal';
}

/** From start to ready. */
export interface Startup {
  /** Bytes that each pod downloads, unless a volume has them already. */
  readonly downloadBytes: number;
  /** At 100 MB/s. */
  readonly downloadSeconds: number;
  /** From the files at hand to ready, slowest rank. */
  readonly loadSeconds: number;
}

/** Disk of a node. */
export interface Disk {
  /** The unpacked image; an upper bound, not measured. */
  readonly imageBytes: number;
  /** The repository of the model, each pod its own. */
  readonly weightsBytes: number;
  /** Root volume that holds both with the room that the kubelet keeps free. */
  readonly rootVolumeBytes: number;
}

/** What rolling out a change with one more group would need. */
export interface Surge {
  /** Nodes that the groups run on. */
  readonly nodes: number;
  /** Nodes while one group more is there. */
  readonly nodesDuringRollout: number;
  /** What the scheduler says of the new pods as long as these are missing. */
  readonly pendingReason: string;
}

/** What a model needs on given nodes, and what it does there. `cdk8s-vllm plan -o json` prints this document. */
export interface Plan {
  /** Version of this form; fields may be added within one. */
  readonly schemaVersion: 1;
  /** Whether it can work. */
  readonly fits: boolean;
  /** Why not; empty when it fits. */
  readonly problems: readonly PlanFinding[];
  /** What works and has its price. */
  readonly warnings: readonly PlanFinding[];
  /** Configurations that fit; empty when this one does. */
  readonly nearest: readonly Alternative[];
  /** The model. */
  readonly model: PlannedModel;
  /** The nodes. */
  readonly nodes: PlannedNodes;
  /** The release. */
  readonly vllm: PlannedVllm;
  /** How the model is split. */
  readonly parallelism: Parallelism;
  /** What the engine and its pods are given. */
  readonly settings: PlannedSettings;
  /** Null when the formula was not measured on this release, or the split is impossible; a warning or problem says which. */
  readonly kvCache: PlannedKvCache | null;
  /** Empty when the split is impossible. */
  readonly ranks: readonly PlannedRank[];
  /** Bytes between stages; null with one stage or with tensor parallelism. */
  readonly wire: Wire | null;
  /** How fast one user is served. */
  readonly speed: Speed;
  /** What other numbers of batched tokens would do; empty when the split is impossible. */
  readonly batchedTokens: readonly BatchedTokensChoice[];
  /** Tokens of the long prompt that `batchedTokens` speaks of. */
  readonly longPromptTokens: number;
  /** Empty but with two stages on CPU, where it was measured. */
  readonly pipelineBatches: readonly PipelineBatches[];
  /** From start to ready. */
  readonly startup: Startup;
  /** Disk of a node. */
  readonly disk: Disk;
  /** What a rollout with one more group needs. */
  readonly surge: Surge;
  /** `measured` when memory and cache of such a rank were measured, else `extrapolated`. */
  readonly basis: 'measured' | 'extrapolated';
  /** What makes it an extrapolation. */
  readonly extrapolatedFrom: readonly string[];
}
