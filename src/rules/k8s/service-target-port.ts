import { Answers } from '../../common/memo';
import type { Container } from '../../manifest/container';
import type { RolePod } from '../../manifest/groups';
import { podsSelectedBy, type SelectedPod } from '../../manifest/selected';
import { leadsTo, readService, type ServicePort } from '../../manifest/services';
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
    for (const port of service.ports) {
      const first = missed.of(selected, port.targetPort, () => missOfAll(port, selected));
      if (first !== undefined) {
        const declared = declaredBy.of(selected, '', () =>
          listed(new Set(selected.flatMap(({ pod }) => portsOf(pod)).map(nameOfPort))),
        );
        yield {
          object,
          path: `${port.path}.targetPort`,
          what: `targetPort ${port.targetPort} is none of the ports of ${nameOf(workload.object)}: ${declared || 'it declares none'}`,
          severity: first,
          ...(first === 'warning' && {
            why: 'unless something listens there all the same, every connection is refused',
          }),
        };
      }
    }
  }
}

/** Services that select the same pods get the same answers. */
const missed = new Answers<readonly SelectedPod[], Miss>();
const declaredBy = new Answers<readonly SelectedPod[], string>();

/** How sure it is that nothing answers behind a port of a Service, whichever of its pods is asked. */
function missOfAll(port: ServicePort, selected: readonly SelectedPod[]): Miss {
  const first = miss(port, selected[0]!.pod);
  return first !== undefined && selected.every(({ pod }) => miss(port, pod) !== undefined) ? first : undefined;
}

type Miss = 'error' | 'warning' | undefined;

/** How sure it is that nothing answers behind a port of a Service. */
function miss(port: ServicePort, pod: RolePod): Miss {
  const { targetPort } = port;
  const declared = portsOf(pod);
  if (typeof targetPort === 'string') {
    return isPlaceholder(targetPort) || leadsTo(port, declared) !== undefined ? undefined : 'error';
  }
  const listens = (containers: readonly Container[]): boolean =>
    containers.some((container) => {
      const engine = pod.engines.find(({ path }) => path === container.path);
      if (engine === undefined) {
        // What declares no port may listen anywhere.
        return container.ports.length === 0;
      }
      const { port: own, masterPort, dataParallelSize } = engine.settings ?? {};
      const isAlone = engine.command.ray === undefined && dataParallelSize?.value === 1;
      return own?.value === undefined || own.value === targetPort || masterPort?.value === targetPort || !isAlone;
    });
  return targetPort === undefined ||
    declared.length === 0 ||
    declared.some(({ containerPort }) => containerPort === targetPort) ||
    listens(pod.containers) ||
    pod.initContainers.length > 0
    ? undefined
    : 'warning';
}

function portsOf(pod: RolePod): Container['ports'] {
  return [...pod.containers, ...pod.initContainers].flatMap(({ ports }) => ports);
}

function nameOfPort({ name, containerPort }: Container['ports'][number]): string {
  return name === undefined ? String(containerPort) : `${name} (${containerPort})`;
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
