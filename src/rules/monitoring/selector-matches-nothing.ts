import { get, textMapOf } from '../../manifest/json';
import { labelsOf } from '../../manifest/selector';
import { CPU_GROUP, edit, POD_MONITOR, together } from '../examples';
import { missOf } from '../k8s/unmatched';
import type { Report, Rule, RuleInput } from '../rule';
import { monitorsOf, servicesByLabel, servicesBySelector, servicesOf } from './monitors';

function* check(input: RuleInput): Iterable<Report> {
  for (const { object, selector, namespaces } of monitorsOf(input, 'PodMonitor')) {
    // With several namespaces, or all, the pods may be in any of them.
    const miss = namespaces?.length === 1 ? missOf(input, selector, namespaces[0]!) : undefined;
    if (miss !== undefined) {
      const { what, fix, likeness, isOpen } = miss;
      // A monitor is often for pods that others made.
      const severity = likeness === 'much' && !isOpen ? 'error' : 'note';
      yield { object, path: 'spec.selector', what, ...(fix !== undefined && { fix }), severity };
    }
  }
  for (const monitor of monitorsOf(input, 'ServiceMonitor')) {
    const { object, selector, namespaces } = monitor;
    const wanted = textMapOf(get(selector, 'matchLabels'));
    if (namespaces?.length !== 1 || wanted.size === 0 || servicesOf(input, monitor).length > 0) {
      continue;
    }
    // Those without labels are not told apart from Services that are not among the objects.
    const close = servicesByLabel(input).firstWithAny(wanted, namespaces[0]!);
    const isPlain = get(selector, 'matchExpressions') === undefined;
    // The labels of the pods behind a Service are often taken for its own.
    const found = close ?? servicesBySelector(input).firstWithAll(wanted, namespaces[0]!);
    if (found !== undefined && isPlain) {
      const missing = [...wanted].find(([key, value]) => labelsOf(found).get(key) !== value)!;
      yield {
        object,
        path: 'spec.selector',
        what: `no Service has the label ${missing[0]}: ${missing[1]}`,
        fix: `give it to Service/${found.metadata.name}, in its metadata`,
      };
    }
  }
}

export const monitorMatchesNothing: Rule = {
  id: 'monitoring/selector-matches-nothing',
  severity: 'error',
  title: 'a monitor whose selector matches nothing',
  why: 'nothing is scraped, and no alert says so',
  fix: 'select labels that the pods have; a ServiceMonitor selects the labels of the Service itself',
  source: 'prometheus-operator 0.93',
  get bad() {
    return together(CPU_GROUP, edit(POD_MONITOR, ['role: leader', 'role: server']));
  },
  get good() {
    return together(CPU_GROUP, POD_MONITOR);
  },
  check,
};
