/** A kind of CPU core, and what it is worth to vLLM. */
export interface Processor {
  /** What people call it: `Graviton3`. */
  readonly name: string;
  readonly architecture: 'arm64' | 'amd64';
  /** Instructions that vLLM's CPU builds choose their kernels by. */
  readonly isa: {
    /** x86: AVX-512 at all; without it vLLM offers a limited set of features. */
    readonly avx512: boolean;
    /** bf16 in hardware: Arm FEAT_BF16 (Armv8.6-A), x86 avx512_bf16. */
    readonly bf16: boolean;
    /** x86: tiles for matrices. */
    readonly amx: boolean;
  };
  /** Memory bandwidth of a whole socket, bytes a second. */
  readonly socketBandwidth: number;
  /** vCPUs of a whole socket. */
  readonly socketCpus: number;
  /**
   * vCPUs of a core: 2 where two of them share its arithmetic units, so that all vCPUs together do about what half of them
   * do alone.
   */
  readonly threadsPerCore: 1 | 2;
  /** Weights that one thread of vLLM streams in decode, bytes a second, with a core of its own. */
  readonly decodeBandwidthPerThread: number;
  /** bf16 operations a second of one thread in prefill, with a core of its own. */
  readonly flopsPerThread: number;
  /** Whether the last two were measured with vLLM, or taken from the nearest that was. */
  readonly measured: boolean;
}

/** A kind of GPU. */
export interface Accelerator {
  /** What people call it: `H100`. */
  readonly name: string;
  readonly count: number;
  /** Memory of one, bytes. */
  readonly memory: number;
  /** Memory bandwidth of one, bytes a second. */
  readonly bandwidth: number;
  /** Dense bf16 operations a second of one; fp16 where it knows no bf16. */
  readonly flops: number;
  /** Whether it knows bf16. vLLM refuses `--dtype=bfloat16` on one that does not. */
  readonly bf16: boolean;
  /** Whether bandwidth, operations and bf16 are those of another GPU, since the memory alone is known of this one. */
  readonly assumed: boolean;
}

/** What pods can have of a node, after what the kubelet keeps back. */
export interface Allocatable {
  readonly cpuMillis: number;
  /** Bytes; a floor, since what the kernel shows is less than the nominal size and differs between instances. */
  readonly memory: number;
  /** Pods, by the addresses that the VPC CNI can give. */
  readonly pods: number;
}

/** One node as the planner sees it: plain numbers. */
export interface NodeSpec {
  /** EC2 instance type, or a name of the user's. */
  readonly name: string;
  readonly cpus: number;
  /** Nominal memory, bytes. */
  readonly memory: number;
  readonly architecture: 'arm64' | 'amd64';
  readonly processor: Processor;
  readonly numaNodes: number;
  /** Memory bandwidth that the whole node can use, bytes a second. */
  readonly bandwidth: number;
  readonly accelerator?: Accelerator;
  readonly allocatable: Allocatable;
}

/** A pod that is on the node before a rank comes: what it requests of the scheduler. */
export interface SystemPodSpec {
  readonly name: string;
  /** Requested CPU in thousandths of a core. */
  readonly cpuMillis: number;
  /** Requested memory, bytes. */
  readonly memory: number;
  /** Whether every node has one (a DaemonSet), or the scheduler puts it on some node. */
  readonly everyNode: boolean;
}
