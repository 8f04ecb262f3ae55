import { compareVersions } from '../../common/versions';
import { LWS_SINCE } from '../../engine/lws';
import type { Report, Rule, RuleInput } from '../rule';
import { groupSpecOf } from './group-spec';

const GROUP = `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: { name: gemma, namespace: vllm }
spec:
  replicas: 2
  rolloutStrategy:
    type: RollingUpdate
    rollingUpdateConfiguration: { maxUnavailable: 0, maxSurge: 1 }
  leaderWorkerTemplate:
    size: 2
    workerTemplate:
      spec:
        containers: [{ name: agent, image: registry.example/agent:1.0 }]
`;

function* check({ set, target: { lws } }: RuleInput): Iterable<Report> {
  if (lws === undefined || compareVersions(lws, LWS_SINCE.surgeAlone) >= 0) {
    return;
  }
  for (const object of set.ofKind('LeaderWorkerSet')) {
    if (groupSpecOf(object).maxUnavailable === 0) {
      yield {
        object,
        path: 'spec.rolloutStrategy.rollingUpdateConfiguration.maxUnavailable',
        what: `maxUnavailable is 0 and the target cluster runs LWS ${lws}`,
      };
    }
  }
}

export const surgeOnlyTooOld: Rule = {
  id: 'lws/surge-only-too-old',
  severity: 'error',
  title: 'the LWS controller of the cluster cannot roll out with a surge alone',
  why: 'controllers before 0.9 accept it and then fail to create the StatefulSet, with a line in their log alone',
  fix: `install LWS ${LWS_SINCE.surgeAlone} or newer, or allow one group to be unavailable`,
  holds: `a target cluster with LWS before ${LWS_SINCE.surgeAlone}`,
  source: 'releases of sigs.k8s.io/lws',
  bad: GROUP,
  badTarget: { lws: '0.8.0' },
  good: GROUP,
  check,
};
