import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../rules/finding';

/** The Kubernetes objects of a multi-document YAML text, in their order. */
export function readManifests(text: string): KubernetesObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors;
    if (error) {
      throw new Error(error.message);
    }
    const object = document.toJS({ maxAliasCount: 100 }) as KubernetesObject | null;
    return object?.kind && object.metadata?.name ? [object] : [];
  });
}

/** Reads a value by a path of keys; `undefined` where there is none. */
export function valueAt(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined),
    object,
  );
}
