import type { KubernetesObject, RolePod } from '../../../manifest/index';
import { edit, GPU_GROUP } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { isMultiNode, ranksOf, once } from './engines';

const ISTIO = 'sidecar.istio.io/inject';
const LINKERD = 'linkerd.io/inject';

function* check(input: RuleInput): Iterable<Report> {
  const namespaces = new Map(
    input.set.ofKind('Namespace').map((namespace): [string, KubernetesObject] => [namespace.metadata.name, namespace]),
  );
  for (const rank of ranksOf(input)) {
    const { group, pod } = rank;
    const by = isMultiNode(rank) ? injectedBy(pod, namespaces.get(group.namespace)) : undefined;
    if (by !== undefined) {
      yield {
        object: group.object,
        path: `${pod.templatePath || 'spec'}.metadata`,
        what: `a proxy is put into the pod by ${by}`,
      };
    }
  }
}

function injectedBy(pod: RolePod, namespace: KubernetesObject | undefined): string | undefined {
  const own = pod.labels.get(ISTIO) ?? pod.annotations.get(ISTIO) ?? pod.annotations.get(LINKERD);
  if (own !== undefined) {
    return own === 'true' || own === 'enabled' ? (pod.annotations.has(LINKERD) ? LINKERD : ISTIO) : undefined;
  }
  const ofNamespace = namespace?.metadata.labels?.['istio-injection'] === 'enabled';
  return ofNamespace ? `istio-injection of Namespace/${namespace.metadata.name}` : undefined;
}

export const meshSidecar: Rule = {
  id: 'vllm/mesh-sidecar',
  severity: 'note',
  title: 'a service mesh between the ranks',
  why: 'ranks talk over random ports at full speed: a proxy in between slows them, and was seen to hang them',
  fix: 'set sidecar.istio.io/inject: "false" on the pods of the group',
  source: 'NVIDIA/nccl#1638',
  get bad() {
    return edit(
      GPU_GROUP,
      ['{ app: large, role: leader }', '{ app: large, role: leader, sidecar.istio.io/inject: "true" }'],
      ['{ app: large, role: worker }', '{ app: large, role: worker, sidecar.istio.io/inject: "true" }'],
    );
  },
  good: GPU_GROUP,
  check: once(check),
};
