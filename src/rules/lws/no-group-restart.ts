import { CPU_GROUP, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { bondOf } from './bond';
import { groupSpecOf } from './group-spec';

/** Policies that leave the others as they are; the webhook makes the one of the other. */
export const LONE_POLICIES = ['None', 'Default'];

function* check({ manifests: { groups } }: RuleInput): Iterable<Report> {
  for (const workload of groups) {
    const { object, kind } = workload;
    const { restartPolicy = '' } = groupSpecOf(object);
    const bond = kind === 'LeaderWorkerSet' && LONE_POLICIES.includes(restartPolicy) ? bondOf(workload) : undefined;
    if (bond !== undefined) {
      yield {
        object,
        path: 'spec.leaderWorkerTemplate.restartPolicy',
        what: `restartPolicy ${restartPolicy} restarts one pod alone, and ${bond}`,
      };
    }
  }
}

export const noGroupRestart: Rule = {
  id: 'lws/no-group-restart',
  severity: 'error',
  title: 'a pod restarts without the rest of its group',
  why: 'when one rank ends the others wait for it for ever, and it cannot join them again',
  fix: 'write RecreateGroupOnPodRestart, or leave restartPolicy out',
  source: 'vllm-project/vllm#32136; two ranks of a real engine',
  get bad() {
    return edit(CPU_GROUP, ['restartPolicy: RecreateGroupOnPodRestart', 'restartPolicy: None']);
  },
  good: CPU_GROUP,
  check,
};
