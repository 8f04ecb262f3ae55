import { nodeOf } from '../../../src/hardware/nodes';
import { FAKE_NODE } from './components';

export interface NodeOptions {
  /** EC2 instance type; what pods can have of it is what the planner reckons with. */
  readonly instanceType?: string;
  readonly zone?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A node as EKS shows it, for KWOK to play. */
export function fakeNode(
  name: string,
  { instanceType = 'm7g.2xlarge', zone = 'us-east-1a', labels }: NodeOptions = {},
) {
  const { architecture, cpus, memory, allocatable } = nodeOf(instanceType);
  const resources = (cpu: string, bytes: number) => ({
    cpu,
    memory: `${Math.floor(bytes / 1024)}Ki`,
    pods: String(allocatable.pods),
    'ephemeral-storage': '95491281146',
  });
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: FAKE_NODE,
      labels: {
        'kubernetes.io/arch': architecture,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/hostname': name,
        'node.kubernetes.io/instance-type': instanceType,
        'topology.kubernetes.io/region': zone.slice(0, -1),
        'topology.kubernetes.io/zone': zone,
        'eks.amazonaws.com/nodegroup': 'llm',
        'eks.amazonaws.com/capacityType': 'ON_DEMAND',
        ...labels,
      },
    },
    spec: { providerID: `aws:///${zone}/i-${name}` },
    status: {
      addresses: [{ type: 'Hostname', address: name }],
      capacity: resources(String(cpus), memory),
      allocatable: resources(`${allocatable.cpuMillis}m`, allocatable.memory),
      nodeInfo: {
        architecture,
        operatingSystem: 'linux',
        kubeletVersion: 'v1.36.3',
        kubeProxyVersion: 'v1.36.3',
        containerRuntimeVersion: 'containerd://2.2.4',
        kernelVersion: '6.18.0',
        osImage: 'Amazon Linux 2023',
        machineID: '',
        systemUUID: '',
        bootID: '',
      },
    },
  };
}
