import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubernetesObject } from '../../src/manifest/object';
import { runRules } from '../../src/rules/index';
import { objections } from './admission';
import { messageOf } from './harness/client';
import { client, clusterFacts, describeOnCluster } from './harness/given';
import { Place } from './harness/place';
import { LWS_CASES, type LwsCase } from './lws-cases';
import { REFUSALS } from './refusals';
import { asLastPods, asStatefulSets } from './templates';

/** The versions of what test/programs builds. */
const TARGET = { kubernetes: '1.36.3', lws: '0.9.0' };

function groupOf({ given: { name = 'group', annotations, ...fields } }: LwsCase, namespace: string): KubernetesObject {
  const template = { spec: { containers: [{ name: 'agent', image: 'registry.example/agent:1.0' }] } };
  const spec: Record<string, unknown> = { leaderWorkerTemplate: { workerTemplate: template } };
  for (const [path, value] of Object.entries(fields)) {
    const keys = path.split('.');
    const last = keys.pop()!;
    const holder = keys.reduce((map, key) => (map[key] ??= {}) as Record<string, unknown>, spec);
    holder[last] = value;
  }
  const metadata = { name: name as string, namespace, ...(annotations !== undefined && { annotations }) };
  // As YAML: what is not given is not there.
  return JSON.parse(
    JSON.stringify({ apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', metadata, spec }),
  ) as KubernetesObject;
}

describe('the table of LeaderWorkerSets', () => {
  test('has rows enough, of both kinds, and none twice', () => {
    const refused = LWS_CASES.filter((row) => row.refused !== undefined);
    expect(LWS_CASES.filter((row) => row.never !== undefined).length).toBeGreaterThanOrEqual(5);
    expect(refused.length).toBeGreaterThanOrEqual(25);
    expect(LWS_CASES.length - refused.length).toBeGreaterThanOrEqual(25);
    expect(new Set(LWS_CASES.map((row) => JSON.stringify(groupOf(row, 'x')))).size).toBe(LWS_CASES.length);
    expect(new Set(LWS_CASES.map(({ what }) => what)).size).toBe(LWS_CASES.length);
  });

  test.each(LWS_CASES)('the rules say so: $what', (row) => {
    const found = runRules([groupOf(row, 'serving')], TARGET).filter(({ id }) => REFUSALS[id] !== undefined);
    const [rule] = row.refused ?? row.never ?? [];
    expect(found.map(({ id, severity, what }) => `${severity} ${id}: ${what}`)).toEqual(
      rule === undefined ? [] : expect.arrayContaining([expect.stringContaining(`error ${rule}: `)]),
    );
  });
});

describeOnCluster('the same table', () => {
  let place: Place;
  beforeAll(async () => {
    place = await Place.make();
  });
  afterAll(async () => await place.leave());

  /** What the API server has against the StatefulSets and the last pods that will be made of a set. */
  const said = async (group: KubernetesObject): Promise<string[]> => {
    const answers = await Promise.all([
      ...asStatefulSets(group).map(async (each) => await client().apply(each, { dryRun: true })),
      ...asLastPods(group).map(async (each) => await client().create(each, { dryRun: true })),
    ]);
    return answers.flatMap(objections);
  };

  test.each(LWS_CASES)('LWS says so: $what', async (row) => {
    const answer = await client().apply(groupOf(row, place.namespace), { dryRun: true });
    expect(answer.warnings).toEqual([]);
    if (row.refused) {
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(messageOf(answer)).toMatch(row.refused[1]);
    } else {
      expect(messageOf(answer)).toMatch(/^20[01] /);
      expect(await said(groupOf(row, place.namespace))).toEqual(
        row.never === undefined ? [] : expect.arrayContaining([expect.stringMatching(row.never[1])]),
      );
    }
  });

  test('the API server is what the rules are asked about', async () => {
    const { body } = await client().get<{ gitVersion: string }>('/version');
    expect(body.gitVersion).toBe(`v${TARGET.kubernetes}`);
    expect(clusterFacts().programs).toBeTruthy();
  });
});
