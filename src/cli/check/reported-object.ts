import type { KubernetesObject } from '../../rules/finding';
import type { ReportedObject } from './report';

/** An object as findings name it. */
export function objectOf(object: KubernetesObject | undefined): { object?: ReportedObject } {
  if (object === undefined) {
    return {};
  }
  const { apiVersion, kind } = object;
  // Anything may stand there.
  const metadata = (object.metadata ?? {}) as { name?: unknown; namespace?: unknown };
  const name = typeof metadata.name === 'string' ? metadata.name : '';
  return {
    object: {
      apiVersion,
      kind,
      ...(typeof metadata.namespace === 'string' && { namespace: metadata.namespace }),
      name,
    },
  };
}
