import { GIBI, MEBI } from '../common/numbers';
import type { Allocatable } from './node-spec';

/**
 * What the kubelet of an EKS node keeps back, as nodeadm of the AL2023 images sets it up. Source: awslabs/amazon-eks-ami,
 * nodeadm/internal/kubelet/config.go.
 */
const CPU_BANDS = [
  { upTo: 1000, perTenThousand: 600 },
  { upTo: 2000, perTenThousand: 100 },
  { upTo: 4000, perTenThousand: 50 },
  { upTo: Infinity, perTenThousand: 25 },
];
const RESERVED_MEBIBYTES = 255;
const RESERVED_MEBIBYTES_PER_POD = 11;
/** `evictionHard`: `memory.available` below this evicts pods, so that pods cannot have it. */
const EVICTION_MEBIBYTES = 100;

/**
 * The kernel shows less memory than the instance type has. Karpenter plans with 7.5 % less (`VM_MEMORY_OVERHEAD_PERCENT`),
 * and with 64 MiB less before that on Arm, where the kernel keeps them for contiguous allocation; seen on EKS are 2.7 % to
 * 3.5 % on x86, so this is a floor.
 */
export const VISIBLE_PER_THOUSAND = 925;
export const ARM_MEBIBYTES = 64;

/**
 * Pods of a node whose addresses come from the VPC CNI without prefix delegation: one address of each interface belongs to
 * the interface itself, and two pods of every node use the address of the host.
 */
export function podsByAddresses(interfaces: number, addresses: number): number {
  return interfaces * (addresses - 1) + 2;
}

/** CPU that the kubelet keeps back, in thousandths of a core. */
export function reservedCpuMillis(cpus: number): number {
  const total = cpus * 1000;
  let reserved = 0;
  let from = 0;
  for (const { upTo, perTenThousand } of CPU_BANDS) {
    reserved += Math.floor((Math.max(0, Math.min(total, upTo) - from) * perTenThousand) / 10_000);
    from = upTo;
  }
  return reserved;
}

/** Memory that the kubelet keeps back, the eviction threshold included, in bytes. */
export function reservedMemory(pods: number): number {
  return (RESERVED_MEBIBYTES + RESERVED_MEBIBYTES_PER_POD * pods + EVICTION_MEBIBYTES) * MEBI;
}

/** What pods can have of a node. `memory` is the nominal size in bytes; 0 is left when the kubelet keeps back more. */
export function allocatable(
  node: { readonly cpus: number; readonly memory: number; readonly architecture: 'arm64' | 'amd64' },
  pods: number,
): Allocatable {
  const nominal = node.memory - (node.architecture === 'arm64' ? ARM_MEBIBYTES * MEBI : 0);
  const visible = (nominal / 1000) * VISIBLE_PER_THOUSAND;
  return {
    cpuMillis: node.cpus * 1000 - reservedCpuMillis(node.cpus),
    memory: Math.max(0, Math.floor((visible - reservedMemory(pods)) / MEBI)) * MEBI,
    pods,
  };
}

/**
 * Disk that pods can have (`ephemeral-storage`), bytes: 1 GiB is kept back, and pods are evicted when a tenth of the file
 * system is left.
 * @param capacity bytes of the file system; a root volume of 100 GiB gives about 107.3e9
 */
export function allocatableDisk(capacity: number): number {
  return Math.max(0, Math.floor(capacity * 0.9) - GIBI);
}
