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
