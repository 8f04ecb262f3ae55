import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { CACHE_VARIABLE, eachEngine, isCpu, pythonInteger, variableAt } from './engines';

const check = eachEngine(function* (at) {
  const found = variableAt(at, CACHE_VARIABLE);
  const value = found?.text.value;
  // An empty value is none.
  if (found === undefined || value === undefined || value === '' || !isCpu(at)) {
    return;
  }
  const gibibytes = pythonInteger(value);
  if (gibibytes === undefined || gibibytes < 1) {
    yield {
      path: found.path,
      what: `${CACHE_VARIABLE} is '${value}'; it takes a whole number of GiB, 1 or more, without a unit`,
      ...(gibibytes !== undefined && { why: 'vLLM ends with "No available memory for the cache blocks"' }),
    };
  }
});

export const kvSpaceInteger: Rule = {
  id: 'vllm/kv-space-integer',
  severity: 'error',
  title: 'VLLM_CPU_KVCACHE_SPACE is no whole number of GiB',
  why: 'vLLM reads it with int() and stops: "invalid literal for int() with base 10"',
  fix: "write a whole number, such as '4'; for other sizes leave the variable out and give --kv-cache-memory-bytes",
  holds: 'engines on CPU',
  source: 'platforms/cpu.py; 0, 0.5 and 4Gi run on 0.32.0',
  get bad() {
    return edit(CPU_POD, ['VLLM_CPU_KVCACHE_SPACE, value: "4"', 'VLLM_CPU_KVCACHE_SPACE, value: 4Gi']);
  },
  good: CPU_POD,
  check,
};
