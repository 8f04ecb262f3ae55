import { compareVersions } from '../../../common/versions';
import { GATES } from '../../../engine/gates';
import { OLDEST_RELEASE } from '../../../engine/releases';
import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine, type EngineAt, holds, isArm, isCpu, nodesOf } from './engines';
import { ARM_POD } from './manifests';
import { modelOf } from './models';

/** Why the CPU build does not take a cache in fp8; nothing when it may. */
function refusal(at: EngineAt): string | undefined {
  const { version } = at.engine.image ?? {};
  if (version !== undefined && compareVersions(version, OLDEST_RELEASE) < 0) {
    return undefined;
  }
  if (holds('fp8KvCache', at) === false) {
    return `vLLM ${version} has no cache in fp8 on CPU, which came with ${GATES.fp8KvCache.since}`;
  }
  if (isArm(at)) {
    return 'the engine runs on arm64';
  }
  const without = nodesOf(at.pod)?.find(({ processor }) => !processor.isa.avx512);
  if (without !== undefined) {
    return `a ${without.name} (${without.processor.name}) has no AVX-512`;
  }
  const model = modelOf(at);
  return model !== undefined && model.keyValue.headSize % 32 !== 0
    ? `the head size of ${model.name} is ${model.keyValue.headSize}, no multiple of 32`
    : undefined;
}

const check = eachEngine(function* (at) {
  const { value, path } = at.settings.kvCacheDtype;
  const why = value?.startsWith('fp8') === true && isCpu(at) ? refusal(at) : undefined;
  if (why !== undefined) {
    yield { path, what: `kv-cache-dtype is ${value}, and ${why}` };
  }
});

const FP8 = ['            - --port=8000\n', '            - --port=8000\n            - --kv-cache-dtype=fp8\n'] as const;

export const cpuKvCacheDtype: Rule = {
  id: 'vllm/cpu-kv-cache-dtype',
  severity: 'error',
  title: 'a KV cache in fp8 that the CPU build does not take',
  why: 'the CPU kernels for a cache in fp8 are written for x86 with AVX-512 and for heads of a multiple of 32: vLLM refuses to start',
  fix: 'leave --kv-cache-dtype at auto',
  holds: 'engines on CPU',
  source: 'v1/attention/backends/cpu_attn.py; run on 0.31.0 and 0.32.0',
  get bad() {
    return edit(ARM_POD, FP8);
  },
  get good() {
    return edit(CPU_POD, FP8);
  },
  check,
};
