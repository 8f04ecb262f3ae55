import { Answers } from '../../common/memo';
import type { RolePod, Workload } from '../../manifest/groups';
import { podsSelectedBy, type SelectedPod } from '../../manifest/selected';
import { readService } from '../../manifest/services';
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
    const silent = silentOf.of(selected, '', () => silentWorkers(selected));
    const ports = [...new Set(service.ports.flatMap(({ targetPort }) => targetPort ?? []))].filter((port) =>
      silent.has(port),
    );
    if (ports.length > 0) {
      const [{ port }] = silent.get(ports[0]!)! as [Silent];
      const groups = wordsOf.of(selected, JSON.stringify(ports), () =>
        listed(new Set(ports.flatMap((each) => silent.get(each)!.map(({ name }) => name)))),
      );
      yield {
        object,
        path: 'spec.selector',
        what: `it selects the workers of ${groups}, which do not listen on port ${port}`,
        fix: `add leaderworkerset.sigs.k8s.io/worker-index: "0" to the selector`,
      };
    }
  }
}

/** A group whose workers do not listen on the port of the leader's server. */
interface Silent {
  readonly name: string;
  readonly port: number;
}

/** Services that select the same pods get the same answers. */
const silentOf = new Answers<readonly SelectedPod[], ReadonlyMap<number | string, Silent[]>>();
const wordsOf = new Answers<readonly SelectedPod[], string>();

/** The groups whose workers do not answer, by what a Service would write to lead there: a number, or the name of a port. */
function silentWorkers(selected: readonly SelectedPod[]): ReadonlyMap<number | string, Silent[]> {
  const found = new Map<number | string, Silent[]>();
  for (const { workload, pod } of selected) {
    const port = pod.role === 'worker' ? silentPort(workload, pod) : undefined;
    if (port === undefined) {
      continue;
    }
    const declared = [...pod.containers, ...pod.initContainers].flatMap(({ ports }) => ports);
    const names = declared
      .filter(({ name }, i) => name !== undefined && declared.findIndex((other) => other.name === name) === i)
      .flatMap(({ name, containerPort }) => (containerPort === port ? name! : []));
    for (const key of [port, ...names]) {
      const groups = found.get(key) ?? [];
      groups.push({ name: nameOf(workload.object), port });
      found.set(key, groups);
    }
  }
  return found;
}

/** The port of the leader's server, when the workers surely do not listen there and get requests all the same. */
function silentPort({ leader }: Workload, worker: RolePod): number | undefined {
  const port = leader.engine?.settings?.port.value;
  const others = [...worker.containers, ...worker.initContainers].filter(
    ({ path }) => !worker.engines.some((engine) => engine.path === path),
  );
  const isOpen =
    others.some(({ ports }) => ports.some(({ containerPort }) => containerPort === port)) ||
    // A worker that does not get ready gets no requests.
    worker.containers.some(({ readinessProbe }) => readinessProbe !== undefined);
  return port !== undefined && isSilent(worker) && !isOpen ? port : undefined;
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
