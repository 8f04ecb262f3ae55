import type { RolePod, Workload } from './groups';
import { get, mapOf, textMapOf } from './json';
import { type Labels, matcherOf, matches } from './selector';
import type { Service } from './services';

/** Pods that something selects. */
export interface SelectedPod {
  readonly workload: Workload;
  readonly pod: RolePod;
}

/**
 * The pods of its namespace that a Service selects; none for a Service without a selector. Services that select the same get
 * the same list, so that what is worked out of it need not be worked out for each of them.
 */
export function podsSelectedBy(
  { selector, namespace }: Service,
  workloads: readonly Workload[],
): readonly SelectedPod[] {
  if (selector.size === 0) {
    return [];
  }
  return selectionOf(workloads, JSON.stringify([[namespace], ...selector]), () =>
    candidates(selector, [namespace], workloads).filter(({ pod }) => matches(selector, labelsFor(pod, selector))),
  );
}

/**
 * The pods that a label selector (of a PodMonitor, a disruption budget, a NetworkPolicy) selects in some namespaces, or in
 * all; pods of which it is not known are left out. The same selector gets the same list.
 */
export function podsMatching(
  selector: unknown,
  namespaces: readonly string[] | undefined,
  workloads: readonly Workload[],
): readonly SelectedPod[] {
  if (mapOf(selector) === undefined) {
    return [];
  }
  return selectionOf(workloads, JSON.stringify([namespaces ?? null, selector]), () => {
    const wanted = textMapOf(get(selector, 'matchLabels'));
    const isMatch = matcherOf(selector);
    return candidates(wanted, namespaces, workloads).filter(({ pod }) => isMatch(labelsFor(pod, wanted)) === true);
  });
}

/** Pods in the lists that are kept; budgets that each select nearly all pods in their own way could fill the memory. */
const MOST_KEPT = 2_000_000;

interface Selections {
  readonly byKey: Map<string, readonly SelectedPod[]>;
  kept: number;
}

const selections = new WeakMap<readonly Workload[], Selections>();

function selectionOf(
  workloads: readonly Workload[],
  key: string,
  make: () => readonly SelectedPod[],
): readonly SelectedPod[] {
  const known = selections.get(workloads) ?? { byKey: new Map<string, readonly SelectedPod[]>(), kept: 0 };
  selections.set(workloads, known);
  let pods = known.byKey.get(key);
  if (pods === undefined) {
    pods = make();
    if (known.kept + pods.length <= MOST_KEPT) {
      known.kept += pods.length;
      known.byKey.set(key, pods);
    }
  }
  return pods;
}

/** The value of a label that differs from pod to pod, or from group to group. */
const VARYING = '*';

/** Pods by namespace and each of their labels, and without the namespace; made once for a list of workloads. */
const indices = new WeakMap<readonly Workload[], ReadonlyMap<string, readonly SelectedPod[]>>();

function indexOf(workloads: readonly Workload[]): ReadonlyMap<string, readonly SelectedPod[]> {
  const known = indices.get(workloads);
  if (known !== undefined) {
    return known;
  }
  const index = new Map<string, SelectedPod[]>();
  for (const workload of workloads) {
    for (const pod of workload.pods) {
      const entry = { workload, pod };
      for (const place of [ANYWHERE, placeOf(workload.namespace)]) {
        for (const key of [place, ...[...pod.labels].map(([name, value]) => labelKey(place, name, value))]) {
          const pods = index.get(key);
          if (pods) {
            pods.push(entry);
          } else {
            index.set(key, [entry]);
          }
        }
      }
    }
  }
  indices.set(workloads, index);
  return index;
}

const ANYWHERE = '*';

function placeOf(namespace: string): string {
  return `/${namespace}`;
}

function labelKey(place: string, name: string, value: string): string {
  return `${place} ${name}=${value}`;
}

/** The pods of some namespaces, or of all, with the rarest of some labels; every pod there when there are none to go by. */
function candidates(
  wanted: Labels,
  namespaces: readonly string[] | undefined,
  workloads: readonly Workload[],
): readonly SelectedPod[] {
  const index = indexOf(workloads);
  const place = namespaces?.length === 1 ? placeOf(namespaces[0]!) : ANYWHERE;
  let best = index.get(place) ?? [];
  for (const [name, value] of wanted) {
    const exact = index.get(labelKey(place, name, value)) ?? [];
    const varying = index.get(labelKey(place, name, VARYING)) ?? [];
    if (exact.length + varying.length < best.length) {
      best = value === VARYING || varying.length === 0 ? exact : [...exact, ...varying];
    }
  }
  if (namespaces === undefined || namespaces.length === 1) {
    return best;
  }
  const among = new Set(namespaces);
  return best.filter(({ workload }) => among.has(workload.namespace));
}

/** The labels of a pod as a selector sees them: one that differs from pod to pod has the value asked for, if it may. */
function labelsFor(pod: RolePod, wanted: Labels): Labels {
  let labels: Map<string, string> | undefined;
  for (const [key, value] of wanted) {
    if (pod.labels.get(key) === VARYING && isPossible(pod, key, value)) {
      labels ??= new Map(pod.labels);
      labels.set(key, value);
    }
  }
  return labels ?? pod.labels;
}

function isPossible({ indices: { lowest, highest } }: RolePod, key: string, value: string): boolean {
  return !key.endsWith('/worker-index') || (/^\d+$/.test(value) && Number(value) >= lowest && Number(value) <= highest);
}
