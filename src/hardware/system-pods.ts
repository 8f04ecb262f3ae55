import { GIBI, MEBI } from '../common/numbers';
import type { NodeSpec, SystemPodSpec } from './node-spec';

/**
 * What the chart of LeaderWorkerSet requests for its controller unless told otherwise (`resources.requests`): a whole CPU,
 * which can keep a rank off the node that it lands on.
 */
export const LWS_CONTROLLER_OF_CHART: SystemPodSpec = other('lws-controller-manager', 1000, GIBI);

/** The same with `--set resources.requests.cpu=100m`, which the printed prerequisites install it with. */
export const LWS_CONTROLLER: SystemPodSpec = other('lws-controller-manager', 100, GIBI);

/** The DaemonSets that EKS puts on every node: the add-ons vpc-cni (two containers of 25m) and kube-proxy. */
const EKS_DAEMON_SETS: readonly SystemPodSpec[] = [daemonSet('aws-node', 50), daemonSet('kube-proxy', 100)];

/**
 * The pods of a cluster that was set up as the reference deployment says: the add-ons of EKS, the controllers of
 * LeaderWorkerSet and of the load balancer, and monitoring by kube-prometheus-stack and Alloy. Requests are those of the
 * manifests of the add-ons and of the charts' default values; many make none, and count as a pod alone.
 */
export const DEFAULT_SYSTEM_PODS: readonly SystemPodSpec[] = [
  ...EKS_DAEMON_SETS,
  daemonSet('eks-pod-identity-agent'),
  other('coredns', 100, 70 * MEBI),
  other('coredns', 100, 70 * MEBI),
  other('metrics-server', 100, 200 * MEBI),
  other('aws-load-balancer-controller'),
  other('aws-load-balancer-controller'),
  LWS_CONTROLLER,
  daemonSet('prometheus-node-exporter'),
  // The chart of Alloy: the container that reloads the configuration makes the requests.
  daemonSet('alloy', 10, 50 * MEBI),
  other('prometheus-operator'),
  other('prometheus'),
  other('alertmanager'),
  other('kube-state-metrics'),
  other('grafana'),
];

function daemonSet(name: string, cpuMillis = 0, memory = 0): SystemPodSpec {
  return { name, cpuMillis, memory, everyNode: true };
}

function other(name: string, cpuMillis = 0, memory = 0): SystemPodSpec {
  return { name, cpuMillis, memory, everyNode: false };
}

/** What a node gives to system pods. */
export interface SystemLoad {
  readonly cpuMillis: number;
  /** Bytes. */
  readonly memory: number;
  /** The pods themselves. */
  readonly list: readonly SystemPodSpec[];
  /** Their number. */
  readonly pods: number;
}

/**
 * What one node may have to give: the pods of all DaemonSets, and all others as well, since nothing keeps them from
 * landing on it together once another node is replaced.
 */
export function worstNode(pods: readonly SystemPodSpec[]): SystemLoad {
  return load(pods);
}

/** What every node gives, even if all pods that have the choice run elsewhere: those of the DaemonSets. */
export function bestNode(pods: readonly SystemPodSpec[]): SystemLoad {
  return load(pods.filter(({ everyNode }) => everyNode));
}

function load(list: readonly SystemPodSpec[]): SystemLoad {
  let cpuMillis = 0;
  let memory = 0;
  for (const pod of list) {
    cpuMillis += pod.cpuMillis;
    memory += pod.memory;
  }
  return { cpuMillis, memory, list, pods: list.length };
}

/**
 * What is left for ranks on a node if all of `pods` run there, as `worstNode` has it; below 0 when it has not even that.
 * With `bestNode(pods).list` in their place: what is left if only those run there that have no choice.
 */
export function freeOn(
  { allocatable }: Pick<NodeSpec, 'allocatable'>,
  pods: readonly SystemPodSpec[],
): { readonly cpuMillis: number; readonly memory: number; readonly pods: number } {
  const taken = worstNode(pods);
  return {
    cpuMillis: allocatable.cpuMillis - taken.cpuMillis,
    memory: allocatable.memory - taken.memory,
    pods: allocatable.pods - taken.pods,
  };
}
