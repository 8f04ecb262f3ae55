import type { KubernetesObject } from './finding';

interface Container {
  readonly name?: string;
  readonly env?: readonly { readonly name: string }[];
}

/** The parts of a pod that rules read. */
export interface PodSpec {
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
}

/** One pod template of an object, with the JSON path to its `spec`. */
export interface PodTemplate {
  readonly path: string;
  readonly spec: PodSpec;
}

const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  LeaderWorkerSet: ['spec.leaderWorkerTemplate.leaderTemplate', 'spec.leaderWorkerTemplate.workerTemplate'],
  Deployment: ['spec.template'],
  StatefulSet: ['spec.template'],
  DaemonSet: ['spec.template'],
  Job: ['spec.template'],
};

/** The pod templates of a workload; none for any other object. */
export function podTemplatesOf(object: KubernetesObject): PodTemplate[] {
  return (TEMPLATES[object.kind] ?? []).flatMap((path) => {
    let value: unknown = object;
    for (const key of [...path.split('.'), 'spec']) {
      value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
    }
    return value === undefined ? [] : [{ path: `${path}.spec`, spec: value as PodSpec }];
  });
}

/** A list as it should be; a patch may have left anything in its place, which is for the API server to refuse. */
export function listOf<T>(value: readonly T[] | undefined): readonly T[] {
  const entries: unknown[] = Array.isArray(value) ? value : [];
  return entries.filter((entry): entry is T => typeof entry === 'object' && entry !== null);
}
