import { Size } from 'cdk8s';
import { checkKind } from '../common/kinds';
import { didYouMean } from '../common/nearest';
import { bytesOf, checkInteger, GIBI } from '../common/numbers';
import { INSTANCE_TYPES } from './instances';

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
  /** vCPUs of the machine. */
  readonly cpus: number;
  /** Memory of the machine. */
  readonly memory: Size;
  /** Instruction set. */
  readonly architecture: CpuArchitecture;
}

/**
 * What one node offers: vCPUs, memory, instruction set.
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
   * Look up an EC2 instance type.
   * @throws when it is not known; the message names the nearest one
   */
  public static of(instanceType: string): NodeShape {
    const found = INSTANCE_TYPES.get(instanceType);
    if (!found) {
      throw new Error(
        `instance type '${instanceType}' is not known${didYouMean(instanceType, INSTANCE_TYPES.keys())} ` +
          `(for a machine outside the table use NodeShape.custom)`,
      );
    }
    return new NodeShape(instanceType, {
      cpus: found.cpus,
      memory: Size.gibibytes(found.memoryGibibytes),
      architecture: found.architecture === 'arm64' ? CpuArchitecture.ARM64 : CpuArchitecture.X86_64,
    });
  }

  /** Describe a node that is no known EC2 instance type. */
  public static custom(name: string, props: NodeShapeProps): NodeShape {
    return new NodeShape(name, props);
  }

  /** Instance type, or the name given to `custom`. */
  public readonly name: string;
  /** vCPUs of the machine; what pods can have is less. */
  public readonly cpus: number;
  /** Memory of the machine; what pods can have is less. */
  public readonly memory: Size;
  /** Instruction set. */
  public readonly architecture: CpuArchitecture;

  private constructor(name: string, props: NodeShapeProps) {
    this.name = name;
    this.cpus = checkInteger(`cpus of node ${name}`, props.cpus, 1, 4096);
    if (bytesOf(props.memory) < GIBI) {
      throw new Error(`memory of node ${name} is ${bytesOf(props.memory)} bytes; it takes 1 GiB or more`);
    }
    this.memory = props.memory;
    checkKind(`architecture of node ${name}`, props.architecture, 'imageSuffix', 'CpuArchitecture.ARM64');
    this.architecture = props.architecture;
  }
}
