import { Size } from 'cdk8s';
import { Cpu } from '../common/cpu';
import { checkFlag, checkKind, checkProps, checkSize } from '../common/kinds';
import { bytesOf, MEBI } from '../common/numbers';
import { hasHidden, printable } from '../common/printable';
import type { NodeSpec } from './node-spec';
import { customNode, nodeOf } from './nodes';

/**
 * The instruction set of a node; it decides the image and the node selector.
 *
 * @example
 *   NodeShape.custom('rack-7', { cpus: 48, memory: Size.gibibytes(192), architecture: CpuArchitecture.X86_64 });
 */
export class CpuArchitecture {
  /** 64-bit Arm: Graviton. */
  public static readonly ARM64 = new CpuArchitecture('arm64', 'arm64');
  /** 64-bit x86: Intel and AMD. */
  public static readonly X86_64 = new CpuArchitecture('amd64', 'x86_64');

  /** The value of the node label `kubernetes.io/arch`. */
  public readonly kubernetesLabel: string;
  /** The suffix of vLLM's image tags. */
  public readonly imageSuffix: string;

  private constructor(kubernetesLabel: string, imageSuffix: string) {
    this.kubernetesLabel = kubernetesLabel;
    this.imageSuffix = imageSuffix;
  }
}

/** The numbers of a node that the catalogue does not know. */
export interface NodeShapeProps {
  /** vCPUs of the machine: a whole number from 1 to 4096. */
  readonly cpus: number;
  /** Memory of the machine, 1 GiB or more. */
  readonly memory: Size;
  /** Instruction set. */
  readonly architecture: CpuArchitecture;
  /**
   * Whether the cores have AVX-512, without which vLLM offers a limited set of features. Only x86 can have it.
   * @default true on x86
   */
  readonly avx512?: boolean;
  /**
   * Whether the cores compute with bf16: `avx512_bf16` on x86 (Intel since Cooper Lake and Sapphire Rapids, AMD since
   * Zen 4), Armv8.6-A or newer on Arm.
   * @default true on Arm, false on x86
   */
  readonly bf16?: boolean;
  /**
   * Memory bandwidth of the whole machine in GB/s (1e9 bytes a second): channels × transfers × 8 bytes. It bounds how fast
   * tokens are generated.
   * @default 3.2 for each vCPU, as with 8 channels of DDR4-3200 for 64 of them
   */
  readonly memoryBandwidthGigabytesPerSecond?: number;
  /**
   * NUMA nodes of the machine (`lscpu`), at most as many as it has vCPUs.
   * @default 1
   */
  readonly numaNodes?: number;
  /**
   * Pods that the kubelet takes, from 1 to 4096. The more, the more memory it keeps back.
   * @default 110
   */
  readonly maxPods?: number;
  /**
   * GPUs of the machine, up to 64; with `gpuMemory`. Their speed is taken to be that of an L4, a slow one.
   * @default 0
   */
  readonly gpus?: number;
  /**
   * Memory of one GPU, 1 GiB or more.
   * @default - needed with gpus, and not allowed without
   */
  readonly gpuMemory?: Size;
}

/**
 * What one node offers: vCPUs, memory, instruction set, GPUs, and what is left of them for pods.
 *
 * What pods can have is what an EKS node makes allocatable: the CPU exactly, the memory at least. Pods of the system need
 * a part of it.
 *
 * @example
 *   NodeShape.M7G_2XLARGE;
 *   NodeShape.of('m7i.4xlarge');
 *   NodeShape.custom('rack-7', { cpus: 48, memory: Size.gibibytes(192), architecture: CpuArchitecture.X86_64 });
 */
export class NodeShape {
  /** Graviton 3, 8 vCPU, 32 GiB: the node of the reference deployment. */
  public static readonly M7G_2XLARGE = NodeShape.of('m7g.2xlarge');

  /**
   * Look up an EC2 instance type. docs/nodes.md lists them with all numbers.
   * @throws when it is not known; the message names the nearest one
   */
  public static of(instanceType: string): NodeShape {
    const spec = nodeOf(instanceType);
    return new NodeShape(
      spec,
      Size.mebibytes(spec.memory / MEBI),
      spec.architecture === 'arm64' ? CpuArchitecture.ARM64 : CpuArchitecture.X86_64,
    );
  }

  /**
   * Describe a node that is no known EC2 instance type. Only the first three numbers are needed; the others make what the
   * planner says of speed better.
   * @throws when a number is out of its bounds, or two of them contradict each other; the message names the prop and what
   * it takes
   */
  public static custom(name: string, props: NodeShapeProps): NodeShape {
    checkNodeName(name);
    const of = `of node ${name}`;
    checkProps(
      `numbers ${of}`,
      props,
      'an object such as { cpus: 48, memory: Size.gibibytes(192), architecture: ... }',
    );
    const { memory, architecture, gpuMemory } = props;
    checkKind(`architecture ${of}`, architecture, 'imageSuffix', 'CpuArchitecture.ARM64');
    checkKind(`memory ${of}`, memory, 'toKibibytes', 'Size.gibibytes(32)');
    checkSize(`gpuMemory ${of}`, gpuMemory);
    checkFlag(`avx512 ${of}`, props.avx512);
    checkFlag(`bf16 ${of}`, props.bf16);
    const spec = customNode(name, {
      ...props,
      memory: bytesOf(memory),
      architecture: architecture === CpuArchitecture.ARM64 ? 'arm64' : 'amd64',
      gpuMemory: gpuMemory && bytesOf(gpuMemory),
    });
    return new NodeShape(spec, memory, architecture);
  }

  /** Instance type, or the name given to `custom`. */
  public readonly name: string;
  /** vCPUs of the machine; what pods can have is less. */
  public readonly cpus: number;
  /** Memory of the machine; what pods can have is less. */
  public readonly memory: Size;
  /** Instruction set. */
  public readonly architecture: CpuArchitecture;
  /** CPU that pods can have: what the kubelet does not keep back. */
  public readonly allocatableCpu: Cpu;
  /**
   * Memory that pods can have, at least: the kernel shows 2.7 % to 3.5 % less than the machine has, and the kubelet keeps
   * some back; 7.5 % are counted off here.
   */
  public readonly allocatableMemory: Size;
  /** Pods that the node takes: on EC2 those that the VPC CNI has an address for, without prefix delegation. */
  public readonly maxPods: number;
  /** NUMA nodes. */
  public readonly numaNodes: number;
  /** GPUs. */
  public readonly gpus: number;
  /**
   * The node in plain numbers.
   * @internal
   */
  public readonly _spec: NodeSpec;

  private constructor(spec: NodeSpec, memory: Size, architecture: CpuArchitecture) {
    this.name = spec.name;
    this.cpus = spec.cpus;
    this.memory = memory;
    this.architecture = architecture;
    this.allocatableCpu = Cpu.millis(spec.allocatable.cpuMillis);
    this.allocatableMemory = Size.mebibytes(spec.allocatable.memory / MEBI);
    this.maxPods = spec.allocatable.pods;
    this.numaNodes = spec.numaNodes;
    this.gpus = spec.accelerator?.count ?? 0;
    this._spec = spec;
  }
}

function checkNodeName(name: unknown): void {
  if (typeof name !== 'string' || name.trim() === '' || name.length > 253 || hasHidden(name)) {
    const shown = typeof name === 'string' ? `'${printable(name)}'` : name === null ? 'null' : `of type ${typeof name}`;
    throw new Error(`node name is ${shown}; it takes a text of 1 to 253 characters, without control characters`);
  }
}
