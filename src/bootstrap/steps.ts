import { CallError } from './aws/errors';
import { converge, type Outcome } from './converge';
import type { Resource } from './resource';
import type { Run } from './run';
import { StepError } from './wait';

/** How a step ended. */
export type StepResult =
  | { readonly id: string; readonly ended: 'done'; readonly outcome: Outcome }
  | { readonly id: string; readonly ended: 'failed'; readonly message: string }
  | { readonly id: string; readonly ended: 'not-begun'; readonly after: string };

/**
 * Runs all steps, each as soon as what it needs is done, side by side where the order allows it. What depends on a step that
 * failed is not begun; all else goes on, so that the next run has less to do.
 */
export async function runSteps(resources: readonly Resource<unknown>[], run: Run): Promise<StepResult[]> {
  const started = new Map<string, Promise<StepResult>>();
  const start = (resource: Resource<unknown>): Promise<StepResult> => {
    const known = started.get(resource.id);
    if (known !== undefined) {
      return known;
    }
    const result = after(resource);
    started.set(resource.id, result);
    return result;
  };
  const after = async (resource: Resource<unknown>): Promise<StepResult> => {
    const { id, needs } = resource;
    const before = await Promise.all(resources.filter((each) => needs.includes(each.id)).map(start));
    const bad = before.find(({ ended }) => ended !== 'done');
    if (bad !== undefined) {
      return { id, ended: 'not-begun', after: bad.ended === 'not-begun' ? bad.after : bad.id };
    }
    try {
      return { id, ended: 'done', outcome: await converge(resource, run) };
    } catch (error) {
      return { id, ended: 'failed', message: messageOf(error) };
    }
  };
  return Promise.all(resources.map(start));
}

/** What a step says when it fails; a fault of this program is no failure of a step. */
export function messageOf(error: unknown): string {
  if (error instanceof CallError || error instanceof StepError) {
    return error.message;
  }
  throw error;
}
