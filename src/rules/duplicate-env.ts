import { type Finding, type ObjectSet } from './finding';
import { listOf, podTemplatesOf } from './pods';

/** The LeaderWorkerSet CRD holds env as a map by name, so the API server rejects what a Deployment would accept. */
export function* duplicateEnv(set: ObjectSet): Iterable<Finding> {
  for (const object of set.ofKind('LeaderWorkerSet')) {
    for (const { path, spec } of podTemplatesOf(object)) {
      for (const kind of ['initContainers', 'containers'] as const) {
        for (const [index, container] of listOf(spec[kind]).entries()) {
          const names = new Set<string>();
          for (const { name } of listOf(container.env)) {
            if (names.has(name)) {
              yield {
                id: 'lws/duplicate-env',
                severity: 'error',
                object,
                path: `${path}.${kind}[${index}].env`,
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
  }
}
