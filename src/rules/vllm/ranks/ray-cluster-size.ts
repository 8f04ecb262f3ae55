import { edit } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { enginesOf, once } from './engines';
import { SCRIPT_BEFORE } from './ray';
import { rayGroup } from './ray-examples';

function* check(input: RuleInput): Iterable<Report> {
  for (const { group, pod, engine } of enginesOf(input)) {
    const { ray, maybe } = engine.command;
    if (group.kind !== 'LeaderWorkerSet' || ray === undefined || maybe !== undefined) {
      continue;
    }
    const pods = /^\d{1,6}$/.test(ray.clusterSize?.value ?? '') ? Number(ray.clusterSize!.value) : undefined;
    if (ray.role === 'head' && pods !== undefined && group.size !== undefined && pods > group.size) {
      yield {
        object: group.object,
        path: ray.path,
        what: `the script waits for ${pods} Ray nodes, and the group has ${group.size} ${group.size === 1 ? 'pod' : 'pods'}`,
      };
    } else if (ray.role === 'head' && pod.role === 'worker') {
      yield {
        object: group.object,
        path: ray.path,
        what: 'the workers start a Ray cluster each, as the leader does',
        why: 'no worker joins the leader, which waits for them until it gives up',
        fix: 'have the workers join: worker --ray_address=$(LWS_LEADER_ADDRESS), or ray start --address',
      };
    }
  }
}

const RAY_0_16 = (): string => rayGroup('vllm/vllm-openai:v0.16.0', SCRIPT_BEFORE);

export const rayClusterSize: Rule = {
  id: 'vllm/ray-cluster-size',
  severity: 'error',
  title: 'the Ray cluster that a leader waits for is not the group',
  why: 'the nodes that are missing never come: the script gives up after five minutes, and the group starts again',
  fix: 'write --ray_cluster_size=$(LWS_GROUP_SIZE)',
  source: 'multi-node-serving.sh of vLLM',
  get bad() {
    return edit(RAY_0_16(), ['--ray_cluster_size=$(LWS_GROUP_SIZE)', '--ray_cluster_size=4']);
  },
  get good() {
    return RAY_0_16();
  },
  check: once(check),
};
