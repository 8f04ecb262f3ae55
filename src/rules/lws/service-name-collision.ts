import { Answers } from '../../common/memo';
import { splitOrdinal } from '../../engine/lws';
import { podsSelectedBy, type SelectedPod } from '../../manifest/selected';
import type { RolePod } from '../../manifest/groups';
import { readService } from '../../manifest/services';
import { type KubernetesObject, nameOf, placeOf } from '../finding';
import type { Report, Rule, RuleInput } from '../rule';
import { groupSpecOf } from './group-spec';

const BUNDLE = (service: string): string => `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: { name: gemma, namespace: vllm }
spec:
  leaderWorkerTemplate:
    size: 2
    workerTemplate:
      spec:
        containers: [{ name: agent, image: registry.example/agent:1.0 }]
---
apiVersion: v1
kind: Service
metadata: { name: ${service}, namespace: vllm }
spec:
  selector:
    leaderworkerset.sigs.k8s.io/name: gemma
    leaderworkerset.sigs.k8s.io/worker-index: "0"
  ports: [{ port: 8000 }]
`;

function* check(input: RuleInput): Iterable<Report> {
  const { set } = input;
  const shared = new Map<string, KubernetesObject>();
  const numbered = new Map<string, KubernetesObject[]>();
  for (const service of set.ofKind('Service')) {
    if (service.apiVersion !== 'v1') {
      continue;
    }
    shared.set(placeOf(service), service);
    const numberedName = splitOrdinal(service.metadata.name);
    if (numberedName) {
      const place = placeOf(service, numberedName.base);
      const known = numbered.get(place);
      if (known) {
        known.push(service);
      } else {
        numbered.set(place, [service]);
      }
    }
  }
  for (const lws of set.ofKind('LeaderWorkerSet')) {
    const taken = shared.get(placeOf(lws));
    // One headless Service for the whole set, or one for each group, with its ordinal.
    const isUnique = groupSpecOf(lws).subdomainPolicy === 'UniquePerReplica';
    const collisions = isUnique ? (numbered.get(placeOf(lws)) ?? []) : taken ? [taken] : [];
    for (const service of collisions) {
      if (doesItsWork(service, lws, input)) {
        continue;
      }
      yield {
        object: service,
        path: 'metadata.name',
        what: `Service '${service.metadata.name}' has the name of the headless Service of ${nameOf(lws)}`,
        fix: `give the Service another name, for example '${lws.metadata.name}-leader'`,
      };
    }
  }
}

/** A headless Service that gives the leader its address as that of LWS would, before it is ready. */
function doesItsWork(
  object: KubernetesObject,
  lws: KubernetesObject,
  { manifests: { workloads } }: RuleInput,
): boolean {
  const service = readService(object);
  return (
    service.isHeadless &&
    // A group has one pod that is no worker.
    [leadersOf(podsSelectedBy(service, workloads)).get(lws)].some(
      (pod) =>
        pod !== undefined &&
        (service.publishesNotReady || pod.containers.every(({ readinessProbe }) => readinessProbe === undefined)),
    )
  );
}

const leaders = new Answers<readonly SelectedPod[], ReadonlyMap<KubernetesObject, RolePod>>();

/** The pods that are no workers, by their objects. */
function leadersOf(selected: readonly SelectedPod[]): ReadonlyMap<KubernetesObject, RolePod> {
  return leaders.of(
    selected,
    '',
    () =>
      new Map(
        selected.filter(({ pod }) => pod.role !== 'worker').map(({ workload, pod }) => [workload.object, pod] as const),
      ),
  );
}

/** A Service that has the name of a group's headless Service is silently kept, and the leader gets no address. */
export const serviceNameCollision: Rule = {
  id: 'lws/service-name-collision',
  severity: 'error',
  title: 'a Service has the name of the headless Service of a group',
  why: 'the LWS controller keeps it as it is, so the address of the leader never resolves and no rank joins',
  fix: 'give the Service another name',
  source: 'pkg/controllers of sigs.k8s.io/lws; seen with a real controller',
  get bad() {
    return BUNDLE('gemma');
  },
  get good() {
    return BUNDLE('gemma-leader');
  },
  check,
};
