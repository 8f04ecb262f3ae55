import { longestGroupName } from '../../engine/lws';
import { CPU_GROUP, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { isPlaceholder } from '../k8s/placeholder';
import { groupSpecOf, shareOf } from './group-spec';

function* check({ set }: RuleInput): Iterable<Report> {
  for (const object of set.ofKind('LeaderWorkerSet')) {
    const { name } = object.metadata;
    const { replicas, size = 2, maxSurge } = groupSpecOf(object);
    const groups = replicas === undefined ? 1 : replicas + (shareOf(maxSurge, replicas, 'up') ?? 0);
    const longest = longestGroupName(groups, size);
    if (name.length > longest && !isPlaceholder(name)) {
      yield {
        object,
        path: 'metadata.name',
        what: `the name has ${name.length} characters, and with ${groups} group${groups === 1 ? '' : 's'} it may have ${longest}`,
        fix: `shorten it to ${longest} characters`,
      };
    }
  }
}

export const nameTooLong: Rule = {
  id: 'lws/name-too-long',
  severity: 'error',
  title: 'the name of a LeaderWorkerSet leaves no room for a revision label',
  why: 'LWS takes it, and then no worker is made: the revision label of the workers is longer than 63 characters',
  fix: 'shorten it',
  source: 'kubernetes-sigs/lws#410; seen with a real controller',
  get bad() {
    return edit(CPU_GROUP, [
      'name: chat, namespace',
      'name: qwen-three-eight-billion-chat-assistant-production-europe, namespace',
    ]);
  },
  good: CPU_GROUP,
  check,
};
