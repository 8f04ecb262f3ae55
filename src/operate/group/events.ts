import { isFailure } from '../kubectl/failure';
import type { Kubectl } from '../kubectl/kubectl';

/** What the cluster reported of an object. */
export interface ClusterEvent {
  readonly kind: string;
  readonly name: string;
  readonly reason: string;
  readonly message: string;
  /** When it was seen last, in RFC 3339. */
  readonly at: string;
}

/** Warnings of the namespace, the last one last; none where they may not be read. */
export function warningsOf(kubectl: Kubectl): Promise<readonly ClusterEvent[]> {
  return eventsOf(kubectl, 'type=Warning');
}

/** Events of the namespace that a field selector takes, the last one last; none where they may not be read. */
export async function eventsOf(kubectl: Kubectl, selector: string): Promise<readonly ClusterEvent[]> {
  try {
    const items = await kubectl.list<RawEvent>(kubectl.path(`events?fieldSelector=${encodeURIComponent(selector)}`));
    return items
      .map(({ involvedObject, reason, message, lastTimestamp, eventTime, metadata }) => ({
        kind: involvedObject?.kind ?? '',
        name: involvedObject?.name ?? '',
        reason: reason ?? '',
        message: message ?? '',
        at: lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '',
      }))
      .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  } catch (error) {
    if (isFailure(error, 'forbidden', 'not-found')) {
      return [];
    }
    throw error;
  }
}

/** Whether an event is about a workload or one of its pods: `gemma`, `gemma-0`, `gemma-0-1`, and not `gemma-big`. */
export function isAbout({ name }: ClusterEvent, workload: string): boolean {
  return name.startsWith(workload) && /^(?:-\d+)*$/.test(name.slice(workload.length));
}

interface RawEvent {
  readonly metadata: { readonly creationTimestamp?: string };
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
}
