import { Answers } from '../../common/memo';
import type { Workload } from '../../manifest/groups';
import { get, integerOf, listOf, mapOf, textOf } from '../../manifest/json';
import type { Monitor, MonitorEndpoint } from '../../manifest/others';
import { podsMatching, podsSelectedBy, type SelectedPod } from '../../manifest/selected';
import type { Service } from '../../manifest/services';
import { CPU_GROUP, edit, POD_MONITOR, together } from '../examples';
import { nameOf } from '../finding';
import type { Report, Rule, RuleInput } from '../rule';
import { listed } from '../words';
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
      const names = namesOf(services);
      if (port !== undefined && !names.has(port)) {
        yield {
          object: monitor.object,
          path,
          what: `no port of Service/${services[0]!.name} is called '${port}'${names.size > 0 ? `; there is ${listed(names)}` : '; they have no names'}`,
          why: 'targets are taken by the names of the ports of the Service, so nothing is scraped',
          fix: 'write the name of a port of the Service, and give it one where it has none',
        };
      }
      const pods = podsBehind(services, workloads);
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

const portNames = new Answers<readonly Service[], ReadonlySet<string>>();
const behind = new Answers<readonly Service[], readonly SelectedPod[]>();
const declared = new Answers<readonly SelectedPod[], Declared>();

function namesOf(services: readonly Service[]): ReadonlySet<string> {
  return portNames.of(
    services,
    '',
    () => new Set(services.flatMap(({ ports }) => ports.flatMap(({ name }) => name ?? []))),
  );
}

/** The pods that any of some Services selects. Services that select the same share one list. */
function podsBehind(services: readonly Service[], workloads: readonly Workload[]): readonly SelectedPod[] {
  return behind.of(services, '', () =>
    [...new Set(services.map((service) => podsSelectedBy(service, workloads)))].flat(),
  );
}

interface Declared {
  /** Names and numbers, those of init containers too. */
  readonly ports: ReadonlySet<number | string>;
  /** The names that containers give. */
  readonly names: ReadonlySet<string>;
}

function declaredBy(pods: readonly SelectedPod[]): Declared {
  return declared.of(pods, '', () => {
    const ports = new Set<number | string>();
    const names = new Set<string>();
    for (const { pod } of pods) {
      for (const { name, containerPort } of pod.containers.flatMap((container) => container.ports)) {
        names.add(name ?? '');
        ports.add(name ?? '').add(containerPort ?? '');
      }
      for (const { name, containerPort } of pod.initContainers.flatMap((container) => container.ports)) {
        ports.add(name ?? '').add(containerPort ?? '');
      }
    }
    names.delete('');
    ports.delete('');
    return { ports, names };
  });
}

function declares(pods: readonly SelectedPod[], wanted: number | string): boolean {
  return declaredBy(pods).ports.has(wanted);
}

function undeclared(pods: readonly SelectedPod[], wanted: number | string): { what: string } {
  const { names } = declaredBy(pods);
  return {
    what: `no container of ${nameOf(pods[0]!.workload.object)} declares port ${typeof wanted === 'string' ? `'${wanted}'` : wanted}${names.size > 0 ? `; there is ${listed(names)}` : ''}`,
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
