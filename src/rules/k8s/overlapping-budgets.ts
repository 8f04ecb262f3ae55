import type { RolePod } from '../../manifest/groups';
import { readDisruptionBudget } from '../../manifest/others';
import { podsMatching, type SelectedPod } from '../../manifest/selected';
import { CPU_POD, together } from '../examples';
import { type KubernetesObject, nameOf } from '../finding';
import type { Report, Rule, RuleInput } from '../rule';
import { listed } from '../words';

const BUDGET = (name: string): string => `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: ${name}, namespace: serving }
spec:
  maxUnavailable: 1
  selector: { matchLabels: { app: small } }
`;

function* check({ set, manifests: { workloads } }: RuleInput): Iterable<Report> {
  /** The first budget of each pod, by its name. */
  const guards = new Map<RolePod, string>();
  /** Budgets that select the same share one list, whose pods are all guarded once it was seen. */
  const seen = new Map<readonly SelectedPod[], { readonly first: string; readonly names: string }>();
  // By name, so that the order of the objects does not matter.
  const budgets = [...set.ofKind('PodDisruptionBudget')].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  for (const object of budgets) {
    const { name, namespace = '' } = object.metadata;
    const pods = podsMatching(readDisruptionBudget(object).selector, [namespace], workloads);
    let shared = seen.get(pods);
    if (shared === undefined && pods.length > 0) {
      const others = pods.filter(({ pod }) => (guards.get(pod) ?? name) !== name);
      if (others.length > 0) {
        yield overlap(object, guards.get(others[0]!.pod)!, namesOf(others));
      }
      for (const { pod } of pods) {
        if (!guards.has(pod)) {
          guards.set(pod, name);
        }
      }
      shared = { first: guards.get(pods[0]!.pod)!, names: namesOf(pods) };
      seen.set(pods, shared);
    } else if (shared !== undefined && shared.first !== name) {
      yield overlap(object, shared.first, shared.names);
    }
  }
}

function namesOf(pods: readonly SelectedPod[]): string {
  return listed(new Set(pods.map(({ workload }) => nameOf(workload.object))));
}

function overlap(object: KubernetesObject, first: string, names: string): Report {
  return {
    object,
    path: 'spec.selector',
    what: `it selects pods of ${names}, and so does PodDisruptionBudget/${first}`,
  };
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
