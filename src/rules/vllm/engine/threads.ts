import { type EngineAt, localRanks, pythonInteger, variableAt, variableOf } from './engines';

export const BIND_VARIABLE = 'VLLM_CPU_OMP_THREADS_BIND';

/** How the threads of an engine on CPU are bound. */
export interface Binding {
  readonly path: string;
  /** `lists`: cores by number, one list a rank of the pod. */
  readonly kind: 'auto' | 'nobind' | 'lists';
  /** Cores of each list. */
  readonly lists: readonly number[];
  /** Threads of all ranks of the pod, where they are known. */
  readonly threads?: number;
}

/** Nothing when it is not known. */
export function bindingOf(at: EngineAt): Binding | undefined {
  const { engine } = at;
  const found = variableAt(at, BIND_VARIABLE);
  const path = found?.path ?? `${engine.path}.env`;
  const value = found === undefined ? 'auto' : found.text.value;
  if (value === 'auto') {
    return { path, kind: 'auto', lists: [] };
  }
  if (value === 'nobind') {
    const each = pythonInteger(variableOf(at, 'OMP_NUM_THREADS') ?? '');
    const ranks = localRanks(at);
    return {
      path,
      kind: 'nobind',
      lists: [],
      ...(each !== undefined && each > 0 && ranks !== undefined && { threads: each * ranks }),
    };
  }
  if (value === undefined || !/^\d{1,5}(-\d{1,5})?([,|]\d{1,5}(-\d{1,5})?)*$/.test(value)) {
    return undefined;
  }
  const lists = value.split('|').map((list) =>
    list.split(',').reduce((cores, range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return cores + Math.max(0, last - first + 1);
    }, 0),
  );
  return { path, kind: 'lists', lists, threads: lists.reduce((sum, cores) => sum + cores, 0) };
}
