import { CPU_GROUP, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { eachContainer } from './containers';

const HIGHEST = 65_535;

function* check({ manifests: { workloads } }: RuleInput): Iterable<Report> {
  for (const { workload, container } of eachContainer(workloads)) {
    const { ports, startupProbe, readinessProbe, livenessProbe } = container;
    const numbers = [
      ...ports.map(({ containerPort, path }) => ({ port: containerPort, path: `${path}.containerPort` })),
      ...[startupProbe, readinessProbe, livenessProbe].flatMap((probe) =>
        typeof probe?.writtenPort === 'number' ? [{ port: probe.writtenPort, path: probe.path }] : [],
      ),
    ];
    for (const { port, path } of numbers) {
      if (port !== undefined && (port < 1 || port > HIGHEST)) {
        yield { object: workload.object, path, what: `the port is ${port}; ports go from 1 to ${HIGHEST}` };
      }
    }
  }
}

export const portNumber: Rule = {
  id: 'k8s/port-number',
  severity: 'error',
  title: 'a port that there cannot be',
  why: 'the API server refuses the pods; of a LeaderWorkerSet it takes the group, and then no pod is made',
  fix: `take a port from 1 to ${HIGHEST}`,
  source: 'validation of pods in the Kubernetes API; a group on a real controller',
  get bad() {
    return edit(CPU_GROUP, [
      'ports: [{ name: http, containerPort: 8000 }]',
      'ports: [{ name: http, containerPort: 8000 }, { name: metrics, containerPort: 80000 }]',
    ]);
  },
  good: CPU_GROUP,
  check,
};
