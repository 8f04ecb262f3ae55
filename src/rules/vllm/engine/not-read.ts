import { CPU_POD, edit } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';

function* check({ manifests: { groups, unread } }: RuleInput): Iterable<Report> {
  const engines = new Map(
    groups.map((group) => [group.object, group.pods.flatMap((pod) => pod.engines.map((engine) => engine.path))]),
  );
  for (const { object, path, what, why } of unread) {
    // Of other containers nothing is asked.
    if (engines.get(object)?.some((engine) => path.startsWith(`${engine}.`)) === true) {
      yield { object, path, what: `not read: ${what}, since ${why}` };
    }
  }
}

export const notRead: Rule = {
  id: 'vllm/not-read',
  severity: 'note',
  title: 'a part of an engine that cannot be read from the manifest',
  why: 'what it may say is not judged, nor what may be missing because it is there',
  fix: 'write the flags and variables out, or check what is rendered in full',
  source: 'the reader of this package, src/manifest',
  get bad() {
    return edit(CPU_POD, [
      '          env:\n',
      '          envFrom: [{ secretRef: { name: settings } }]\n          env:\n',
    ]);
  },
  good: CPU_POD,
  check,
};
