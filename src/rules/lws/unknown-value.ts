import { didYouMean } from '../../common/nearest';
import { dig } from '../../manifest/json';
import { CPU_GROUP, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { isPlaceholder } from '../k8s/placeholder';

const RETENTION = ['Retain', 'Delete'];
/** Fields that take one of some words. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  'spec.startupPolicy': ['LeaderCreated', 'LeaderReady'],
  'spec.networkConfig.subdomainPolicy': ['Shared', 'UniquePerReplica'],
  'spec.rolloutStrategy.type': ['RollingUpdate'],
  'spec.leaderWorkerTemplate.restartPolicy': [
    'RecreateGroupOnPodRestart',
    'RecreateGroupAfterStart',
    'None',
    'Default',
  ],
  'spec.leaderWorkerTemplate.subGroupPolicy.subGroupPolicyType': ['LeaderWorker', 'LeaderExcluded'],
  'spec.leaderWorkerTemplate.persistentVolumeClaimRetentionPolicy.whenDeleted': RETENTION,
  'spec.leaderWorkerTemplate.persistentVolumeClaimRetentionPolicy.whenScaled': RETENTION,
};

function* check({ set }: RuleInput): Iterable<Report> {
  for (const object of set.ofKind('LeaderWorkerSet')) {
    for (const [path, words] of Object.entries(WORDS)) {
      const value = dig(object, ...path.split('.'));
      if (typeof value === 'string' && value !== '' && !words.includes(value) && !isPlaceholder(value)) {
        const field = path.slice(path.lastIndexOf('.') + 1);
        yield {
          object,
          path,
          what: `${field} is '${value}'${didYouMean(value, words)}`,
          fix: `write ${words.filter((word) => word !== 'Default').join(', ')}, or leave ${field} out`,
        };
      }
    }
  }
}

export const unknownValue: Rule = {
  id: 'lws/unknown-value',
  severity: 'error',
  title: 'a policy of a LeaderWorkerSet that there is not',
  why: 'the API server refuses the LeaderWorkerSet, or the StatefulSet that LWS makes of it',
  fix: 'take one of the policies that there are',
  source: 'LeaderWorkerSet CRD; refused by a real API server',
  get bad() {
    return edit(CPU_GROUP, ['restartPolicy: RecreateGroupOnPodRestart', 'restartPolicy: Never']);
  },
  good: CPU_GROUP,
  check,
};
