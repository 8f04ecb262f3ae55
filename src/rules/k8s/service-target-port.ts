import { Answers } from '../../common/memo';
import type { Container } from '../../manifest/container';
import type { RolePod } from '../../manifest/groups';
import { podsSelectedBy, type SelectedPod } from '../../manifest/selected';
import { readService, type ServicePort } from '../../manifest/services';
import { CPU_POD, edit, POD_SERVICE, together } from '../examples';
import { nameOf } from '../finding';
import { isPlaceholder } from './placeholder';
import type { Report, Rule, RuleInput } from '../rule';
import { listed } from '../words';

function* check({ set, manifests: { workloads } }: RuleInput): Iterable<Report> {
  for (const object of set.ofKind('Service')) {
    const service = readService(object);
    const selected = podsSelectedBy(service, workloads);
    // Without an address of its own it only names pods.
    if (selected.length === 0 || service.type === 'ExternalName' || service.isHeadless) {
      continue;
    }
    const { workload } = selected[0]!;
    const found = listening.of(selected, '', () => listeningIn(selected));
    for (const port of service.ports) {
      const severity = miss(port, found);
      if (severity !== undefined) {
        yield {
          object,
          path: `${port.path}.targetPort`,
          what: `targetPort ${port.targetPort} is none of the ports of ${nameOf(workload.object)}: ${found.declared || 'it declares none'}`,
          severity,
          ...(severity === 'warning' && {
            why: 'unless something listens there all the same, every connection is refused',
          }),
        };
      }
    }
  }
}

/** What listens in some pods, as far as that can be told. */
interface Listening {
  /** Whether one of them may listen on any number. */
  readonly isAny: boolean;
  readonly numbers: ReadonlySet<number>;
  /** Names of declared ports that have a number. */
  readonly names: ReadonlySet<string>;
  /** The declared ports in words. */
  readonly declared: string;
}

/** Services that select the same pods get the same answer. */
const listening = new Answers<readonly SelectedPod[], Listening>();

/** How sure it is that nothing answers behind a port of a Service, whichever of its pods is asked. */
function miss({ targetPort }: ServicePort, { isAny, numbers, names }: Listening): 'error' | 'warning' | undefined {
  if (typeof targetPort === 'string') {
    return isPlaceholder(targetPort) || names.has(targetPort) ? undefined : 'error';
  }
  return targetPort === undefined || isAny || numbers.has(targetPort) ? undefined : 'warning';
}

function listeningIn(selected: readonly SelectedPod[]): Listening {
  const pods = selected.map(({ pod }) => ({ ...listensOf(pod), declared: portsOf(pod) }));
  const declared = pods.flatMap((pod) => pod.declared);
  return {
    isAny: pods.some(({ isAny }) => isAny),
    numbers: new Set(pods.flatMap(({ numbers }) => numbers)),
    names: new Set(
      // Of several ports of one name in a pod the first counts.
      pods.flatMap((pod) =>
        [...new Map(pod.declared.toReversed().map((port) => [port.name, port.containerPort]))].flatMap(
          ([name, port]) => (name === undefined || port === undefined ? [] : [name]),
        ),
      ),
    ),
    declared: listed(new Set(declared.map(nameOfPort))),
  };
}

/** The numbers that a pod listens on, or that it may listen on others. */
function listensOf(pod: RolePod): { readonly isAny: boolean; readonly numbers: readonly number[] } {
  const declared = portsOf(pod).flatMap(({ containerPort }) => containerPort ?? []);
  const numbers = [...declared];
  let isAny = portsOf(pod).length === 0 || pod.initContainers.length > 0;
  for (const container of pod.containers) {
    const engine = pod.engines.find(({ path }) => path === container.path);
    if (engine === undefined) {
      // What declares no port may listen anywhere.
      isAny ||= container.ports.length === 0;
      continue;
    }
    const { port: own, masterPort, dataParallelSize } = engine.settings ?? {};
    const isAlone = engine.command.ray === undefined && dataParallelSize?.value === 1;
    isAny ||= own?.value === undefined || !isAlone;
    numbers.push(...[own?.value, masterPort?.value].flatMap((value) => value ?? []));
  }
  return { isAny, numbers };
}

function portsOf(pod: RolePod): Container['ports'] {
  return [...pod.containers, ...pod.initContainers].flatMap(({ ports }) => ports);
}

function nameOfPort({ name, containerPort }: Container['ports'][number]): string {
  return [name, containerPort === undefined || name === undefined ? containerPort : `(${containerPort})`]
    .filter((word) => word !== undefined)
    .join(' ');
}

export const serviceTargetPort: Rule = {
  id: 'k8s/service-target-port',
  severity: 'error',
  title: 'a Service leads to a port that its pods do not declare',
  why: 'a name that no container declares leads nowhere: the Service has no endpoints there',
  fix: 'write the name or number of a port of the container',
  source: 'endpoints of Services in Kubernetes',
  get bad() {
    return together(CPU_POD, edit(POD_SERVICE, ['targetPort: http', 'targetPort: api']));
  },
  get good() {
    return together(CPU_POD, POD_SERVICE);
  },
  check,
};
