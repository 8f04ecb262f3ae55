import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubernetesObject } from '../../src/manifest/object';
import { RULES } from '../../src/rules/index';
import { objectsOf } from '../rules/manifests';
import { objections } from './admission';
import { client, describeOnCluster } from './harness/given';
import { Place } from './harness/place';
import { REFUSALS } from './refusals';
import { asLastPods, asPod, asStatefulSets, isWorkload } from './templates';

/** What is said of the objects themselves, and of the pods that controllers will make of them. */
interface Said {
  readonly apply: string[];
  readonly pods: string[];
}

let place: Place;

async function said(manifest: string): Promise<Said> {
  const objects = place.move(objectsOf(manifest));
  const about = async (asked: readonly KubernetesObject[], how: 'apply' | 'create') =>
    (await Promise.all(asked.map((object) => client()[how](object, { dryRun: true })))).flatMap((answer) =>
      objections(answer),
    );
  const groups = objects.filter(({ kind }) => kind === 'LeaderWorkerSet');
  const workloads = objects.filter(isWorkload);
  return {
    apply: await about(objects, 'apply'),
    pods: [
      ...(await about(groups.flatMap(asStatefulSets), 'apply')),
      ...(await about([...groups.flatMap(asLastPods), ...workloads.map(asPod)], 'create')),
    ],
  };
}

describe('the rules that mirror a refusal', () => {
  test('are rules', () => {
    const ids = RULES.map(({ id }) => id);
    expect(Object.keys(REFUSALS).filter((id) => !ids.includes(id))).toEqual([]);
  });
});

describeOnCluster.each(RULES.map((rule) => [rule.id, rule] as const))('%s', (id, { bad, good }) => {
  beforeAll(async () => {
    place = await Place.make();
  });
  afterAll(async () => await place.leave());

  const refusal = REFUSALS[id];
  test(
    refusal ? 'its bad example is refused, with that reason' : 'its bad example is accepted, which is why it is a rule',
    async () => {
      const { apply, pods } = await said(bad);
      if (refusal?.by === 'apply') {
        expect(apply.join('\n')).toMatch(refusal.says);
      } else {
        expect(apply).toEqual([]);
      }
      if (refusal?.by === 'pods') {
        expect(pods.join('\n')).toMatch(refusal.says);
      } else if (refusal === undefined) {
        expect(pods).toEqual([]);
      }
    },
  );

  test('its good example is accepted, and so are its pods', async () => {
    expect(await said(good)).toEqual({ apply: [], pods: [] });
  });
});
