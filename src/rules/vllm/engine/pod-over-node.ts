import { reservedMemory } from '../../../hardware/allocatable';
import type { NodeSpec } from '../../../hardware/node-spec';
import { coresText, sizeText } from '../../../fit/units';
import type { Container, RolePod } from '../../../manifest';
import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine, nodesOf } from './engines';

/** What the scheduler counts for a pod, at least: its containers together. */
function requested({ containers }: RolePod, name: string, of: 'value' | 'millis'): number {
  return containers.reduce((sum, { resources }: Container) => sum + (resources.requests.get(name)?.[of] ?? 0), 0);
}

/** What no node of a type can give a pod; nothing when it may. */
function lackOf(pod: RolePod, node: NodeSpec): string | undefined {
  const cpu = requested(pod, 'cpu', 'millis');
  if (cpu > node.allocatable.cpuMillis) {
    return `${coresText(cpu)} CPU, and a ${node.name} has ${coresText(node.allocatable.cpuMillis)} for pods`;
  }
  const gpus = requested(pod, 'nvidia.com/gpu', 'value');
  if (gpus > (node.accelerator?.count ?? 0)) {
    return `${gpus} GPUs, and a ${node.name} has ${node.accelerator?.count ?? 'none'}`;
  }
  const memory = requested(pod, 'memory', 'value');
  // The kernel shows less than the nominal memory, so this is more than there is.
  const most = node.memory - reservedMemory(node.allocatable.pods);
  return memory > most
    ? `${sizeText(memory)} of memory, and a ${node.name} has at most ${sizeText(most)} for pods`
    : undefined;
}

const check = eachEngine(function* ({ pod, engine }) {
  const lacks = nodesOf(pod)?.map((node) => lackOf(pod, node)) ?? [];
  if (lacks.length > 0 && lacks.every((lack) => lack !== undefined)) {
    yield { path: `${engine.resources.path}.requests`, what: `the pod requests ${lacks[0]}` };
  }
});

const ON = (type: string): string =>
  edit(CPU_POD, [
    '{ kubernetes.io/arch: amd64 }',
    `{ kubernetes.io/arch: amd64, node.kubernetes.io/instance-type: ${type} }`,
  ]);

export const podOverNode: Rule = {
  id: 'vllm/pod-over-node',
  severity: 'error',
  title: 'the pod requests more than its kind of node has',
  why: 'the scheduler finds no node: the pod stays Pending',
  fix: 'request less, or select larger nodes',
  holds: 'pods that select EC2 instance types, as the EKS node image reserves',
  source: 'nodeadm of awslabs/amazon-eks-ami: kubeReserved by CPU and by number of pods',
  get bad() {
    return ON('m7i.xlarge');
  },
  get good() {
    return ON('m7i.2xlarge');
  },
  check,
};
