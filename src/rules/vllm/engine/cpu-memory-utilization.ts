import { CPU_POD } from '../../examples';
import type { Rule } from '../../rule';
import { cacheBytes, eachEngine, isCpu } from './engines';
import { withArguments } from './manifests';

const check = eachEngine(function* (at) {
  const { isGiven, path, value } = at.settings.gpuMemoryUtilization;
  if (isGiven && isCpu(at)) {
    const isUnused = cacheBytes(at) !== undefined;
    yield {
      path,
      what:
        `gpu-memory-utilization is ${value ?? 'given'} on CPU, where ` +
        (isUnused ? 'the given size of the KV cache counts and it does nothing' : 'it is a share of the main memory'),
    };
  }
});

export const cpuMemoryUtilization: Rule = {
  id: 'vllm/cpu-memory-utilization',
  severity: 'note',
  title: '--gpu-memory-utilization on CPU',
  why: 'the CPU build reads it as a share of the memory of node or container, and only when no size is given for the KV cache',
  fix: 'leave it out, and give VLLM_CPU_KVCACHE_SPACE',
  holds: 'engines on CPU since 0.20.0',
  source: 'v1/worker/cpu_worker.py',
  get bad() {
    return withArguments('--gpu-memory-utilization=0.9');
  },
  good: CPU_POD,
  check,
};
