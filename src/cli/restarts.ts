import { type KubernetesObject, nameOf, placeOf, valueAt } from '../rules/finding';

/** Fields whose change makes a controller replace pods, and what that means to the people who use the service. */
const ROLLING: Readonly<Record<string, { paths: string[][]; effect: (object: KubernetesObject) => string }>> = {
  LeaderWorkerSet: {
    paths: [
      ['spec', 'leaderWorkerTemplate'],
      ['spec', 'networkConfig'],
    ],
    effect: (object) => {
      const surge = valueAt(object, ['spec', 'rolloutStrategy', 'rollingUpdateConfiguration', 'maxSurge']);
      const replicas = valueAt(object, ['spec', 'replicas']);
      return replicas === 1 && surge === 0
        ? 'recreates its only group: an outage until the model is loaded again'
        : 'recreates its groups, one after the other';
    },
  },
  Deployment: { paths: [['spec', 'template']], effect: () => 'replaces its pods, one after the other' },
};

const MAX_PATH = 74;

/** What an apply of the new objects does to running pods, one line each. */
export function restarts(previous: readonly KubernetesObject[], next: readonly KubernetesObject[]): string[] {
  const key = (object: KubernetesObject): string => `${object.kind}|${placeOf(object)}`;
  const before = new Map(previous.map((object) => [key(object), object]));
  const after = new Map(next.map((object) => [key(object), object]));
  const lines: string[] = [];
  for (const [id, object] of after) {
    const old = before.get(id);
    const rolling = ROLLING[object.kind];
    if (old && rolling) {
      const changed = rolling.paths.flatMap((path) =>
        changedPaths(valueAt(old, path), valueAt(object, path), path.at(-1)!),
      );
      if (changed.length > 0) {
        lines.push(
          `${nameOf(object)} ${rolling.effect(object)}`,
          ...changed.slice(0, 3).map((path) => `  ${shorten(path)}`),
        );
        if (changed.length > 3) {
          lines.push(`  and ${changed.length - 3} more`);
        }
      }
    }
  }
  for (const [id, object] of before) {
    if (!after.has(id)) {
      lines.push(`${nameOf(object)} is no longer in the bundle; an apply leaves it in the cluster`);
    }
  }
  return lines;
}

/** The end of a path tells more than its start. */
function shorten(path: string): string {
  return path.length > MAX_PATH ? `…${path.slice(1 - MAX_PATH)}` : path;
}

/** Paths at which two values differ. */
function changedPaths(a: unknown, b: unknown, path: string): string[] {
  if (Object.is(a, b)) {
    return [];
  }
  if (
    typeof a !== 'object' ||
    typeof b !== 'object' ||
    a === null ||
    b === null ||
    Array.isArray(a) !== Array.isArray(b)
  ) {
    return [path];
  }
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].flatMap((key) =>
    changedPaths(
      (a as Record<string, unknown>)[key],
      (b as Record<string, unknown>)[key],
      Array.isArray(a) ? `${path}[${key}]` : `${path}.${key}`,
    ),
  );
}
