import { SHARED_MEMORY_PATH } from '../../../engine/server';
import { MEBI } from '../../../fit/units';
import { sharedMemory, type Volume } from '../../../manifest';
import { backendOf, type EngineAt } from './engines';

/**
 * Queues between the processes of a pod, in shared memory: from the engine core to its workers, back from a worker, and
 * within a group of ranks. Source: shm_broadcast.py and multiproc_executor.py of vLLM.
 */
export const QUEUE_BYTES = 160 * MEBI;
export const QUEUES_BYTES = (160 + 240 + 24) * MEBI;

/** Whether the processes of a pod speak through shared memory: always on CPU, elsewhere where there are ranks to speak to. */
export function usesQueues(at: EngineAt): boolean | undefined {
  const { executor, pipelineParallelSize, tensorParallelSize } = at.settings;
  const backend = backendOf(at);
  if (backend === 'cpu') {
    // It makes mp of uni, and refuses Ray.
    return executor.isGiven && executor.value !== 'mp' && executor.value !== 'uni' ? undefined : true;
  }
  if (executor.isGiven) {
    return executor.value === 'mp' ? true : executor.value === 'uni' ? false : undefined;
  }
  const isKnown = executor.why === undefined && at.engine.command.ray === undefined;
  const sizes = [pipelineParallelSize.value, tensorParallelSize.value];
  return isKnown && (backend === 'cuda' || backend === 'gpu') && sizes.every((size) => size !== undefined)
    ? sizes.some((size) => size > 1)
    : undefined;
}

/** What stands at /dev/shm; nothing when the manifest does not tell. */
export function sharedMemoryOf({
  engine,
  pod,
}: Pick<EngineAt, 'engine' | 'pod'>): { bytes?: number; volume?: Volume } | undefined {
  const mount = engine.mounts.find(({ mountPath }) => mountPath === SHARED_MEMORY_PATH);
  const found = sharedMemory(engine, pod);
  // A claim template of the workload, which is no volume of the pod.
  return mount !== undefined && found.volume === undefined ? undefined : found;
}
