import { Answers } from '../../common/memo';
import type { RolePod, Workload } from '../../manifest/groups';
import { podsSelectedBy, type SelectedPod } from '../../manifest/selected';
import { leadsTo, readService, type Service } from '../../manifest/services';
import { CPU_GROUP, edit, GROUP_SERVICE, together } from '../examples';
import { nameOf } from '../finding';
import type { Report, Rule, RuleInput } from '../rule';
import { listed } from '../words';
import { isSilent } from './bond';

function* check({ set, manifests: { workloads } }: RuleInput): Iterable<Report> {
  for (const object of set.ofKind('Service')) {
    const service = readService(object);
    // Without an address of its own it names pods, which is what rendezvous needs.
    if (service.isHeadless || service.type === 'ExternalName') {
      continue;
    }
    const selected = podsSelectedBy(service, workloads);
    const ports = JSON.stringify(service.ports.map(({ targetPort }) => targetPort));
    const silent = silentOf.of(selected, ports, () => silentWorkers(service, selected));
    if (silent !== undefined) {
      yield {
        object,
        path: 'spec.selector',
        what: `it selects the workers of ${silent.names}, which do not listen on port ${silent.port}`,
        fix: `add leaderworkerset.sigs.k8s.io/worker-index: "0" to the selector`,
      };
    }
  }
}

/** The groups whose workers get requests, and the port of the first. */
interface Silent {
  readonly names: string;
  readonly port: number;
}

/** Services that select the same pods for the same ports get the same answer. */
const silentOf = new Answers<readonly SelectedPod[], Silent | undefined>();

function silentWorkers(service: Service, selected: readonly SelectedPod[]): Silent | undefined {
  const names = new Set<string>();
  let first: number | undefined;
  for (const { workload, pod } of selected) {
    const port = pod.role === 'worker' ? silentPort(service, workload, pod) : undefined;
    if (port !== undefined) {
      first ??= port;
      names.add(nameOf(workload.object));
    }
  }
  return first === undefined ? undefined : { names: listed(names), port: first };
}

/** The port of the leader's server that the Service sends to workers as well. */
function silentPort(service: Service, { leader }: Workload, worker: RolePod): number | undefined {
  const port = leader.engine?.settings?.port.value;
  const containers = [...worker.containers, ...worker.initContainers];
  const others = containers.filter(({ path }) => !worker.engines.some((engine) => engine.path === path));
  const isOpen =
    others.some(({ ports }) => ports.some(({ containerPort }) => containerPort === port)) ||
    // A worker that does not get ready gets no requests.
    worker.containers.some(({ readinessProbe }) => readinessProbe !== undefined);
  const declared = containers.flatMap(({ ports }) => ports);
  return port !== undefined &&
    isSilent(worker) &&
    !isOpen &&
    service.ports.some((each) => leadsTo(each, declared) === port)
    ? port
    : undefined;
}

const ALL_PODS = (): string =>
  edit(
    GROUP_SERVICE,
    ['\n    leaderworkerset.sigs.k8s.io/worker-index: "0"', ''],
    ['targetPort: http', 'targetPort: 8000'],
  );

export const serviceSelectsWorkers: Rule = {
  id: 'lws/service-selects-workers',
  severity: 'error',
  title: 'a Service sends requests to workers, which serve none',
  why: 'a worker without a probe counts as ready, so its share of the connections is refused',
  fix: 'select the leaders alone',
  source: 'kubernetes-sigs/lws#689',
  get bad() {
    return together(CPU_GROUP, ALL_PODS());
  },
  get good() {
    return together(CPU_GROUP, GROUP_SERVICE);
  },
  check,
};
