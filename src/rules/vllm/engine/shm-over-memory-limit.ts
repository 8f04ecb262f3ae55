import { sizeText } from '../../../fit/units';
import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { cacheBytes, eachEngine, isCpu, localRanks, memoryLimit } from './engines';
import { memoryLack } from './memory';
import { sharedMemoryOf } from './shared-memory';

const check = eachEngine(function* (at) {
  const { volume, bytes } = sharedMemoryOf(at) ?? {};
  const limit = memoryLimit(at);
  if (volume?.kind !== 'emptyDir' || volume.medium !== 'Memory' || bytes === undefined || limit === undefined) {
    return;
  }
  const cache = isCpu(at) ? (cacheBytes(at) ?? 0) * (localRanks(at) ?? 1) : 0;
  // Where the limit is below the engine's need already, that is what has to be said.
  if (cache + bytes >= limit && memoryLack(at)?.severity !== 'error') {
    yield {
      path: `${volume.path}.emptyDir.sizeLimit`,
      what:
        `/dev/shm may grow to ${volume.sizeLimit!.text}` +
        (cache === 0 ? '' : ` beside a KV cache of ${sizeText(cache)}`) +
        `, and the memory limit is ${at.engine.resources.limits.get('memory')!.text}`,
    };
  }
});

export const shmOverMemoryLimit: Rule = {
  id: 'vllm/shm-over-memory-limit',
  severity: 'warning',
  title: 'shared memory and KV cache exceed the memory limit',
  why: 'pages of a memory volume count against the limit of the container: it is killed before the volume is full',
  fix: 'lower the sizeLimit (1Gi to 4Gi is enough), or raise the memory limit',
  source: 'memory volumes in the documentation of Kubernetes',
  get bad() {
    return edit(CPU_POD, ['sizeLimit: 2Gi', 'sizeLimit: 14Gi']);
  },
  good: CPU_POD,
  check,
};
