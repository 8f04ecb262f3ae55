import { LWS_LEADER_ADDRESS } from '../../../engine/lws';
import { edit, GPU_GROUP } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { isFollower, isMultiNode, type Rank, ranksOf, once } from './engines';

const VARIABLE = 'VLLM_HOST_IP';
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|0\.0\.0\.0|::)$/;

function* check(input: RuleInput): Iterable<Report> {
  for (const rank of ranksOf(input)) {
    const found = isMultiNode(rank) ? rank.engine.variable(VARIABLE) : undefined;
    const what = found && problemOf(rank, found.text.value?.trim(), found.text.source);
    if (found !== undefined && what !== undefined) {
      yield { object: rank.group.object, path: found.path, what };
    }
  }
}

function problemOf(rank: Rank, value: string | undefined, source: string | undefined): string | undefined {
  if (value !== undefined && LOOPBACK.test(value)) {
    return `${VARIABLE} is '${value}', which every pod has for itself`;
  }
  if (source === LWS_LEADER_ADDRESS && isFollower(rank)) {
    return `${VARIABLE} of a worker is the address of the leader`;
  }
  return source === 'field status.hostIP' && !rank.pod.hostNetwork
    ? `${VARIABLE} is the address of the node, which the pod does not have without hostNetwork`
    : undefined;
}

export const hostIp: Rule = {
  id: 'vllm/host-ip',
  severity: 'error',
  title: 'a rank tells its peers an address that is not its own',
  why: 'it listens on that address for the others and hands it to them: the start fails, or they never reach it',
  fix: 'take the IP of the pod: fieldPath: status.podIP',
  source: 'vllm/utils/network_utils.py, vllm/distributed/device_communicators/shm_broadcast.py',
  get bad() {
    return edit(GPU_GROUP, ['fieldPath: status.podIP', 'fieldPath: status.hostIP']);
  },
  good: GPU_GROUP,
  check: once(check),
};
