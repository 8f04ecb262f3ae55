import { compareVersions } from '../../common/versions';
import { LWS_SINCE } from '../../engine/lws';
import type { Report, Rule, RuleInput } from '../rule';

const GROUP = `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: { name: gemma, namespace: vllm }
spec:
  replicas: 2
  rolloutStrategy:
    type: RollingUpdate
    rollingUpdateConfiguration: { maxUnavailable: 1 }
  leaderWorkerTemplate:
    size: 2
    workerTemplate:
      spec:
        containers: [{ name: agent, image: registry.example/agent:1.0 }]
`;

function* check({ set, target: { lws } }: RuleInput): Iterable<Report> {
  if (lws === undefined || compareVersions(lws, LWS_SINCE.partition) >= 0) {
    return;
  }
  for (const object of set.ofKind('LeaderWorkerSet')) {
    yield {
      object,
      path: 'spec.rolloutStrategy.rollingUpdateConfiguration.partition',
      what: `the target cluster runs LWS ${lws}`,
    };
  }
}

export const controllerTooOld: Rule = {
  id: 'lws/controller-too-old',
  severity: 'error',
  title: 'the LWS controller of the cluster lacks what the group needs',
  why: 'the worker index comes with 0.6 and a rollout partition with 0.7',
  fix: `install LWS ${LWS_SINCE.partition} or newer`,
  holds: `a target cluster with LWS before ${LWS_SINCE.partition}`,
  source: 'releases of sigs.k8s.io/lws',
  bad: GROUP,
  badTarget: { lws: '0.6.0' },
  good: GROUP,
  check,
};
