import { CPU_POD, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { eachPod } from './containers';

function* check({ manifests: { workloads } }: RuleInput): Iterable<Report> {
  for (const { workload, pod } of eachPod(workloads)) {
    const taken = new Map<string, string>();
    for (const { ports, isInit } of [...pod.containers, ...pod.initContainers]) {
      for (const { hostPort, containerPort, protocol, path } of ports) {
        if (hostPort === undefined || hostPort === 0 || isInit) {
          continue;
        }
        if (pod.hostNetwork && containerPort !== undefined && hostPort !== containerPort) {
          yield {
            object: workload.object,
            path: `${path}.hostPort`,
            what: `hostPort is ${hostPort} and containerPort ${containerPort}, with hostNetwork`,
            fix: 'make them the same, or leave hostPort out',
          };
        }
        const key = `${hostPort}/${protocol}`;
        if (taken.has(key)) {
          yield {
            object: workload.object,
            path: `${path}.hostPort`,
            what: `hostPort ${hostPort} is taken twice in one pod`,
          };
        }
        taken.set(key, path);
      }
    }
  }
}

const POD = (port: number): string =>
  edit(
    CPU_POD,
    ['      enableServiceLinks: false\n', '      enableServiceLinks: false\n      hostNetwork: true\n'],
    ['containerPort: 8000 }', `containerPort: 8000, hostPort: ${port} }`],
  );

export const hostPort: Rule = {
  id: 'k8s/host-port',
  severity: 'error',
  title: 'host ports that contradict each other',
  why: 'the API server refuses the pods',
  fix: 'give each port of the node to one port of a container',
  source: 'validation of pods in the Kubernetes API',
  get bad() {
    return POD(9000);
  },
  get good() {
    return POD(8000);
  },
  check,
};
