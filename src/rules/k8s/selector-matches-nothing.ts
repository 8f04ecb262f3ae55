import { readDisruptionBudget } from '../../manifest/others';
import { podsSelectedBy } from '../../manifest/selected';
import { readService } from '../../manifest/services';
import { CPU_POD, edit, POD_SERVICE, together } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { missOf, plainSelector } from './unmatched';

function* check(input: RuleInput): Iterable<Report> {
  for (const object of input.set.ofKind('Service')) {
    const { type, selector, namespace } = readService(object);
    const miss =
      selector.size > 0 && type !== 'ExternalName' ? missOf(input, plainSelector(object), namespace) : undefined;
    if (miss !== undefined) {
      const { what, fix, likeness, isOpen } = miss;
      // Where every pod has its Service, one more is for pods that are not at hand.
      const isForOthers = isOpen || (likeness !== 'much' && !hasUnserved(input, namespace));
      const severity = isForOthers ? 'note' : likeness === 'none' ? 'warning' : 'error';
      yield { object, path: 'spec.selector', what, ...(fix !== undefined && { fix }), severity };
    }
  }
  for (const object of input.set.ofKind('PodDisruptionBudget')) {
    const miss = missOf(input, readDisruptionBudget(object).selector, object.metadata.namespace ?? '');
    if (miss !== undefined) {
      const { what, fix, likeness, isOpen } = miss;
      yield {
        object,
        path: 'spec.selector',
        what,
        why: 'the budget guards nothing',
        ...(fix !== undefined && { fix }),
        severity: likeness === 'much' && !isOpen ? 'warning' : 'note',
      };
    }
  }
}

/** Kinds whose pods mostly serve something. */
const SERVERS = new Set(['Deployment', 'StatefulSet', 'ReplicaSet', 'LeaderWorkerSet', 'Pod']);

/** Namespaces with servers that no Service selects; made once. */
const unservedOf = new WeakMap<RuleInput, ReadonlySet<string>>();

/** Whether a namespace has servers that no Service selects. */
function hasUnserved(input: RuleInput, namespace: string): boolean {
  let unserved = unservedOf.get(input);
  if (unserved === undefined) {
    const { workloads } = input.manifests;
    // Services that select the same share one list.
    const lists = new Set(input.set.ofKind('Service').map((object) => podsSelectedBy(readService(object), workloads)));
    const selected = new Set([...lists].flatMap((pods) => pods.map(({ workload }) => workload)));
    unserved = new Set(
      workloads
        .filter((workload) => SERVERS.has(workload.kind) && !selected.has(workload))
        .map((workload) => workload.namespace),
    );
    unservedOf.set(input, unserved);
  }
  return unserved.has(namespace);
}

export const selectorMatchesNothing: Rule = {
  id: 'k8s/selector-matches-nothing',
  severity: 'error',
  title: 'a selector that matches no pod',
  why: 'the Service has no endpoints, so every connection is refused',
  fix: 'select labels that the pods have',
  source: 'kubernetes-sigs/lws#512',
  get bad() {
    return together(CPU_POD, edit(POD_SERVICE, ['app: small', 'app: smal']));
  },
  get good() {
    return together(CPU_POD, POD_SERVICE);
  },
  check,
};
