import { CPU_GROUP, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { bondOf } from './bond';
import { groupSpecOf } from './group-spec';

const UNKNOWN = (): string =>
  edit(
    CPU_GROUP,
    ['vllm/vllm-openai-cpu:v0.31.0-x86_64', 'registry.example/agent:1.0'],
    ['command: [vllm, serve]', 'command: [agent]'],
  );

function* check({ manifests: { workloads } }: RuleInput): Iterable<Report> {
  for (const workload of workloads) {
    const { object, kind, size } = workload;
    if (kind !== 'LeaderWorkerSet' || groupSpecOf(object).restartPolicy !== 'Default') {
      continue;
    }
    // Where it cannot work, lws/no-group-restart says so.
    if (bondOf(workload) === undefined) {
      yield {
        object,
        path: 'spec.leaderWorkerTemplate.restartPolicy',
        what: "restartPolicy 'Default' is not the default",
        ...(size === 1 && { severity: 'note' }),
      };
    }
  }
}

export const restartPolicyDefault: Rule = {
  id: 'lws/restart-policy-default',
  severity: 'warning',
  title: 'the deprecated restart policy Default',
  why: 'LWS turns it into None, while the default is RecreateGroupOnPodRestart',
  fix: 'write None, or leave restartPolicy out',
  source: 'api/leaderworkerset/v1 and pkg/webhooks of sigs.k8s.io/lws',
  get bad() {
    return edit(UNKNOWN(), ['restartPolicy: RecreateGroupOnPodRestart', 'restartPolicy: Default']);
  },
  get good() {
    return UNKNOWN();
  },
  check,
};
