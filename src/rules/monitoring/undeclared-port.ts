import { get, integerOf, listOf, mapOf, textOf } from '../../manifest/json';
import type { Monitor, MonitorEndpoint } from '../../manifest/others';
import { podsMatching, podsSelectedBy, type SelectedPod } from '../../manifest/selected';
import { CPU_GROUP, edit, POD_MONITOR, together } from '../examples';
import { nameOf } from '../finding';
import type { Report, Rule, RuleInput } from '../rule';
import { monitorsOf, servicesOf } from './monitors';

function* check(input: RuleInput): Iterable<Report> {
  const { workloads } = input.manifests;
  for (const monitor of monitorsOf(input, 'PodMonitor')) {
    // A monitor of everything means other pods.
    const pods = isForAll(monitor) ? [] : podsMatching(monitor.selector, monitor.namespaces, workloads);
    for (const { endpoint, raw } of endpointsOf(monitor, 'podMetricsEndpoints')) {
      const wanted = endpoint.port ?? integerOf(get(raw, 'portNumber')) ?? endpoint.targetPort;
      if (pods.length > 0 && wanted !== undefined && !declares(pods, wanted)) {
        yield { object: monitor.object, path: endpoint.path, ...undeclared(pods, wanted) };
      }
    }
  }
  for (const monitor of monitorsOf(input, 'ServiceMonitor')) {
    const services = isForAll(monitor) ? [] : servicesOf(input, monitor);
    for (const { endpoint } of endpointsOf(monitor, 'endpoints')) {
      const { port, targetPort, path } = endpoint;
      if (services.length === 0) {
        continue;
      }
      const names = services.flatMap(({ ports }) => ports.flatMap(({ name }) => name ?? []));
      if (port !== undefined && !names.includes(port)) {
        yield {
          object: monitor.object,
          path,
          what: `no port of Service/${services[0]!.name} is called '${port}'${names.length > 0 ? `; there is ${names.join(', ')}` : '; they have no names'}`,
          why: 'targets are taken by the names of the ports of the Service, so nothing is scraped',
          fix: 'write the name of a port of the Service, and give it one where it has none',
        };
      }
      const pods = services.flatMap((service) => podsSelectedBy(service, workloads));
      if (port === undefined && targetPort !== undefined && pods.length > 0 && !declares(pods, targetPort)) {
        yield { object: monitor.object, path, ...undeclared(pods, targetPort) };
      }
    }
  }
}

/** Whether it selects whatever there is, in all namespaces or in one. */
function isForAll({ object }: Monitor): boolean {
  const selector = get(object.spec, 'selector');
  return (
    Object.keys(mapOf(get(selector, 'matchLabels')) ?? {}).length + listOf(get(selector, 'matchExpressions')).length ===
    0
  );
}

/** The endpoints that go by a declared port; a relabelling may make another address of any. */
function endpointsOf({ endpoints, object }: Monitor, list: string): { endpoint: MonitorEndpoint; raw: unknown }[] {
  const raws = listOf(get(object.spec, list));
  return endpoints
    .map((endpoint, i) => ({ endpoint, raw: raws[i] }))
    .filter(
      ({ raw }) => !listOf(get(raw, 'relabelings')).some((each) => textOf(get(each, 'targetLabel')) === '__address__'),
    );
}

function declares(pods: readonly SelectedPod[], wanted: number | string): boolean {
  return pods.some(({ pod }) =>
    [...pod.containers, ...pod.initContainers].some(({ ports }) =>
      ports.some(({ name, containerPort }) => name === wanted || containerPort === wanted),
    ),
  );
}

function undeclared(pods: readonly SelectedPod[], wanted: number | string): { what: string } {
  const names = new Set(
    pods.flatMap(({ pod }) => pod.containers.flatMap(({ ports }) => ports.flatMap(({ name }) => name ?? []))),
  );
  return {
    what: `no container of ${nameOf(pods[0]!.workload.object)} declares port ${typeof wanted === 'string' ? `'${wanted}'` : wanted}${names.size > 0 ? `; there is ${[...names].join(', ')}` : ''}`,
  };
}

export const undeclaredPort: Rule = {
  id: 'monitoring/undeclared-port',
  severity: 'error',
  title: 'a monitor scrapes a port that is not declared',
  why: 'targets are taken by the declared ports of the containers, so nothing is scraped',
  fix: 'write the name of a port of the container, or declare one of that name',
  source: 'prometheus-operator/prometheus-operator#3636',
  get bad() {
    return together(CPU_GROUP, edit(POD_MONITOR, ['port: http', 'port: metrics']));
  },
  get good() {
    return together(CPU_GROUP, POD_MONITOR);
  },
  check,
};
