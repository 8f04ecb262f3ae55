import { sizeText } from '../../../fit/units';
import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine, holds } from './engines';
import { QUEUE_BYTES, QUEUES_BYTES, sharedMemoryOf, usesQueues } from './shared-memory';

const check = eachEngine(function* (at) {
  const { engine } = at;
  const memory = sharedMemoryOf(at);
  const { bytes, volume } = memory ?? {};
  if (usesQueues(at) !== true || bytes === undefined || bytes >= QUEUES_BYTES) {
    return;
  }
  const isChecked = holds('sharedMemoryCheck', at);
  const size = volume?.sizeLimit?.text ?? sizeText(bytes);
  const isRefused = bytes < QUEUE_BYTES;
  yield {
    path: volume === undefined ? `${engine.path}.volumeMounts` : `${volume.path}.emptyDir.sizeLimit`,
    what:
      (volume === undefined
        ? `nothing is mounted at /dev/shm, so it has the ${size} that a container gets by itself`
        : `/dev/shm is ${size}`) +
      `; the queues between the processes of this engine are ${sizeText(isRefused ? QUEUE_BYTES : QUEUES_BYTES)} and more`,
    ...(isChecked !== true && { severity: isChecked === false ? ('warning' as const) : ('note' as const) }),
    ...(isChecked === true && !isRefused && { severity: 'warning' as const }),
    ...((isChecked !== true || !isRefused) && { why: 'a full /dev/shm ends the engine with SIGBUS under load' }),
  };
});

const MOUNT = '          volumeMounts: [{ name: shm, mountPath: /dev/shm }]\n';
const VOLUME = '      volumes: [{ name: shm, emptyDir: { medium: Memory, sizeLimit: 2Gi } }]\n';

export const shmTooSmall: Rule = {
  id: 'vllm/shm-too-small',
  severity: 'error',
  title: '/dev/shm is too small for the queues of an engine',
  why: 'vLLM checks the room and refuses to start: "Insufficient space in /dev/shm"',
  fix: "mount an emptyDir with medium: Memory at /dev/shm, with a sizeLimit of 1Gi or more within the container's memory limit",
  holds: 'engines on CPU, and on GPUs with more than one rank; an error since 0.27.1, SIGBUS under load before',
  source: 'vllm-project/vllm#48879; distributed/device_communicators/shm_broadcast.py',
  get bad() {
    return edit(CPU_POD, [MOUNT, ''], [VOLUME, '']);
  },
  good: CPU_POD,
  check,
};
