import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { VllmPipelineGroupProps } from '../../src/index';
import { LeaderService, PodMonitor } from '../../src/index';
import type { KubernetesObject } from '../../src/manifest/object';
import { newChart, newGroup, synth } from '../constructs/harness';
import { admissionFaults, securityLevel } from './admission';
import { only } from './bundles';
import { describeOnCluster } from './harness/given';
import { Place } from './harness/place';
import { FIELDS, type Group, PROPS } from './props';

/** Chosen anew for each run, unless SEED says which; it is printed, and a failure names it as well. */
const seed = process.env.SEED === undefined ? Date.now() % 2 ** 31 : Number(process.env.SEED);
/** Samples of a prop; of whole sets five times as many. */
const RUNS = Number(process.env.RUNS ?? 30);

function objectsFor(props: Partial<VllmPipelineGroupProps>): KubernetesObject[] {
  const chart = newChart();
  const group = newGroup(chart, props);
  new LeaderService(chart, 'gemma-leader', { group });
  new PodMonitor(chart, 'gemma-monitor', { group });
  return synth(chart) as unknown as KubernetesObject[];
}

/** What a construct makes of props, or why it refuses them. */
function attempt(make: () => Partial<VllmPipelineGroupProps>): KubernetesObject[] | string {
  try {
    return objectsFor(make());
  } catch (error) {
    // A refusal is an Error with words for the user; anything else is a crash.
    if ((error as Error).constructor !== Error) {
      throw error;
    }
    return (error as Error).message;
  }
}

/** A group that is right, with the places where values can be put. */
function base(): Group {
  const objects = structuredClone(objectsFor({}));
  const lws = only(objects, 'LeaderWorkerSet') as unknown as Group['lws'];
  const templates = lws.spec.leaderWorkerTemplate as { leaderTemplate: never; workerTemplate: never };
  return {
    objects,
    lws,
    budget: only(objects, 'PodDisruptionBudget') as unknown as Group['budget'],
    leader: templates.leaderTemplate,
    worker: templates.workerTemplate,
  };
}

describeOnCluster(`generated props, seed ${seed}`, () => {
  const places: Record<string, Place> = {};
  beforeAll(async () => {
    for (const level of ['baseline', 'privileged']) {
      places[level] = await Place.make(securityLevel(level));
    }
  });
  afterAll(async () => {
    await Promise.all(Object.values(places).map((place) => place.leave()));
  });

  /** What the API server has against objects, in a namespace with the Pod Security level that they claim. */
  const faultsOf = async (objects: readonly KubernetesObject[]): Promise<string[]> => {
    const level = only(objects, 'Namespace').metadata.labels!['pod-security.kubernetes.io/enforce']!;
    return await admissionFaults(objects, places[level]!);
  };

  test.each(Object.keys(FIELDS))(
    '%s: what passes is admitted, and what does not is refused there too',
    async (prop) => {
      const { values, right, wrong, props, put, own } = FIELDS[prop]!;
      const seen = { admitted: 0, refused: 0, stricter: 0 };
      // By hand, what is right is admitted too: what is refused below is refused for its value.
      const control = base();
      put(right, control);
      expect(await faultsOf(control.objects)).toEqual([]);
      const property = fc.asyncProperty(values, async (value) => {
        const made = attempt(() => props(value));
        if (typeof made !== 'string') {
          seen.admitted++;
          expect(await faultsOf(made)).toEqual([]);
        } else if (own?.test(made)) {
          seen.stricter++;
        } else {
          seen.refused++;
          const group = base();
          put(value, group);
          expect(await faultsOf(group.objects), made).not.toEqual([]);
        }
      });
      await fc.assert(property, { seed, numRuns: RUNS, examples: [[right], [wrong]] });
      console.log(`${prop}: ${seen.admitted} admitted, ${seen.refused} refused, ${seen.stricter} for another reason`);
      expect(Math.min(seen.admitted, seen.refused)).toBeGreaterThan(0);
    },
  );

  test('all props together: what passes is admitted', async () => {
    let admitted = 0;
    const property = fc.asyncProperty(PROPS, async (props) => {
      const made = attempt(() => props);
      fc.pre(typeof made !== 'string');
      expect(await faultsOf(made)).toEqual([]);
      admitted++;
    });
    await fc.assert(property, { seed, numRuns: 5 * RUNS, maxSkipsPerRun: 1000 });
    console.log(`all props together: ${admitted} admitted`);
    expect(admitted).toBeGreaterThanOrEqual(5 * RUNS);
  });
});
