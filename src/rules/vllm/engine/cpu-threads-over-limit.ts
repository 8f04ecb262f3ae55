import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine, isCpu, variableAt } from './engines';
import { hasSizeDrift } from '../ranks/engines';
import { bindingOf } from './threads';

const check = eachEngine(function* (at) {
  const limit = at.engine.resources.limits.get('cpu');
  const binding = isCpu(at) ? bindingOf(at) : undefined;
  const { threads } = binding ?? {};
  if (
    limit === undefined ||
    binding === undefined ||
    threads === undefined ||
    threads < 2 ||
    // Ranks that do not agree on their number have another fault, which the number of threads follows.
    hasSizeDrift(at) ||
    threads * 1000 < limit.millis
  ) {
    return;
  }
  const variable = binding.kind === 'nobind' ? variableAt(at, 'OMP_NUM_THREADS') : undefined;
  yield {
    path: (variable ?? binding).path,
    what: `${threads} threads compute under a CPU limit of ${limit.text}`,
    fix: `take ${Math.max(1, Math.floor(limit.millis / 1000) - 1)} threads, or no CPU limit`,
  };
});

export const cpuThreadsOverLimit: Rule = {
  id: 'vllm/cpu-threads-over-limit',
  severity: 'warning',
  title: 'as many threads as the CPU limit, or more',
  why: 'API server, engine core and communication need a core beside them: every step is throttled, which made a pipeline 1.8 times slower',
  fix: 'take one thread less than the CPU limit, or no CPU limit',
  holds: 'engines on CPU',
  source: 'measured on 0.31.0 under CPU quotas',
  get bad() {
    return edit(CPU_POD, ['OMP_NUM_THREADS, value: "5"', 'OMP_NUM_THREADS, value: "8"']);
  },
  good: CPU_POD,
  check,
};
