import { get, mapOf } from '../../manifest/json';
import { CPU_GROUP, edit } from '../examples';
import { listed } from '../words';
import type { Report, Rule, RuleInput } from '../rule';
import { eachContainer } from './containers';

const PROBES = ['startupProbe', 'readinessProbe', 'livenessProbe'];
const HANDLERS = ['httpGet', 'tcpSocket', 'exec', 'grpc'];

function* check({ manifests: { workloads } }: RuleInput): Iterable<Report> {
  for (const { workload, container } of eachContainer(workloads)) {
    for (const name of PROBES) {
      const probe = mapOf(get(container.raw, name));
      if (probe === undefined || Object.hasOwn(probe, '<<')) {
        continue;
      }
      const handlers = HANDLERS.filter((handler) => probe[handler] !== undefined && probe[handler] !== null);
      if (handlers.length !== 1) {
        yield {
          object: workload.object,
          path: `${container.path}.${name}`,
          what:
            handlers.length === 0
              ? `it asks nothing: there is none of ${listed(HANDLERS)}`
              : `it has ${listed(handlers)}, and may have one of them`,
        };
      }
    }
  }
}

export const probeHandler: Rule = {
  id: 'k8s/probe-handler',
  severity: 'error',
  title: 'a probe that asks nothing, or two things',
  why: 'the API server refuses the pods; of a LeaderWorkerSet it takes the group, and then no pod is made',
  fix: 'leave one of httpGet, tcpSocket, exec and grpc',
  source: 'validation of pods in the Kubernetes API; a group on a real controller',
  get bad() {
    return edit(CPU_GROUP, [
      'readinessProbe: { httpGet: { path: /health, port: http } }',
      'readinessProbe: { httpGet: { path: /health, port: http }, tcpSocket: { port: http } }',
    ]);
  },
  good: CPU_GROUP,
  check,
};
