import { LWS_NAME_LABEL } from '../../engine/lws';
import type { RolePod } from '../../manifest/groups';
import { podsMatching, type SelectedPod } from '../../manifest/selected';
import { readDisruptionBudget } from '../../manifest/others';
import { CPU_GROUP, together } from '../examples';
import { nameOf } from '../finding';
import type { Report, Rule, RuleInput } from '../rule';
import { groupSpecOf } from './group-spec';
import { LONE_POLICIES } from './no-group-restart';

const BUDGET = (labels: string): string => `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: chat, namespace: serving }
spec:
  maxUnavailable: 1
  selector: { matchLabels: { ${LWS_NAME_LABEL}: chat${labels} } }
`;

function* check({ set, manifests: { workloads } }: RuleInput): Iterable<Report> {
  const budgets = set.ofKind('PodDisruptionBudget').map((object) => ({
    object,
    pods: podsMatching(readDisruptionBudget(object).selector, [object.metadata.namespace ?? ''], workloads),
  }));
  const covered = new Set<RolePod>(budgets.flatMap(({ pods }) => pods.map(({ pod }) => pod)));
  for (const { object, pods } of budgets) {
    for (const { workload, pod } of pods) {
      const other = otherRole({ workload, pod });
      if (other !== undefined && !covered.has(other)) {
        yield {
          object,
          path: 'spec.selector',
          what: `it selects the ${pod.role}s of ${nameOf(workload.object)} and not their ${other.role}s`,
          fix: `select ${LWS_NAME_LABEL}: ${workload.name} alone`,
        };
      }
    }
  }
}

/** The other pods of a group that ends as a whole. */
function otherRole({ workload, pod }: SelectedPod): RolePod | undefined {
  const { size, kind, object, worker, leader } = workload;
  const endsAsOne = kind === 'LeaderWorkerSet' && !LONE_POLICIES.includes(groupSpecOf(object).restartPolicy ?? '');
  return endsAsOne && size !== undefined ? (pod === leader ? worker : leader) : undefined;
}

export const pdbLeadersOnly: Rule = {
  id: 'lws/pdb-leaders-only',
  severity: 'warning',
  title: 'a disruption budget guards one role of a group alone',
  why: 'a drain may evict a pod of the other role, and that ends the whole group',
  fix: 'select all pods of the group',
  source: 'evictions on a real API server',
  get bad() {
    return together(CPU_GROUP, BUDGET(', leaderworkerset.sigs.k8s.io/worker-index: "0"'));
  },
  get good() {
    return together(CPU_GROUP, BUDGET(''));
  },
  check,
};
