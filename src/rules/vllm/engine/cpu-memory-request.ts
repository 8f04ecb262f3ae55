import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine, isCpu } from './engines';

const check = eachEngine(function* (at) {
  const { limits, requests, path } = at.engine.resources;
  const [limit, request] = [limits.get('memory'), requests.get('memory')];
  if (isCpu(at) && limit !== undefined && request !== undefined && request.value < limit.value) {
    yield {
      path: `${path}.requests.memory`,
      what: `memory is requested as ${request.text}, and limited to ${limit.text}`,
    };
  }
});

export const cpuMemoryRequest: Rule = {
  id: 'vllm/cpu-memory-request',
  severity: 'note',
  title: 'an engine on CPU requests less memory than it may use',
  why: 'weights and KV cache are taken at the start and kept: on a full node the kubelet evicts the pod, and with it the group',
  fix: 'request the limit',
  holds: 'engines on CPU',
  source: 'node-pressure eviction in the documentation of Kubernetes',
  get bad() {
    return edit(CPU_POD, ['requests: { cpu: "6", memory: 16Gi }', 'requests: { cpu: "6", memory: 8Gi }']);
  },
  good: CPU_POD,
  check,
};
