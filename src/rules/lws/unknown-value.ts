import { didYouMean } from '../../common/nearest';
import { dig, textOf } from '../../manifest/json';
import { CPU_GROUP, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { isPlaceholder } from '../k8s/placeholder';

const RETENTION = ['Retain', 'Delete'];
/** An empty word is none to these: the webhook of LWS, or the StatefulSet, fills the default in before anybody looks. */
const MAY_BE_EMPTY = ['type', 'restartPolicy', 'whenDeleted', 'whenScaled'];
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
      const field = path.slice(path.lastIndexOf('.') + 1);
      if (!isFine(value, words, MAY_BE_EMPTY.includes(field))) {
        const text = textOf(value);
        yield {
          object,
          path,
          what: `${field} is ${text === undefined ? JSON.stringify(value) : `'${text}'${didYouMean(text, words)}`}`,
          fix: `write ${words.filter((word) => word !== 'Default').join(', ')}, or leave ${field} out`,
        };
      }
    }
  }
}

/** One of the words, none at all, or what a tool has yet to fill in. */
function isFine(value: unknown, words: readonly string[], mayBeEmpty: boolean): boolean {
  const text = value === undefined || value === null ? words[0]! : textOf(value);
  return text !== undefined && (words.includes(text) || (text === '' && mayBeEmpty) || isPlaceholder(text));
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
