import { edit, GPU_GROUP } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import {
  devicesOf,
  hasSizeDrift,
  isDataParallel,
  isOlder,
  isPlacedElsewhere,
  isWrongNodeCount,
  localRanksOf,
  once,
  pairsOf,
  type Rank,
  ranksOf,
} from './engines';
import { RAY_SINCE } from './ray';

function* check(input: RuleInput): Iterable<Report> {
  for (const rank of ranksOf(input)) {
    const { group, settings } = rank;
    // Where the ranks do not agree, vllm/rank-flag-drift says so.
    if (isWrongNodeCount(rank) && !hasSizeDrift(rank)) {
      const [nnodes, size] = [settings.nnodes.value!, group.size!];
      yield {
        object: group.object,
        path: settings.nnodes.path,
        what: `--nnodes is ${settings.nnodes.isGiven ? nnodes : 'not given, so 1,'} and the group has ${size} ${size === 1 ? 'pod' : 'pods'}`,
        why:
          nnodes > size
            ? 'the ranks wait for pods that the group never gets, until the start times out'
            : `the pods with an index of ${nnodes} and more are refused: --node-rank ends at ${nnodes - 1}`,
      };
    }
  }
  for (const { leader, worker } of pairsOf(input)) {
    const { group, settings } = leader;
    if (!isWrongNodeCount(leader) && !hasSizeDrift(leader) && [leader, worker].every(runsAllStages)) {
      yield {
        object: group.object,
        path: settings.nnodes.path,
        what: `--nnodes is not given, so 1, and the group has ${group.size} pods for its ${group.size} stages: each of them runs all stages`,
        why: 'no rank meets one of another pod: each pod loads the whole model and serves by itself',
        fix: 'give --nnodes=$(LWS_GROUP_SIZE), --node-rank=$(LWS_WORKER_INDEX) and --master-addr=$(LWS_LEADER_ADDRESS), and the workers --headless',
        severity: 'warning',
      };
    }
  }
}

/**
 * Whether a pod runs by itself the stages of which its group has a pod for each. It works, and nobody makes groups for that; what
 * hands a cache to another engine has its pods apart, and with too few GPUs vllm/world-size-exceeds-devices says it.
 */
function runsAllStages(rank: Rank): boolean {
  const { group, engine, settings, command } = rank;
  const { nnodes, pipelineParallelSize, executor } = settings;
  const stages = pipelineParallelSize.value;
  const mayBeRay =
    command.ray !== undefined ||
    engine.variable('RAY_ADDRESS') !== undefined ||
    (command.isShell && !executor.isGiven && isOlder(engine.image, RAY_SINCE.explicit) !== false);
  return (
    group.kind === 'LeaderWorkerSet' &&
    nnodes.value === 1 &&
    !nnodes.isGiven &&
    stages !== undefined &&
    stages > 1 &&
    stages === group.size &&
    !isPlacedElsewhere(rank) &&
    !isDataParallel(rank) &&
    !mayBeRay &&
    command.isSet('--kv-transfer-config') === false &&
    (localRanksOf(rank) ?? Infinity) <= (devicesOf(engine) ?? Infinity)
  );
}

export const nnodesGroupSize: Rule = {
  id: 'vllm/nnodes-group-size',
  severity: 'error',
  title: 'the number of nodes is not the size of the group',
  why: 'each pod of a group is one node of the engine',
  fix: 'write --nnodes=$(LWS_GROUP_SIZE), or make both numbers the same',
  source: 'vllm/engine/arg_utils.py; LWS, the size of a group',
  get bad() {
    return edit(GPU_GROUP, ['--nnodes=2', '--nnodes=4']);
  },
  get good() {
    return edit(GPU_GROUP, ['--nnodes=2', '--nnodes=$(LWS_GROUP_SIZE)']);
  },
  check: once(check),
};
