import { LWS_LEADER_ADDRESS } from '../../../engine/lws';
import { edit, GPU_GROUP } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { isFollower, isMultiNode, type Rank, ranksOf, once } from './engines';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\]|0\.0\.0\.0)$/;

function* check(input: RuleInput): Iterable<Report> {
  for (const rank of ranksOf(input)) {
    const { group, settings } = rank;
    const { masterAddr } = settings;
    const what = isMultiNode(rank) ? problemOf(rank) : undefined;
    if (what !== undefined) {
      yield {
        object: group.object,
        path: masterAddr.path,
        what,
        ...(group.kind !== 'LeaderWorkerSet' && { fix: 'give the workers the address of the pod with rank 0' }),
      };
    }
  }
}

function problemOf(rank: Rank): string | undefined {
  const { settings, group } = rank;
  const { masterAddr } = settings;
  const value = masterAddr.value?.trim();
  if (!isFollower(rank)) {
    return value === undefined ? undefined : ofOtherGroup(rank, value);
  }
  if (!masterAddr.isGiven && value !== undefined) {
    return `--master-addr is not given on a worker, so ${value}`;
  }
  if (masterAddr.text?.source === 'field status.podIP') {
    return '--master-addr is the address of the worker itself';
  }
  if (value === undefined) {
    return undefined;
  }
  if (LOOPBACK.test(value)) {
    return `--master-addr is '${value}' on a worker, which is the worker itself`;
  }
  return value === '' && group.kind === 'LeaderWorkerSet' ? '--master-addr is empty' : ofOtherGroup(rank, value);
}

/** A name of a pod of the set, written out: right for the leader of the first group, where there is no other. */
function ofOtherGroup({ group }: Rank, value: string): string | undefined {
  const host = value.split('.', 1)[0]!;
  if (group.kind !== 'LeaderWorkerSet' || !host.startsWith(`${group.name}-`)) {
    return undefined;
  }
  const [, ordinal, worker] = /^(\d+)(?:-(\d+))?$/.exec(host.slice(group.name.length + 1)) ?? [];
  if (ordinal === undefined) {
    return undefined;
  }
  if (worker !== undefined) {
    return `--master-addr is '${value}', the name of a worker`;
  }
  return group.replicas !== undefined && group.replicas > 1
    ? `--master-addr is '${value}' in all of ${group.replicas} groups, and each has its own leader`
    : undefined;
}

export const masterAddr: Rule = {
  id: 'vllm/master-addr',
  severity: 'error',
  title: 'a worker dials an address that is not its leader',
  why: 'rank 0 listens on the leader: the worker waits without a word until the start times out',
  fix: `write --master-addr=$(${LWS_LEADER_ADDRESS}), which LWS sets in every pod of the group`,
  source: 'vllm/config/parallel.py: 127.0.0.1 by default; LWS, names of pods',
  get bad() {
    return edit(GPU_GROUP, [
      '              - --node-rank=$(LWS_WORKER_INDEX)\n              - --master-addr=$(LWS_LEADER_ADDRESS)\n',
      '              - --node-rank=$(LWS_WORKER_INDEX)\n',
    ]);
  },
  good: GPU_GROUP,
  check: once(check),
};
