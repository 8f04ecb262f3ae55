import { type KubernetesObject, valueAt } from './finding';

interface Container {
  readonly name?: string;
  readonly env?: readonly { readonly name: string }[];
}

const TEMPLATES = ['leaderTemplate', 'workerTemplate'];

/** The containers of a LeaderWorkerSet's pods, each with its JSON path. */
export function* containersOf(lws: KubernetesObject): Iterable<{ path: string; index: number; container: Container }> {
  for (const template of TEMPLATES) {
    for (const kind of ['initContainers', 'containers']) {
      const path = ['spec', 'leaderWorkerTemplate', template, 'spec', kind];
      for (const [index, container] of listOf<Container>(valueAt(lws, path)).entries()) {
        yield { path: `${path.join('.')}[${index}]`, index, container };
      }
    }
  }
}

/** A list as it should be; a patch may have left anything in its place, which is for the API server to refuse. */
export function listOf<T>(value: unknown): readonly T[] {
  const entries: unknown[] = Array.isArray(value) ? value : [];
  return entries.filter((entry): entry is T => typeof entry === 'object' && entry !== null);
}
