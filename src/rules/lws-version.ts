import { compareVersions } from '../common/versions';
import { LWS_SINCE } from '../engine/lws';
import { type Finding, type ObjectSet, type TargetVersions } from './finding';
import { groupSpecOf } from './group-spec';

/** What the LWS controller of the target cluster cannot do with the groups of the bundle. */
export function* lwsVersion(set: ObjectSet, { lws }: TargetVersions): Iterable<Finding> {
  if (lws === undefined) {
    return;
  }
  for (const object of set.ofKind('LeaderWorkerSet')) {
    const finding = { severity: 'error', object } as const;
    if (compareVersions(lws, LWS_SINCE.partition) < 0) {
      yield {
        ...finding,
        id: 'lws/controller-too-old',
        path: 'spec.rolloutStrategy.rollingUpdateConfiguration.partition',
        what: `the target cluster runs LWS ${lws}`,
        why: 'the worker index comes with 0.6 and a rollout partition with 0.7',
        fix: 'install LWS 0.7.0 or newer',
      };
    }
    const update = groupSpecOf(object).rolloutStrategy?.rollingUpdateConfiguration;
    if (compareVersions(lws, LWS_SINCE.surgeAlone) < 0 && update?.maxUnavailable === 0) {
      yield {
        ...finding,
        id: 'lws/surge-only-too-old',
        path: 'spec.rolloutStrategy.rollingUpdateConfiguration.maxUnavailable',
        what: `maxUnavailable is 0 and the target cluster runs LWS ${lws}`,
        why: 'controllers before 0.9 accept it and then fail to create the StatefulSet, with a line in their log alone',
        fix: 'install LWS 0.9.0 or newer, or allow one group to be unavailable',
      };
    }
  }
}
