import { LWS_NAME_LABEL } from '../../engine/lws';
import type { RolePod } from '../../manifest/groups';
import { podsMatching, type SelectedPod } from '../../manifest/selected';
import { readDisruptionBudget } from '../../manifest/others';
import { CPU_GROUP, together } from '../examples';
import { nameOf } from '../finding';
import type { Report, Rule, RuleInput } from '../rule';
import { listed } from '../words';
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
  // Budgets that select the same share one list.
  const lists = new Set(budgets.map(({ pods }) => pods));
  const covered = new Set<RolePod>([...lists].flatMap((pods) => pods.map(({ pod }) => pod)));
  const halves = new Map([...lists].map((pods) => [pods, halfCovered(pods, covered)]));
  for (const { object, pods } of budgets) {
    const found = halves.get(pods);
    if (found !== undefined) {
      yield { object, path: 'spec.selector', ...found };
    }
  }
}

/** The groups of which a budget selects one role, and none the other. */
function halfCovered(
  pods: readonly SelectedPod[],
  covered: ReadonlySet<RolePod>,
): Pick<Report, 'what' | 'fix'> | undefined {
  const groups = pods.filter((selected) => {
    const other = otherRole(selected);
    return other !== undefined && !covered.has(other);
  });
  const [first] = groups;
  if (first === undefined) {
    return undefined;
  }
  const names = new Set(groups.map(({ workload }) => nameOf(workload.object)));
  return {
    what: `it selects the ${first.pod.role}s of ${listed(names)} and not their ${otherRole(first)!.role}s`,
    fix: `select ${LWS_NAME_LABEL}: ${first.workload.name} alone${names.size > 1 ? ', for each group' : ''}`,
  };
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
