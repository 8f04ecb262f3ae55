import { CPU_POD, edit } from '../../examples';
import { OLDEST_RELEASE } from '../../../engine/releases';
import { compareVersions } from '../../../common/versions';
import type { Rule } from '../../rule';
import {
  CACHE_VARIABLE,
  eachEngine,
  holds,
  isCpu,
  isReadWhole,
  memoryLimit,
  releaseWords,
  variableAt,
} from './engines';

const check = eachEngine(function* (at) {
  const { kvCacheBytes: flag, gpuMemoryUtilization: share } = at.settings;
  const variable = variableAt(at, CACHE_VARIABLE);
  const isVariableUnset = variable === undefined || variable.text.value === '';
  if (!isCpu(at) || !isReadWhole(at) || flag.isGiven || flag.why !== undefined || !isVariableUnset) {
    return;
  }
  const version = at.engine.image?.version;
  const isRead = version !== undefined && compareVersions(version, OLDEST_RELEASE) >= 0;
  // A share that somebody chose may be meant for the whole node.
  const takesNode = isRead && holds('cgroupMemory', at) === false && !share.isGiven && share.why === undefined;
  yield {
    path: `${at.engine.path}.env`,
    what: takesNode
      ? `no size is given for the KV cache, and ${releaseWords(at)} takes 0.92 of the memory of the node, whatever the limit`
      : 'no size is given for the KV cache',
    ...(takesNode && memoryLimit(at) !== undefined
      ? {}
      : {
          severity: 'note' as const,
          why: 'vLLM then takes a share of the memory, and the number of requests that fit depends on the node or the limit',
        }),
  };
});

const CACHE = '            - { name: VLLM_CPU_KVCACHE_SPACE, value: "4" }\n';
const OLD = (): string => edit(CPU_POD, ['v0.31.0-x86_64', 'v0.23.0-x86_64']);

export const cpuCacheSizeUnset: Rule = {
  id: 'vllm/cpu-cache-size-unset',
  severity: 'error',
  title: 'no size for the KV cache on CPU',
  why: 'the cache is larger than the memory limit, and the pod is killed',
  fix: 'give VLLM_CPU_KVCACHE_SPACE in GiB, or --kv-cache-memory-bytes',
  holds: 'engines on CPU: 0.20.0 to 0.23.0 with a memory limit; a note elsewhere',
  source: 'utils/cpu_resource_utils.py; vllm-project/vllm#45086',
  get bad() {
    return edit(OLD(), [CACHE, '']);
  },
  get good() {
    return OLD();
  },
  check,
};
