import { didYouMean } from '../common/nearest';
import { checkInteger, GIBI, inWords, MEBI } from '../common/numbers';
import { printable } from '../common/printable';
import { acceleratorOf, assumedAccelerator } from './accelerators';
import { allocatable, podsByAddresses } from './allocatable';
import { INSTANCES } from './instances';
import type { Accelerator, NodeSpec, Processor } from './node-spec';
import { assumedSpeed, processorOf } from './processors';

/** The names of all instance types that `nodeOf` knows. */
export function instanceTypes(): string[] {
  return Object.keys(INSTANCES);
}

/**
 * An EC2 instance type.
 * @throws when it is not known; the message names the nearest one
 */
export function nodeOf(name: string): NodeSpec {
  if (typeof name !== 'string') {
    throw new Error(
      `instance type is ${name === null ? 'null' : `of type ${typeof name}`}; it takes a text such as 'm7g.2xlarge'`,
    );
  }
  if (!Object.hasOwn(INSTANCES, name)) {
    const asked = printable(name);
    throw new Error(
      `instance type '${asked}' is not known${didYouMean(asked, instanceTypes())} ` +
        `(for a machine outside the table use NodeShape.custom)`,
    );
  }
  const facts = INSTANCES[name]!;
  const [cpus, mebibytes, interfaces, addresses] = facts;
  const processor = processorOf(name.slice(0, name.indexOf('.')));
  const size = { cpus, memory: mebibytes * MEBI, architecture: processor.architecture };
  return {
    name,
    ...size,
    processor,
    numaNodes: socketsOf(processor, cpus),
    bandwidth: fairShareBandwidth(processor, cpus),
    ...(facts.length === 7 && { accelerator: acceleratorOf(facts[4], facts[5], facts[6]) }),
    allocatable: allocatable(size, podsByAddresses(interfaces, addresses)),
  };
}

/**
 * NUMA nodes of an instance: one for each socket that it needs. Known from how the processors are built, not read off
 * running instances: firmware can cut a socket into several nodes (NPS on AMD, SNC on Intel), which it is not taken to do.
 */
function socketsOf({ socketCpus }: Processor, cpus: number): number {
  return Math.ceil(cpus / socketCpus);
}

/**
 * Memory bandwidth of an instance, bytes a second: of each of its sockets the share that its vCPUs are of that socket. A
 * small instance with quiet neighbours gets more than that.
 */
export function fairShareBandwidth({ socketBandwidth, socketCpus }: Processor, cpus: number): number {
  return (socketBandwidth * cpus) / socketCpus;
}

/** Kubernetes' own default of the kubelet. */
const DEFAULT_PODS = 110;

/** What a vCPU has of 8 channels of DDR4-3200 shared by 64 of them: Graviton2 and Xeon Ice Lake. Newer ones have more. */
const DEFAULT_GIGABYTES_PER_CPU = 3.2;

/** A machine that is no known instance type, in plain numbers; `NodeShapeProps` says what each is and its default. */
export interface CustomNode {
  readonly cpus: number;
  /** Bytes. */
  readonly memory: number;
  readonly architecture: 'arm64' | 'amd64';
  readonly avx512?: boolean;
  readonly bf16?: boolean;
  readonly memoryBandwidthGigabytesPerSecond?: number;
  readonly numaNodes?: number;
  readonly maxPods?: number;
  readonly gpus?: number;
  /** Bytes of one GPU. */
  readonly gpuMemory?: number;
}

/**
 * A machine that is no known instance type. What is not known of its cores comes from the nearest that were measured.
 * @throws when a number is out of its bounds, or two of them contradict each other
 */
export function customNode(name: string, node: CustomNode): NodeSpec {
  const { memory, architecture } = node;
  const of = `of node ${name}`;
  const cpus = checkInteger(`cpus ${of}`, node.cpus, 1, 4096);
  checkMemory(`memory ${of}`, memory);
  const numaNodes = checkInteger(`numaNodes ${of}`, node.numaNodes ?? 1, 1, cpus);
  const pods = checkInteger(`maxPods ${of}`, node.maxPods ?? DEFAULT_PODS, 1, 4096);
  const gigabytes = node.memoryBandwidthGigabytesPerSecond ?? cpus * DEFAULT_GIGABYTES_PER_CPU;
  if (typeof gigabytes !== 'number' || !(gigabytes >= 1 && gigabytes <= 100_000)) {
    throw new Error(
      `memoryBandwidthGigabytesPerSecond ${of} is ${inWords(gigabytes)}; it takes a number from 1 to 100000`,
    );
  }
  const bandwidth = Math.round(gigabytes * 1e9);
  const isa = isaOf(of, node);
  const accelerator = customAccelerator(of, node);
  return {
    name,
    cpus,
    memory,
    architecture,
    processor: {
      name: architecture === 'arm64' ? 'Arm' : 'x86',
      architecture,
      isa,
      socketBandwidth: bandwidth / numaNodes,
      socketCpus: cpus / numaNodes,
      threadsPerCore: 1,
      ...assumedSpeed(architecture, isa),
    },
    numaNodes,
    bandwidth,
    ...(accelerator && { accelerator }),
    allocatable: allocatable({ cpus, memory, architecture }, pods),
  };
}

function isaOf(of: string, { architecture, avx512, bf16 }: CustomNode): Processor['isa'] {
  if (architecture === 'arm64') {
    if (avx512) {
      throw new Error(`avx512 ${of} is true, but only x86 has AVX-512; leave it out`);
    }
    return { avx512: false, bf16: bf16 ?? true, amx: false };
  }
  if (bf16 && avx512 === false) {
    throw new Error(`bf16 ${of} is true, but x86 has bf16 as a part of AVX-512 (avx512_bf16), and avx512 is false`);
  }
  return { avx512: avx512 ?? true, bf16: bf16 ?? false, amx: false };
}

function customAccelerator(of: string, { gpus = 0, gpuMemory }: CustomNode): Accelerator | undefined {
  checkInteger(`gpus ${of}`, gpus, 0, 64);
  if (gpus === 0) {
    if (gpuMemory !== undefined) {
      throw new Error(`gpuMemory ${of} is given without gpus; set gpus to their number`);
    }
    return undefined;
  }
  if (gpuMemory === undefined) {
    throw new Error(`gpus ${of} is ${gpus} without gpuMemory; set gpuMemory to the memory of one of them`);
  }
  checkMemory(`gpuMemory ${of}`, gpuMemory);
  return assumedAccelerator(gpus, gpuMemory);
}

function checkMemory(what: string, bytes: number): void {
  if (!(bytes >= GIBI)) {
    throw new Error(`${what} is ${bytes} bytes; it takes 1 GiB or more`);
  }
}
