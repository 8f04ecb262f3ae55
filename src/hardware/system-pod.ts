import type { Size } from 'cdk8s';
import type { Cpu } from '../common/cpu';
import { checkKind } from '../common/kinds';
import { checkDnsSubdomain } from '../common/names';
import { bytesOf } from '../common/numbers';
import type { SystemPodSpec } from './node-spec';

/**
 * A pod that runs beside the ranks: what it requests is not there for them.
 *
 * @example
 *   { name: 'node-local-dns', cpu: Cpu.millis(25), memory: Size.mebibytes(5), everyNode: true };
 */
export interface SystemPod {
  /** Name of its workload, for messages. Two pods of a Deployment with two replicas are two entries. */
  readonly name: string;
  /**
   * CPU that it requests.
   * @default - none: the scheduler counts it as a pod alone
   */
  readonly cpu?: Cpu;
  /**
   * Memory that it requests.
   * @default - none
   */
  readonly memory?: Size;
  /**
   * Whether every node has one, as with a DaemonSet. Any node may get one that is not everywhere.
   * @default false
   */
  readonly everyNode?: boolean;
}

/** The pod in plain numbers. */
export function systemPodSpec({ name, cpu, memory, everyNode }: SystemPod): SystemPodSpec {
  checkDnsSubdomain('name of a system pod', name);
  if (cpu !== undefined) {
    checkKind(`cpu of system pod ${name}`, cpu, 'millicores', 'Cpu.millis(100)');
  }
  return {
    name,
    cpuMillis: cpu?.millicores ?? 0,
    memory: memory ? bytesOf(memory) : 0,
    everyNode: everyNode ?? false,
  };
}
