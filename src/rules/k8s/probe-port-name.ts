import { CPU_POD, edit } from '../examples';
import type { Probe } from '../../manifest/container';
import { listed } from '../words';
import { isPlaceholder } from './placeholder';
import type { Report, Rule, RuleInput } from '../rule';
import { eachContainer } from './containers';

function* check({ manifests: { workloads } }: RuleInput): Iterable<Report> {
  for (const { workload, container } of eachContainer(workloads)) {
    const { startupProbe, readinessProbe, livenessProbe, ports } = container;
    // One name that is missing is one fault, however many probes ask for it.
    const missing = new Map<string, Probe[]>();
    for (const probe of [startupProbe, readinessProbe, livenessProbe]) {
      const name = probe?.writtenPort;
      // A text of digits is a port number to Kubernetes too.
      if (probe === undefined || typeof name !== 'string' || /^\d+$/.test(name) || isPlaceholder(name)) {
        continue;
      }
      if (probe.port === undefined) {
        missing.set(name, [...(missing.get(name) ?? []), probe]);
      }
    }
    for (const [name, probes] of missing) {
      const names = ports.flatMap((port) => port.name ?? []);
      const who = probes.map(({ path }) => path.slice(path.lastIndexOf('.') + 1)).join(' and ');
      yield {
        object: workload.object,
        path: probes[0]!.path,
        what: `${who} ${probes.length === 1 ? 'asks' : 'ask'} port '${name}', and ${names.length > 0 ? `the ports of the container are called ${listed(names)}` : 'the container names no port'}`,
      };
    }
  }
}

export const probePortName: Rule = {
  id: 'k8s/probe-port-name',
  severity: 'error',
  title: 'a probe asks a port that the container does not name',
  why: 'the kubelet finds no port of that name, so the probe always fails',
  fix: 'name a port of the container so, or give the number',
  source: 'pkg/probe of Kubernetes',
  get bad() {
    return edit(CPU_POD, [
      'ports: [{ name: http, containerPort: 8000 }]',
      'ports: [{ name: api, containerPort: 8000 }]',
    ]);
  },
  good: CPU_POD,
  check,
};
