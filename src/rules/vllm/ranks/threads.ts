import { nodeOf } from '../../../hardware/nodes';
import { dig, listOf, type RolePod, textOf } from '../../../manifest/index';
import type { Engine } from './engines';

export const BINDING = 'VLLM_CPU_OMP_THREADS_BIND';
const INSTANCE_TYPE_LABELS = ['node.kubernetes.io/instance-type', 'beta.kubernetes.io/instance-type'];

/** How threads are bound: by itself, not at all, by a list for each rank; `undefined` when that is not known. */
export type Binding =
  { readonly kind: 'auto' | 'nobind' } | { readonly kind: 'lists'; readonly lists: readonly string[] };

export function bindingOf({ engine }: Engine): { binding?: Binding; path: string } {
  const found = engine.variable(BINDING);
  if (found === undefined) {
    return { path: engine.path, ...(engine.environment.unread.length === 0 && { binding: { kind: 'auto' } }) };
  }
  const { path } = found;
  const value = found.text.value;
  if (value === undefined) {
    return { path };
  }
  const binding: Binding =
    value === 'auto' || value === 'nobind' ? { kind: value } : { kind: 'lists', lists: value.split('|') };
  return { path, binding };
}

/** NUMA nodes of the only instance types that the pod may run on; the most of them, nothing when one is not known. */
export function numaNodesOf(pod: RolePod): { nodes: number; type: string } | undefined {
  const types = instanceTypesOf(pod);
  try {
    const known = types.map((type) => ({ type, nodes: nodeOf(type).numaNodes }));
    return known.sort((a, b) => b.nodes - a.nodes)[0];
  } catch {
    return undefined;
  }
}

function instanceTypesOf({ nodeSelector, raw }: RolePod): string[] {
  const selected = INSTANCE_TYPE_LABELS.flatMap((label) => nodeSelector.get(label) ?? []);
  if (selected.length > 0) {
    return selected;
  }
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const terms = listOf(dig(raw, 'affinity', 'nodeAffinity', required, 'nodeSelectorTerms'));
  // Terms are alternatives: each has to name its types.
  const types = terms.map((term) =>
    listOf(dig(term, 'matchExpressions')).flatMap((expression) =>
      INSTANCE_TYPE_LABELS.includes(textOf(dig(expression, 'key')) ?? '') && dig(expression, 'operator') === 'In'
        ? listOf(dig(expression, 'values')).flatMap((value) => textOf(value) ?? [])
        : [],
    ),
  );
  return types.every((each) => each.length > 0) ? types.flat() : [];
}
