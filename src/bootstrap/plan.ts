import type { CallError } from './aws/errors';
import type { Difference, Resource } from './resource';
import type { Run } from './run';

/** What `apply` would do with a thing. */
export type PlannedAction =
  | 'create'
  | 'exists'
  | 'change'
  /** It ends nodes or cannot be taken back: with `--replace` alone, and shown without. */
  | 'replace'
  /** It differs, and `apply` cannot or will not change that. */
  | 'drift'
  /** AWS is at work on it; `apply` waits. */
  | 'wait'
  /** It failed; `apply` deletes it and makes it again with `--replace`. */
  | 'failed';

export interface PlannedItem {
  readonly id: string;
  readonly action: PlannedAction;
  /** Whether it carries the ownership tag; of what others made nothing is changed. */
  readonly isOurs: boolean;
  readonly status?: string;
  readonly differences: readonly Difference[];
}

/** Looks at everything and says what would be done. Changes nothing. */
export async function planned(resources: readonly Resource<unknown>[], run: Run): Promise<PlannedItem[]> {
  const items: PlannedItem[] = [];
  const missing = new Set<string>();
  for (const resource of resources) {
    const [cluster] = resources;
    // Nothing is in a cluster that is not there; asking would only earn errors.
    const observed =
      resource !== cluster && missing.has(cluster!.id) && resource.needs.length > 0
        ? undefined
        : await resource.observe();
    if (observed === undefined) {
      missing.add(resource.id);
    } else {
      resource.remember?.(observed);
    }
    items.push(itemOf(resource, observed, run.replace));
  }
  return items;
}

export function itemOf(resource: Resource<unknown>, observed: unknown, replace: boolean): PlannedItem {
  const { id } = resource;
  if (observed === undefined) {
    return { id, action: 'create', isOurs: true, differences: [] };
  }
  const isOurs = resource.isOurs(observed);
  const status = resource.status(observed);
  const differences = resource.differences(observed);
  const common = { id, isOurs, status, differences };
  switch (resource.state(observed)) {
    case 'failed':
      return { ...common, action: replace && isOurs ? 'replace' : 'failed' };
    case 'deleting':
      return { ...common, action: 'create' };
    case 'moving':
    case 'degraded':
      return { ...common, action: differences.length > 0 ? actionOf(differences, isOurs) : 'wait' };
    case 'ready':
      return { ...common, action: actionOf(differences, isOurs) };
  }
}

function actionOf(differences: readonly Difference[], isOurs: boolean): PlannedAction {
  // Tags that others did not set are no fault of theirs.
  const counted = isOurs ? differences : differences.filter(({ what }) => what !== 'tags');
  if (counted.length === 0) {
    return 'exists';
  }
  const has = (remedy: Difference['remedy']): boolean => counted.some((difference) => difference.remedy === remedy);
  return !isOurs ? 'drift' : has('replace') ? 'replace' : has('change') ? 'change' : 'drift';
}

/** Level of what the checks before the first change found. */
export type Level = 'error' | 'warning' | 'note' | 'ok';

/** What a check found. An error keeps `apply` from beginning. */
export interface Check {
  readonly level: Level;
  /** What was looked at: `subnets`. */
  readonly about: string;
  readonly message: string;
}

/** What to say when a check could not look: rights to read are often narrower than rights to make. */
export function notChecked(about: string, error: CallError): Check {
  return { level: 'warning', about, message: `could not be checked: ${error.message}` };
}
