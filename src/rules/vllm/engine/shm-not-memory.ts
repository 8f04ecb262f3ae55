import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine } from './engines';
import { sharedMemoryOf, usesQueues } from './shared-memory';

const check = eachEngine(function* (at) {
  const { volume } = sharedMemoryOf(at) ?? {};
  if (volume?.kind === 'emptyDir' && volume.medium === '' && usesQueues(at) === true) {
    yield { path: `${volume.path}.emptyDir.medium`, what: `the emptyDir '${volume.name}' at /dev/shm is on disk` };
  }
});

export const shmNotMemory: Rule = {
  id: 'vllm/shm-not-memory',
  severity: 'warning',
  title: '/dev/shm is a directory on disk',
  why: "every message between the processes of the engine is then written to the node's disk as well",
  fix: 'set medium: Memory, with a sizeLimit within the memory limit',
  holds: 'engines on CPU, and on GPUs with more than one rank',
  source: 'emptyDir in the documentation of Kubernetes; distributed/device_communicators/shm_broadcast.py of vLLM',
  get bad() {
    return edit(CPU_POD, ['emptyDir: { medium: Memory, sizeLimit: 2Gi }', 'emptyDir: { sizeLimit: 2Gi }']);
  },
  good: CPU_POD,
  check,
};
