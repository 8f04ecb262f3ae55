import { edit, GPU_GROUP } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { isMultiNode, isWrongNodeCount, type Rank, ranksOf, once } from './engines';

function* check(input: RuleInput): Iterable<Report> {
  for (const rank of ranksOf(input)) {
    const { group, settings } = rank;
    const { nodeRank, nnodes } = settings;
    const what = isMultiNode(rank) && typeof nodeRank.value === 'number' ? problemOf(rank, nodeRank.value) : undefined;
    if (what !== undefined) {
      const given = nodeRank.isGiven ? `--node-rank is ${nodeRank.value}` : '--node-rank is not given, so 0,';
      yield {
        object: group.object,
        path: nodeRank.path,
        what: `${given} ${what}`,
        ...(group.kind !== 'LeaderWorkerSet' && {
          fix: `give each pod its own rank, from 0 to ${nnodes.value! - 1}`,
        }),
      };
    }
  }
}

function problemOf(rank: Rank, value: number): string | undefined {
  const { group, pod, settings } = rank;
  const nnodes = settings.nnodes.value!;
  if (!Number.isInteger(value) || value < 0 || (value >= nnodes && !isWrongNodeCount(rank))) {
    return `of ${nnodes} nodes`;
  }
  if (pod.role === 'leader') {
    return value === 0 ? undefined : 'on the leader, whose address the others dial to find rank 0';
  }
  if (pod.role === 'worker') {
    const workers = pod.indices.highest - pod.indices.lowest + 1;
    return value === 0
      ? 'on a worker, as on the leader'
      : workers > 1
        ? `on each of ${numberOf(workers)} workers`
        : undefined;
  }
  const copies = group.kind === 'Deployment' || group.kind === 'StatefulSet' ? (group.replicas ?? 1) : 1;
  return copies > 1 ? `on each of ${copies} pods` : undefined;
}

function numberOf(workers: number): string {
  return Number.isFinite(workers) ? String(workers) : 'all';
}

export const nodeRank: Rule = {
  id: 'vllm/node-rank',
  severity: 'error',
  title: 'a rank that is out of range, or that several pods have',
  why: 'vLLM refuses a rank outside of 0 to nnodes - 1, and with two of one number the others wait for ever',
  fix: 'take 0 on the leader and --node-rank=$(LWS_WORKER_INDEX) on the workers',
  source: 'vllm/engine/arg_utils.py; run on 0.32.0',
  get bad() {
    return edit(GPU_GROUP, ['--node-rank=$(LWS_WORKER_INDEX)', '--node-rank=0']);
  },
  good: GPU_GROUP,
  check: once(check),
};
