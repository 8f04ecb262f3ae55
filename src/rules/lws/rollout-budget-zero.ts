import { CPU_GROUP, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { groupSpecOf, shareOf } from './group-spec';

const GROUP = (maxUnavailable: string): string =>
  edit(CPU_GROUP, [
    '  replicas: 1\n',
    `  replicas: 3
  rolloutStrategy:
    type: RollingUpdate
    rollingUpdateConfiguration: { maxUnavailable: ${maxUnavailable}, maxSurge: 0 }
`,
  ]);

function* check({ set }: RuleInput): Iterable<Report> {
  for (const object of set.ofKind('LeaderWorkerSet')) {
    const { replicas, maxUnavailable, maxSurge } = groupSpecOf(object);
    if (replicas === undefined || replicas < 1) {
      continue;
    }
    if (shareOf(maxUnavailable, replicas, 'down') === 0 && shareOf(maxSurge, replicas, 'up') === 0) {
      const rounded = maxUnavailable === 0 ? '' : `, which is no whole one of ${replicas}`;
      yield {
        object,
        path: 'spec.rolloutStrategy.rollingUpdateConfiguration',
        what: `maxUnavailable is ${String(maxUnavailable)}${rounded}, and maxSurge is ${String(maxSurge)}`,
      };
    }
  }
}

export const rolloutBudgetZero: Rule = {
  id: 'lws/rollout-budget-zero',
  severity: 'error',
  title: 'a rollout may neither take a group down nor add one',
  why: 'the webhook of LWS refuses it; a percentage of maxUnavailable is rounded down',
  fix: 'allow one: maxUnavailable: 1, or maxSurge: 1 where there are nodes for one more group',
  source: 'pkg/webhooks of sigs.k8s.io/lws; refused by a real controller',
  get bad() {
    return GROUP('20%');
  },
  get good() {
    return GROUP('34%');
  },
  check,
};
