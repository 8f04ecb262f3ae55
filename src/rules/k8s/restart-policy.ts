import { get, integerOf } from '../../manifest/json';
import { CPU_GROUP, edit } from '../examples';
import { isPlaceholder } from './placeholder';
import type { Report, Rule, RuleInput } from '../rule';
import { eachPod } from './containers';

const ALWAYS = ['Always'];
const ENDING = ['OnFailure', 'Never'];
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  LeaderWorkerSet: ALWAYS,
  Deployment: ALWAYS,
  StatefulSet: ALWAYS,
  ReplicaSet: ALWAYS,
  DaemonSet: ALWAYS,
  Job: ENDING,
  CronJob: ENDING,
  Pod: [...ALWAYS, ...ENDING],
};

function* check({ manifests: { workloads } }: RuleInput): Iterable<Report> {
  for (const { workload, pod } of eachPod(workloads)) {
    const { kind, object } = workload;
    const allowed = ALLOWED[kind] ?? [];
    const { restartPolicy, raw } = pod;
    // A Job without one gets Always, and is refused too.
    if (raw !== undefined && !allowed.includes(restartPolicy) && !isPlaceholder(restartPolicy)) {
      yield {
        object,
        path: `${pod.path}.restartPolicy`,
        what: `restartPolicy of the pods of a ${kind} is ${restartPolicy}`,
        fix: `write ${allowed.join(' or ')}${allowed === ALWAYS ? ', or leave it out' : ''}`,
      };
    }
    if (allowed === ALWAYS && integerOf(get(raw, 'activeDeadlineSeconds')) !== undefined) {
      yield {
        object,
        path: `${pod.path}.activeDeadlineSeconds`,
        what: `activeDeadlineSeconds is set for the pods of a ${kind}`,
        fix: 'take it out',
      };
    }
  }
}

export const restartPolicy: Rule = {
  id: 'k8s/restart-policy',
  severity: 'error',
  title: 'a restart policy that the kind does not take',
  why: 'the API server refuses the pods; of a LeaderWorkerSet it takes the group, and then no pod is made',
  fix: 'write a policy that the kind takes',
  source: 'validation of pod templates in the Kubernetes API; a group on a real controller',
  get bad() {
    return edit(CPU_GROUP, [
      '        enableServiceLinks: false\n',
      '        enableServiceLinks: false\n        restartPolicy: Never\n',
    ]);
  },
  good: CPU_GROUP,
  check,
};
