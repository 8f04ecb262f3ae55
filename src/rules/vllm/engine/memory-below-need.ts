import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine } from './engines';
import { memoryLack } from './memory';

const check = eachEngine(function* (at) {
  const lack = memoryLack(at);
  if (lack !== undefined) {
    yield { path: `${at.engine.resources.path}.limits.memory`, ...lack };
  }
});

export const memoryBelowNeed: Rule = {
  id: 'vllm/memory-below-need',
  severity: 'error',
  title: 'the memory limit of an engine on CPU is below what it needs',
  why: 'the kernel kills the worker of a container that exceeds its limit (exit -9, OOMKilled)',
  fix: 'raise the limit, give a smaller KV cache, or split the model over more nodes',
  holds: 'engines on CPU; the weights count where the catalogue knows the model',
  source: 'vllm-project/vllm#15800; 17 measured ranks on 0.31.0 and 0.32.0',
  get bad() {
    return edit(CPU_POD, ['VLLM_CPU_KVCACHE_SPACE, value: "4"', 'VLLM_CPU_KVCACHE_SPACE, value: "20"']);
  },
  get good() {
    return edit(CPU_POD, ['VLLM_CPU_KVCACHE_SPACE, value: "4"', 'VLLM_CPU_KVCACHE_SPACE, value: "6"']);
  },
  check,
};
