import type { Duration, Size } from 'cdk8s';
import type { Cpu } from '../common/cpu';
import type { VllmImage } from '../engine/image';
import type { NodeShape } from '../hardware/node-shape';
import type { SystemPod } from '../hardware/system-pod';
import type { Model } from '../model/model';
import type {
  CapacityType,
  Compilation,
  DType,
  NamespacePolicy,
  NumaPolicy,
  Toleration,
  WeightsCache,
} from './options';
import type { SecretKey } from './secret-key';

/** What every vLLM engine needs to be told, however many pods it runs on. */
export interface VllmEngineProps {
  /**
   * Name of the object, and value of the pods' label `app`.
   * @default - the id of the construct
   */
  readonly name?: string;

  /** The model to serve. */
  readonly model: Model;

  /** The image that holds vLLM. */
  readonly image: VllmImage;

  /** The node that each pod gets to itself. */
  readonly node: NodeShape;

  /**
   * Branch, tag or commit of the model repository.
   * @default - what the repository's main branch holds at each start
   */
  readonly modelRevision?: string;

  /**
   * Name of the model in requests.
   * @default - the name of the model
   */
  readonly servedModelName?: string;

  /**
   * Number format of weights and activations.
   * @default DType.BFLOAT16
   */
  readonly dtype?: DType;

  /**
   * How the model is compiled on CPU.
   * @default Compilation.EAGER
   */
  readonly compilation?: Compilation;

  /**
   * Longest prompt plus answer, in tokens.
   * @default - the context length of the model, at most 4096
   */
  readonly maxModelLen?: number;

  /**
   * Most tokens that one step of the scheduler computes. Small values keep the other streams going while a long
   * prompt is read; large ones read it in fewer steps.
   * @default - planned: in a pipeline 256, or 512 for models that read images; otherwise vLLM's own default
   */
  readonly maxNumBatchedTokens?: number;

  /**
   * KV cache of a rank. Whole GiB become VLLM_CPU_KVCACHE_SPACE, other sizes `--kv-cache-memory-bytes`.
   * @default - planned: a fifth of `memory`, more where one request takes more, less where the node has no more
   */
  readonly kvCacheMemory?: Size;

  /**
   * CPU of a pod: request and limit.
   * @default - planned: the vCPUs of the node less two
   */
  readonly cpu?: Cpu;

  /**
   * Memory of a pod: request and limit.
   * @default - planned: five eighths of the node's memory, more where the model needs it
   */
  readonly memory?: Size;

  /**
   * Upper bound of /dev/shm. What is used of it counts against `memory`.
   * @default - planned: a fifth of `memory`, at least 1 and at most 4 GiB
   */
  readonly sharedMemory?: Size;

  /**
   * Disk of a pod on its node: request and limit. Weights in an `emptyDir` count.
   * @default - planned: the weights and a tenth, and 16 GiB beside them
   */
  readonly ephemeralStorage?: Size;

  /**
   * Compute threads of a rank.
   * @default - planned: the whole cores of `cpu` less one
   */
  readonly threads?: number;

  /**
   * Pods that may be on a node before a pod of the group comes; what they request is kept free.
   * @default - the add-ons of EKS, the controllers of LeaderWorkerSet and of the load balancer, and monitoring
   */
  readonly systemPods?: SystemPod[];

  /**
   * Whether vLLM may bind its memory to a NUMA node.
   * @default NumaPolicy.NONE
   */
  readonly numaPolicy?: NumaPolicy;

  /**
   * Where the downloaded weights are kept.
   * @default WeightsCache.emptyDir()
   */
  readonly weightsCache?: WeightsCache;

  /**
   * Token of a Hugging Face account that accepted the model's licence.
   * @default - none; an error for a gated model, unless `weightsCache` outlives the pod and may hold the files already
   */
  readonly huggingFaceToken?: SecretKey;

  /**
   * Key that clients must send. It guards /v1, /v2, /inference and /cohere and nothing else.
   * @default - none: anyone who reaches the port may use the model
   */
  readonly apiKey?: SecretKey;

  /**
   * HTTP port.
   * @default 8000
   */
  readonly port?: number;

  /**
   * How long an idle connection stays open. The idle timeout of a balancer in front has to be shorter.
   * @default Duration.seconds(310)
   */
  readonly keepAliveTimeout?: Duration;

  /**
   * How long a container may take from its start to the first healthy answer: download, loading, warm-up. Pulling the
   * image comes before and does not count.
   * @default - planned: twice the download and the load, and never under 15 minutes
   */
  readonly startupBudget?: Duration;

  /**
   * How long one step may take before the engine gives up and the group is recreated. At least 30 s: the first request
   * of a new kind may stop a healthy engine for ten.
   * @default - planned: four times a full batch, and never under a minute
   */
  readonly stepTimeout?: Duration;

  /**
   * Whether a liveness probe restarts a server that has requests and makes no progress.
   * @default true
   */
  readonly progressLiveness?: boolean;

  /**
   * How long requests may make no progress before the liveness probe speaks up.
   * At least 60 s.
   * @default - planned: `stepTimeout` and a minute, and never under 90 s
   */
  readonly stallTimeout?: Duration;

  /**
   * How long running requests may go on after the pod is told to end. In a group of several pods all of them stay for
   * that long, so every recovery takes that much longer.
   * @default Duration.seconds(0) in a group of several pods, Duration.seconds(30) in a single pod
   */
  readonly drainTimeout?: Duration;

  /**
   * More arguments for every rank, one word each: `--name=value`.
   * @default - none
   */
  readonly extraArgs?: string[];

  /**
   * More arguments for the server, one word each. Workers do not get them, so only flags of the HTTP server may stand
   * here.
   * @default - none
   */
  readonly extraServerArgs?: string[];

  /**
   * More environment variables for every rank.
   * @default - none
   */
  readonly environment?: { [name: string]: string };

  /**
   * More environment variables for every rank, from keys of Secrets.
   * @default - none
   */
  readonly secretEnvironment?: { [name: string]: SecretKey };

  /**
   * Prefix of all images: a mirror or a pull-through cache, for example `123456789012.dkr.ecr.us-east-1.amazonaws.com/hub`.
   * @default - none: the public registry
   */
  readonly imageRegistry?: string;

  /**
   * Secrets with registry credentials.
   * @default - none: anonymous pulls
   */
  readonly imagePullSecrets?: string[];

  /**
   * More node labels that a node must have.
   * @default - the architecture alone
   */
  readonly nodeSelector?: { [label: string]: string };

  /**
   * Availability Zone that all pods run in, for example `us-east-1a`.
   * @default - any
   */
  readonly zone?: string;

  /**
   * Kind of EC2 capacity.
   * @default - any
   */
  readonly capacityType?: CapacityType;

  /**
   * Taints that the pods accept.
   * @default - none
   */
  readonly tolerations?: Toleration[];

  /**
   * More labels of the pods.
   * @default - `app` and `role` alone
   */
  readonly podLabels?: { [label: string]: string };

  /**
   * Annotations of the pods.
   * @default - none
   */
  readonly podAnnotations?: { [key: string]: string };

  /**
   * Who owns the Namespace object.
   * @default - CREATE when the chart has a namespace other than `default` and `kube-…`, else EXISTING
   */
  readonly namespacePolicy?: NamespacePolicy;
}

/** A vLLM engine that is split over pods, and how many copies of it run. */
export interface VllmPipelineGroupProps extends VllmEngineProps {
  /**
   * Stages that the layers are split into. 1 renders a single pod.
   * @default 1
   */
  readonly pipelineParallelSize?: number;

  /**
   * Ranks that share each layer. On CPU each is a pod of its own, which only a fast network makes worthwhile.
   * @default 1
   */
  readonly tensorParallelSize?: number;

  /**
   * Layers of each stage, first stage first.
   * @default - equal parts; an error when the layers do not divide
   */
  readonly layerPartition?: number[];

  /**
   * Groups: copies of the whole engine.
   * @default 1
   */
  readonly replicas?: number;

  /**
   * Groups above `replicas` that a rollout may start before it ends an old one. Each needs nodes of its own.
   * @default 0
   */
  readonly rolloutMaxSurge?: number;

  /**
   * Groups that a rollout may take down at once.
   * @default 1
   */
  readonly rolloutMaxUnavailable?: number;

  /**
   * Groups with an ordinal below this keep the old template.
   * @default 0
   */
  readonly rolloutPartition?: number;

  /**
   * Pods that may be evicted at once, of all groups together. Evicting one ends its whole group.
   * @default 0 with one replica (a drain waits until you delete the group yourself), else 1
   */
  readonly disruptionMaxUnavailable?: number;

  /**
   * Port on the leader where the ranks meet; a single pod has none.
   * @default 29501
   */
  readonly masterPort?: number;
}
