import type { Finding, ObjectSet } from './finding';
import { containersOf, listOf } from './pods';

/** The LeaderWorkerSet CRD holds env as a map by name, so the API server rejects what a Deployment would accept. */
export function* duplicateEnv(set: ObjectSet): Iterable<Finding> {
  for (const object of set.ofKind('LeaderWorkerSet')) {
    for (const { path, index, container } of containersOf(object)) {
      const names = new Set<string>();
      for (const { name } of listOf<{ name: string }>(container.env)) {
        if (names.has(name)) {
          yield {
            id: 'lws/duplicate-env',
            severity: 'error',
            object,
            path: `${path}.env`,
            what: `env '${name}' is set twice in container '${container.name ?? index}'`,
            why: 'the API server refuses the LeaderWorkerSet, which keeps env as a map by name',
            fix: 'set it once',
          };
        }
        names.add(name);
      }
    }
  }
}
