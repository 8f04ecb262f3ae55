import { Duration } from 'cdk8s';
import { expect, test } from 'vitest';
import { losses } from '../../src/cli/losses';
import type { KubernetesObject } from '../../src/rules/finding';
import { newChart, newGroup, synth } from '../constructs/harness';

const LOST =
  'LeaderWorkerSet/gemma: requests in flight are lost in a rollout or a drain, and when a rank dies or hangs ' +
  '(prop drainTimeout lets them come to their end in the first two)';
const KEPT =
  'LeaderWorkerSet/gemma: requests in flight have 45 s to come to their end in a rollout or a drain; a rank that dies or hangs loses them';
const NOBODY = '; a rollout serves nobody until the next pods are Ready (props replicas, rolloutMaxSurge)';

test.each([
  [{}, LOST + NOBODY],
  [{ drainTimeout: Duration.seconds(45) }, KEPT + NOBODY],
  [{ replicas: 2 }, LOST],
  [{ replicas: 2, rolloutMaxUnavailable: 2 }, LOST + NOBODY],
  [{ rolloutMaxSurge: 1, rolloutMaxUnavailable: 0, drainTimeout: Duration.seconds(45) }, KEPT],
])('a group with %j', (props, text) => {
  const chart = newChart();
  newGroup(chart, props);
  expect(losses(synth(chart) as unknown as KubernetesObject[])).toEqual([text]);
});

test('of what is no vLLM, nothing is said', () => {
  const other = { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', metadata: { name: 'other' } };
  expect(losses([other, { apiVersion: 'v1', kind: 'Service', metadata: { name: 'gemma' } }])).toEqual([]);
});
