import { get, textMapOf } from '../../manifest/json';
import { type Monitor, readMonitor } from '../../manifest/others';
import { type Labels, labelsOf, matchesSelector } from '../../manifest/selector';
import { readService, type Service } from '../../manifest/services';
import type { KubernetesObject, ObjectSet } from '../finding';
import type { RuleInput } from '../rule';

/** The monitors of one kind. */
export function monitorsOf({ set }: RuleInput, kind: Monitor['kind']): Monitor[] {
  return set.ofKind(kind).map(readMonitor);
}

interface Labelled {
  readonly object: KubernetesObject;
  readonly labels: Labels;
}

/** Services by each of their labels; made once for a set of objects. */
const indices = new WeakMap<ObjectSet, ReadonlyMap<string, readonly Labelled[]>>();

function indexOf(set: ObjectSet): ReadonlyMap<string, readonly Labelled[]> {
  const known = indices.get(set);
  if (known !== undefined) {
    return known;
  }
  const index = new Map<string, Labelled[]>();
  for (const object of set.ofKind('Service')) {
    const labels = labelsOf(object);
    for (const key of ['', ...[...labels].map(([name, value]) => `${name}=${value}`)]) {
      const services = index.get(key) ?? [];
      services.push({ object, labels });
      index.set(key, services);
    }
  }
  indices.set(set, index);
  return index;
}

/** The Services that a ServiceMonitor selects. */
export function servicesOf({ set }: RuleInput, { selector, namespaces }: Monitor): Service[] {
  const [first] = textMapOf(get(selector, 'matchLabels'));
  const candidates = indexOf(set).get(first === undefined ? '' : first.join('=')) ?? [];
  return candidates
    .filter(
      ({ object, labels }) =>
        (namespaces?.includes(object.metadata.namespace ?? '') ?? true) && matchesSelector(selector, labels) === true,
    )
    .map(({ object }) => readService(object));
}
