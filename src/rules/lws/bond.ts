import type { EngineContainer, RolePod, Workload } from '../../manifest/groups';

/** Why the pods of a group cannot do without each other, as the end of a sentence; nothing when that is not known. */
export function bondOf({ size, leader, worker }: Workload): string | undefined {
  if (size === undefined || size < 2 || worker === undefined) {
    return undefined;
  }
  const nnodes = leader.engine?.settings?.nnodes.value;
  if (nnodes !== undefined && nnodes > 1) {
    return `its engine is one of ${nnodes} nodes`;
  }
  if (leader.engine?.command.ray?.role === 'head' || isRayWorker(worker.engine)) {
    return 'its engine is one Ray cluster';
  }
  return isFollower(worker.engine) ? 'its workers are headless ranks of the leader' : undefined;
}

function isRayWorker(engine: EngineContainer | undefined): boolean {
  return engine?.command.form === 'ray-worker';
}

function isFollower(engine: EngineContainer | undefined): boolean {
  return engine?.command.form === 'serve' && engine.settings?.headless.value === true;
}

/** Whether a pod surely answers no request: its engines are headless ranks or Ray workers. */
export function isSilent({ engines }: RolePod): boolean {
  return (
    engines.length > 0 &&
    engines.every((engine) => (isRayWorker(engine) || isFollower(engine)) && engine.command.maybe === undefined)
  );
}

/** Why the leader's server starts only with its workers; nothing when that is not known. */
export function whyLeaderWaits(workload: Workload): string | undefined {
  const engine = workload.leader.engine;
  const settings = engine?.settings;
  if (engine === undefined || settings === undefined || engine.command.maybe !== undefined) {
    return undefined;
  }
  const ray = engine.command.ray;
  if (ray?.role !== 'head') {
    return bondOf(workload);
  }
  const pods = Number(ray.clusterSize?.value);
  if (pods > 1) {
    return `its script waits for ${pods} Ray nodes`;
  }
  const gpus = [...engine.resources.limits].find(([name]) => name.endsWith('.com/gpu'))?.[1].value;
  return settings.worldSize !== undefined && gpus !== undefined && settings.worldSize > gpus
    ? `it needs ${settings.worldSize} devices and has ${gpus} of its own`
    : undefined;
}
