import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../../src/manifest/object';

/** The objects of a manifest, for tests of rules. */
export function objectsOf(yaml: string): KubernetesObject[] {
  return parseAllDocuments(yaml).flatMap((document) => {
    // What is broken says so, and is not half of what it was meant to be.
    const [error] = document.errors;
    if (error !== undefined) {
      throw error;
    }
    const value = document.toJS() as KubernetesObject | null;
    return value === null ? [] : [value];
  });
}
