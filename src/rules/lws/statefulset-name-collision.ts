import { splitOrdinal } from '../../engine/lws';
import { type KubernetesObject, nameOf, placeOf } from '../finding';
import type { Report, Rule, RuleInput } from '../rule';
import { groupSpecOf, shareOf } from './group-spec';

const BUNDLE = (other: string): string =>
  ['gemma', other]
    .map(
      (name) => `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: { name: ${name}, namespace: vllm }
spec:
  replicas: 2
  leaderWorkerTemplate:
    size: 2
    workerTemplate:
      spec:
        containers: [{ name: agent, image: registry.example/agent:1.0 }]
`,
    )
    .join('---\n');

function* check({ set }: RuleInput): Iterable<Report> {
  const groups = new Map(set.ofKind('LeaderWorkerSet').map((lws) => [placeOf(lws), lws]));
  if (groups.size === 0) {
    return;
  }
  for (const object of [...set.ofKind('LeaderWorkerSet'), ...set.ofKind('StatefulSet')]) {
    const numbered = splitOrdinal(object.metadata.name);
    const owner = numbered && groups.get(placeOf(object, numbered.base));
    const isOfWorkers = owner !== undefined && numbered!.ordinal < groupsOf(owner);
    const isOfLeaders = object.kind === 'StatefulSet';
    const taken = isOfWorkers ? owner : isOfLeaders ? groups.get(placeOf(object)) : undefined;
    if (taken) {
      yield {
        object,
        path: 'metadata.name',
        what: `${nameOf(object)} has the name of a StatefulSet that LWS makes for ${nameOf(taken)}`,
      };
    }
  }
}

/** Groups that may exist at once; a group of one pod has no StatefulSet of its own. */
function groupsOf(lws: KubernetesObject): number {
  const { replicas = 1, size, maxSurge } = groupSpecOf(lws);
  return size === 1 ? 0 : replicas + (shareOf(maxSurge, replicas, 'up') ?? 0);
}

/**
 * LWS makes a StatefulSet `<name>` for the leaders and `<name>-<group>` for the workers of each group. Another group, or a
 * StatefulSet, of such a name takes it over, and the two destroy each other.
 */
export const statefulSetNameCollision: Rule = {
  id: 'lws/statefulset-name-collision',
  severity: 'error',
  title: 'a group or StatefulSet has the name of one that LWS makes for another group',
  why: 'both claim it, and the pods of one are taken down for those of the other',
  fix: 'take a name that is not the other one with a number behind it',
  source: 'pkg/controllers of sigs.k8s.io/lws; seen with a real controller',
  get bad() {
    return BUNDLE('gemma-1');
  },
  get good() {
    return BUNDLE('gemma-b');
  },
  check,
};
