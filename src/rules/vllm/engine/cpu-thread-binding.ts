import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine, isCpu, variableAt } from './engines';
import { bindingOf } from './threads';

const check = eachEngine(function* (at) {
  const limit = at.engine.resources.limits.get('cpu');
  const binding = isCpu(at) ? bindingOf(at) : undefined;
  if (limit === undefined || binding === undefined) {
    return;
  }
  if (binding.kind === 'auto') {
    yield { path: binding.path, what: `threads are bound by vLLM itself under a CPU limit of ${limit.text}` };
  } else if (binding.kind === 'nobind' && variableAt(at, 'OMP_NUM_THREADS') === undefined) {
    yield { path: binding.path, what: `threads are not bound, and no OMP_NUM_THREADS says how many there are` };
  }
});

export const cpuThreadBinding: Rule = {
  id: 'vllm/cpu-thread-binding',
  severity: 'note',
  title: 'threads are counted by the cores of the node',
  why: 'vLLM looks at the cores that it may run on, not at the CPU limit: without a static CPU manager there are more threads than the limit allows, and they are throttled',
  fix: 'set VLLM_CPU_OMP_THREADS_BIND to nobind and OMP_NUM_THREADS to one less than the CPU limit',
  holds: 'engines on CPU with a CPU limit',
  source: 'utils/ompmultiprocessing.py; measured on 0.31.0',
  get bad() {
    return edit(CPU_POD, [
      '            - { name: VLLM_CPU_OMP_THREADS_BIND, value: nobind }\n            - { name: OMP_NUM_THREADS, value: "5" }\n',
      '',
    ]);
  },
  good: CPU_POD,
  check,
};
