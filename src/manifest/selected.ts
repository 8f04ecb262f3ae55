import type { RolePod, Workload } from './groups';
import { get, mapOf, textMapOf } from './json';
import { type Labels, matches, matchesSelector } from './selector';
import type { Service } from './services';

/** Pods that something selects. */
export interface SelectedPod {
  readonly workload: Workload;
  readonly pod: RolePod;
}

/** The pods of its namespace that a Service selects; none for a Service without a selector. */
export function podsSelectedBy(service: Service, workloads: readonly Workload[]): SelectedPod[] {
  if (service.selector.size === 0) {
    return [];
  }
  return candidates(service.selector, workloads).filter(
    ({ workload, pod }) =>
      workload.namespace === service.namespace && matches(service.selector, labelsFor(pod, service.selector)),
  );
}

/**
 * The pods that a label selector (of a PodMonitor, a disruption budget, a NetworkPolicy) selects in some namespaces, or in
 * all; pods of which it is not known are left out.
 */
export function podsMatching(
  selector: unknown,
  namespaces: readonly string[] | undefined,
  workloads: readonly Workload[],
): SelectedPod[] {
  if (mapOf(selector) === undefined) {
    return [];
  }
  const wanted = textMapOf(get(selector, 'matchLabels'));
  return candidates(wanted, workloads).filter(
    ({ workload, pod }) =>
      (namespaces?.includes(workload.namespace) ?? true) && matchesSelector(selector, labelsFor(pod, wanted)) === true,
  );
}

/** The value of a label that differs from pod to pod, or from group to group. */
const VARYING = '*';

/** Pods by each of their labels; made once for a list of workloads, so that many selectors stay cheap. */
const indices = new WeakMap<readonly Workload[], ReadonlyMap<string, readonly SelectedPod[]>>();

function indexOf(workloads: readonly Workload[]): ReadonlyMap<string, readonly SelectedPod[]> {
  const known = indices.get(workloads);
  if (known !== undefined) {
    return known;
  }
  const index = new Map<string, SelectedPod[]>([['', []]]);
  for (const workload of workloads) {
    for (const pod of workload.pods) {
      const keys = [...pod.labels].map(([key, value]) => `${key}=${value}`);
      for (const key of ['', ...keys]) {
        const pods = index.get(key);
        if (pods) {
          pods.push({ workload, pod });
        } else {
          index.set(key, [{ workload, pod }]);
        }
      }
    }
  }
  indices.set(workloads, index);
  return index;
}

/** The pods with the rarest of some labels; all pods when there are none to go by. */
function candidates(wanted: Labels, workloads: readonly Workload[]): readonly SelectedPod[] {
  const index = indexOf(workloads);
  let best = index.get('') ?? [];
  for (const [key, value] of wanted) {
    const exact = index.get(`${key}=${value}`) ?? [];
    const varying = index.get(`${key}=${VARYING}`) ?? [];
    if (exact.length + varying.length < best.length) {
      best = value === VARYING ? exact : [...exact, ...varying];
    }
  }
  return best;
}

/** The labels of a pod as a selector sees them: one that differs from pod to pod has the value asked for, if it may. */
function labelsFor(pod: RolePod, wanted: Labels): Labels {
  const varying = [...wanted].filter(([key, value]) => pod.labels.get(key) === VARYING && isPossible(pod, key, value));
  return varying.length === 0 ? pod.labels : new Map([...pod.labels, ...varying]);
}

function isPossible({ indices: { lowest, highest } }: RolePod, key: string, value: string): boolean {
  return !key.endsWith('/worker-index') || (/^\d+$/.test(value) && Number(value) >= lowest && Number(value) <= highest);
}
