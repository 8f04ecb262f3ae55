import { dig, get, mapOf } from '../../manifest/json';
import { CPU_GROUP, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';

const GROUP = (policy: string): string =>
  edit(CPU_GROUP, ['    size: 2\n', `    size: 2\n    subGroupPolicy: { ${policy} }\n`]);

function* check({ set }: RuleInput): Iterable<Report> {
  for (const object of set.ofKind('LeaderWorkerSet')) {
    const policy = mapOf(dig(object, 'spec', 'leaderWorkerTemplate', 'subGroupPolicy'));
    if (policy !== undefined && (get(policy, 'subGroupSize') ?? undefined) === undefined) {
      yield { object, path: 'spec.leaderWorkerTemplate.subGroupPolicy', what: 'subGroupPolicy has no subGroupSize' };
    }
  }
}

export const subgroupSizeMissing: Rule = {
  id: 'lws/subgroup-size-missing',
  severity: 'error',
  title: 'a subgroup policy without a size',
  why: 'the CRD takes it, and the webhook of LWS panics on it',
  fix: 'give subGroupSize, or take subGroupPolicy out',
  source: 'pkg/webhooks of sigs.k8s.io/lws; the panic of a real controller',
  get bad() {
    return GROUP('subGroupPolicyType: LeaderWorker');
  },
  get good() {
    return GROUP('subGroupPolicyType: LeaderWorker, subGroupSize: 2');
  },
  check,
};
