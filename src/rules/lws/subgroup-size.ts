import { dig, get, integerOf, textOf } from '../../manifest/json';
import { CPU_GROUP, edit } from '../examples';
import { isPlaceholder } from '../k8s/placeholder';
import type { Report, Rule, RuleInput } from '../rule';
import { groupSpecOf } from './group-spec';

const GROUP = (subGroupSize: number): string =>
  edit(CPU_GROUP, ['    size: 2\n', `    size: 2\n    subGroupPolicy: { subGroupSize: ${subGroupSize} }\n`]);

function* check({ set }: RuleInput): Iterable<Report> {
  for (const object of set.ofKind('LeaderWorkerSet')) {
    const policy = dig(object, 'spec', 'leaderWorkerTemplate', 'subGroupPolicy');
    const said = get(policy, 'subGroupSize') ?? undefined;
    const each = integerOf(said);
    const path = 'spec.leaderWorkerTemplate.subGroupPolicy.subGroupSize';
    if (said !== undefined && each === undefined && !isPlaceholder(textOf(said) ?? '')) {
      yield { object, path, what: `subGroupSize is ${JSON.stringify(said)}, which is no whole number` };
    }
    const { size } = groupSpecOf(object);
    if (each === undefined || size === undefined || size < 1) {
      continue;
    }
    const isWithoutLeader = get(policy, 'subGroupPolicyType') === 'LeaderExcluded';
    const why =
      each < 1
        ? 'which is less than 1'
        : each > size
          ? `which is more than the ${size} pods of a group`
          : isWithoutLeader && (size - 1) % each !== 0
            ? `which does not divide the ${size - 1} workers of a group`
            : size % each !== 0 && (size - 1) % each !== 0
              ? `which divides neither the ${size} pods of a group nor its ${size - 1} workers`
              : undefined;
    if (why !== undefined) {
      yield { object, path, what: `subGroupSize is ${each}, ${why}` };
    }
  }
}

export const subgroupSize: Rule = {
  id: 'lws/subgroup-size',
  severity: 'error',
  title: 'subgroups do not add up to the group',
  why: 'the webhook of LWS refuses the LeaderWorkerSet',
  fix: 'take a subGroupSize that divides size, or size less the leader',
  source: 'pkg/webhooks of sigs.k8s.io/lws',
  get bad() {
    return GROUP(3);
  },
  get good() {
    return GROUP(2);
  },
  check,
};
