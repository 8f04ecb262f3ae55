import { edit, GPU_GROUP } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import {
  devicesOf,
  hasSizeDrift,
  isDataParallel,
  isOlder,
  isWrongNodeCount,
  localRanksOf,
  platformOf,
  type Rank,
  ranksOf,
  once,
} from './engines';
import { RAY_SINCE } from './ray';

function* check(input: RuleInput): Iterable<Report> {
  for (const rank of ranksOf(input)) {
    const { group, engine } = rank;
    const devices = devicesOf(engine);
    if (devices === undefined || platformOf(engine) !== 'gpu' || hasSizeDrift(rank)) {
      continue;
    }
    const asked = isByRay(rank) ? rayNeed(rank, devices) : localNeed(rank, devices);
    if (asked !== undefined) {
      yield { object: group.object, path: pathOf(rank), ...asked };
    }
  }
}

/** Whether Ray spreads the ranks: it is asked for, or a release that takes a running cluster by itself finds one. */
function isByRay({ settings, command, engine }: Rank): boolean {
  const isImplicit =
    !settings.executor.isGiven && command.ray?.role === 'head' && isOlder(engine.image, RAY_SINCE.explicit) === true;
  return settings.executor.value === 'ray' || isImplicit;
}

/** The flag that makes the most of it. */
function pathOf({ settings }: Rank): string {
  const { tensorParallelSize, pipelineParallelSize, dataParallelSize } = settings;
  const sizes = [tensorParallelSize, pipelineParallelSize, dataParallelSize].filter(({ isGiven }) => isGiven);
  sizes.sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
  return sizes[0]?.path ?? tensorParallelSize.path;
}

function sizesOf({ pipelineParallelSize, tensorParallelSize, dataParallelSize }: Rank['settings']): string {
  return [
    ['tensor', tensorParallelSize.value],
    ['pipeline', pipelineParallelSize.value],
    ['data', dataParallelSize.value],
  ]
    .filter(([, size]) => size !== 1)
    .map(([name, size]) => `${name} ${size}`)
    .join(' × ');
}

function localNeed(rank: Rank, devices: number): Pick<Report, 'what' | 'fix'> | undefined {
  const ranks = localRanksOf(rank);
  if (ranks === undefined || ranks <= devices || isWrongNodeCount(rank) || mayBeRay(rank)) {
    return undefined;
  }
  const nnodes = rank.settings.nnodes.value!;
  const over = nnodes > 1 ? ` over ${nnodes} nodes makes` : ' makes';
  return {
    what: `${sizesOf(rank.settings)}${over} ${ranks} ranks in each pod, which has ${devices} ${devices === 1 ? 'GPU' : 'GPUs'}`,
    fix: isForGroup(rank, ranks, devices)
      ? `let the ${rank.group.size} pods share them, by --nnodes=$(LWS_GROUP_SIZE), --node-rank and --master-addr; or lower the sizes to ${devices} in all, or give each pod ${ranks} GPUs`
      : `lower the sizes to ${devices * nnodes} in all, or give each pod ${ranks} GPUs`,
  };
}

/** Whether the pods of a group have the GPUs together, and nothing says that they belong together. */
function isForGroup(rank: Rank, ranks: number, devices: number): boolean {
  const { kind, size = 1 } = rank.group;
  return (
    kind === 'LeaderWorkerSet' &&
    !rank.settings.nnodes.isGiven &&
    !isDataParallel(rank) &&
    size > 1 &&
    ranks <= devices * size
  );
}

/** Without a word about the executor, older releases take a Ray cluster that runs, and a script may have started one. */
function mayBeRay({ settings, command, engine }: Rank): boolean {
  if (settings.executor.isGiven || settings.nnodes.value! > 1) {
    return false;
  }
  // Whoever starts Ray and a release that no longer takes it is told so by vllm/ray-backend-implicit.
  const hasSigns = command.ray !== undefined || engine.variable('RAY_ADDRESS') !== undefined;
  return hasSigns || (isOlder(engine.image, RAY_SINCE.explicit) !== false && command.isShell);
}

/** Ray spreads the ranks over the group; one that was joined from elsewhere may have any number of GPUs. */
function rayNeed({ group, settings, command }: Rank, devices: number): Pick<Report, 'what' | 'fix'> | undefined {
  const { worldSize } = settings;
  const isOfGroup = command.ray?.role === 'head' && group.worker?.engine?.command.form === 'ray-worker';
  const ofWorker = group.worker?.engine && devicesOf(group.worker.engine);
  if (worldSize === undefined || !isOfGroup || ofWorker === undefined || group.size === undefined) {
    return undefined;
  }
  const all = devices + ofWorker * (group.size - 1);
  return worldSize <= all
    ? undefined
    : {
        what: `${sizesOf(settings)} makes ${worldSize} ranks, and the ${group.size} pods of the group have ${all} GPUs`,
        fix: `lower the sizes to ${all} in all, or give the pods more GPUs`,
      };
}

export const worldSizeExceedsDevices: Rule = {
  id: 'vllm/world-size-exceeds-devices',
  severity: 'error',
  title: 'more ranks than GPUs',
  why: 'every rank needs a GPU of its own: vLLM refuses to start, or the last ranks find no device',
  fix: 'lower the tensor or pipeline size, or give the pods more GPUs',
  source: 'vllm/config/parallel.py',
  get bad() {
    return edit(GPU_GROUP, ['--tensor-parallel-size=8', '--tensor-parallel-size=16']);
  },
  good: GPU_GROUP,
  check: once(check),
};
