import type { RolePod } from '../../manifest/groups';
import { readDisruptionBudget } from '../../manifest/others';
import { podsMatching } from '../../manifest/selected';
import { CPU_POD, together } from '../examples';
import { type KubernetesObject, nameOf } from '../finding';
import type { Report, Rule, RuleInput } from '../rule';

const BUDGET = (name: string): string => `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: ${name}, namespace: serving }
spec:
  maxUnavailable: 1
  selector: { matchLabels: { app: small } }
`;

function* check({ set, manifests: { workloads } }: RuleInput): Iterable<Report> {
  const guards = new Map<RolePod, Map<string, KubernetesObject>>();
  // By name, so that the order of the objects does not matter.
  const budgets = [...set.ofKind('PodDisruptionBudget')].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  for (const object of budgets) {
    for (const { workload, pod } of podsMatching(
      readDisruptionBudget(object).selector,
      [object.metadata.namespace ?? ''],
      workloads,
    )) {
      const others = guards.get(pod) ?? new Map<string, KubernetesObject>();
      guards.set(pod, others);
      const [first] = [...others.keys()];
      if (first !== undefined && !others.has(object.metadata.name)) {
        yield {
          object,
          path: 'spec.selector',
          what: `it selects pods of ${nameOf(workload.object)}, and so does PodDisruptionBudget/${first}`,
        };
      }
      others.set(object.metadata.name, object);
    }
  }
}

export const overlappingBudgets: Rule = {
  id: 'k8s/overlapping-budgets',
  severity: 'warning',
  title: 'two disruption budgets select one pod',
  why: 'the API server refuses every eviction of such a pod, so a node with it is never drained',
  fix: 'keep one of them',
  source: 'the eviction API of Kubernetes',
  get bad() {
    return together(CPU_POD, BUDGET('small'), BUDGET('small-again'));
  },
  get good() {
    return together(CPU_POD, BUDGET('small'));
  },
  check,
};
