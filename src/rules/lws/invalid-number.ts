import { compareVersions } from '../../common/versions';
import { LWS_SINCE } from '../../engine/lws';
import { dig, integerOf, textOf } from '../../manifest/json';
import { CPU_GROUP, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { isPlaceholder } from '../k8s/placeholder';

const LARGEST = 2 ** 31 - 1;

/** Whole numbers and their bounds. */
function bounds(lws: string | undefined): readonly (readonly [path: string, least: number, most: number])[] {
  const isUnbound = lws !== undefined && compareVersions(lws, LWS_SINCE.replicasBound) < 0;
  return [
    ['spec.replicas', 0, isUnbound ? LARGEST : 1_000_000],
    ['spec.leaderWorkerTemplate.size', 1, LARGEST],
    ['spec.rolloutStrategy.rollingUpdateConfiguration.partition', 0, LARGEST],
  ];
}

/** A number of groups, or a percentage of them. */
const AMOUNTS = ['maxUnavailable', 'maxSurge'].map((key) => `spec.rolloutStrategy.rollingUpdateConfiguration.${key}`);

function* check({ set, target: { lws } }: RuleInput): Iterable<Report> {
  const numbers = bounds(lws);
  for (const object of set.ofKind('LeaderWorkerSet')) {
    const valueOf = (path: string): unknown => dig(object, ...path.split('.'));
    let isSound = true;
    for (const [path, least, most] of numbers) {
      const value = valueOf(path);
      const number = integerOf(value);
      if (isSaid(value) && (number === undefined || number < least || number > most)) {
        isSound = false;
        yield {
          object,
          path,
          what: `${last(path)} is ${JSON.stringify(value)}`,
          fix: `give a whole number from ${least} to ${most}`,
        };
      }
    }
    for (const path of AMOUNTS) {
      const value = valueOf(path);
      const number = integerOf(value);
      if (isSaid(value) && (number === undefined ? !isPercentage(value) : number < 0 || number > LARGEST)) {
        yield {
          object,
          path,
          what: `${last(path)} is ${JSON.stringify(value)}`,
          fix: 'give a whole number from 0, or "0%" to "100%"',
        };
      }
    }
    const [replicas = 1, size = 1] = ['spec.replicas', 'spec.leaderWorkerTemplate.size'].map((path) =>
      integerOf(valueOf(path)),
    );
    if (isSound && replicas * size > LARGEST) {
      yield {
        object,
        path: 'spec.replicas',
        what: `${replicas} groups of ${size} pods are ${replicas * size} pods`,
        fix: `keep replicas × size within ${LARGEST}`,
      };
    }
  }
}

/** Whether there is a value, and none that a tool has yet to fill in. */
function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && !isPlaceholder(textOf(value) ?? '');
}

function isPercentage(value: unknown): boolean {
  const text = textOf(value) ?? '';
  return /^\d+%$/.test(text) && Number(text.slice(0, -1)) <= 100;
}

function last(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

export const invalidNumber: Rule = {
  id: 'lws/invalid-number',
  severity: 'error',
  title: 'a number of a LeaderWorkerSet is out of its bounds',
  why: 'the API server or the webhook of LWS refuses the LeaderWorkerSet',
  fix: 'keep it within its bounds',
  holds: `every LWS; the upper bound of replicas since ${LWS_SINCE.replicasBound}`,
  source: 'LeaderWorkerSet CRD and pkg/webhooks of sigs.k8s.io/lws',
  get bad() {
    return edit(CPU_GROUP, ['  replicas: 1\n', '  replicas: -1\n']);
  },
  good: CPU_GROUP,
  check,
};
