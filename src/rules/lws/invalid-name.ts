import { CPU_GROUP, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { isPlaceholder } from '../k8s/placeholder';

function* check({ set }: RuleInput): Iterable<Report> {
  for (const object of set.ofKind('LeaderWorkerSet')) {
    const { name } = object.metadata;
    if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name) && !isPlaceholder(name)) {
      yield { object, path: 'metadata.name', what: `'${name}' is no name that LWS takes` };
    }
  }
}

export const invalidName: Rule = {
  id: 'lws/invalid-name',
  severity: 'error',
  title: 'the name of a LeaderWorkerSet is no DNS-1035 label',
  why: 'the webhook of LWS refuses it, since Services and pods get the name',
  fix: 'take small letters, digits and hyphens, a letter first and no hyphen last',
  source: 'pkg/webhooks of sigs.k8s.io/lws; refused by a real controller',
  get bad() {
    return edit(CPU_GROUP, ['name: chat, namespace', 'name: 8b-chat, namespace']);
  },
  good: CPU_GROUP,
  check,
};
