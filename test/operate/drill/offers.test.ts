import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { offersOf } from '../../../src/operate/drill/offers';
import { groupsOf } from '../../../src/operate/group/live';
import { pod } from '../group/pods';
import { scriptedKubectl } from '../kubectl/scripted-kubectl';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'offers-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** A kubectl of somebody who may do everything; what it says to an eviction, where that is refused. */
const standIn = (refusal = '') =>
  scriptedKubectl(
    folder,
    `  *nodes/n1*) echo '{"metadata": {"name": "n1"}}' ;;
  *eviction*-f*) [ -z "${refusal}" ] || { echo "${refusal}" >&2; exit 1; } ;;`,
  );

const group = (...pods: Parameters<typeof pod>[0][]) => groupsOf(pods.map(pod))[0]!;
const TWO = [{ rank: 0 }, { rank: 1 }];
const SHELL = { words: ['true', '{node}'] };

test('what can be made of a group of two', async () => {
  const { offered, notOffered } = await offersOf(await standIn(), group(...TWO), SHELL);
  expect(notOffered.map(({ fault }) => fault)).toEqual(['cut', 'cut-idle']);
  expect(offered).toContain('drain');
});

test.each([
  ["Cannot evict pod as it would violate the pod's disruption budget.", /^a PodDisruptionBudget lets no pod/],
  [
    'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    /^g-0-1 is not evicted: .*more than one PodDisruptionBudget/,
  ],
])('an eviction that is refused by %j keeps no other fault from being made', async (refusal, why) => {
  const { offered, notOffered } = await offersOf(await standIn(`Error from server: ${refusal}`), group(...TWO), SHELL);
  expect(notOffered.find(({ fault }) => fault === 'drain')?.why).toMatch(why);
  expect(offered).toContain('delete-worker');
});

test('a cluster that does not answer is no refusal', async () => {
  const kubectl = await standIn('Unable to connect to the server: EOF');
  await expect(offersOf(kubectl, group(...TWO), SHELL)).rejects.toThrow('the API server does not answer');
});

test('a pod that nobody makes anew is not deleted', async () => {
  const { offered, notOffered } = await offersOf(await standIn(), group({ size: 0, name: 'lone' }), SHELL);
  expect(offered).toEqual([]);
  expect(
    notOffered.filter(({ why }) => why === 'lone has no controller, and nothing makes a pod anew in its place'),
  ).toHaveLength(3);
  const owner = { kind: 'StatefulSet', name: 'one' };
  const owned = await offersOf(await standIn(), group({ size: 0, name: 'one-0', owner }), SHELL);
  expect(owned.offered).toEqual(['delete-leader', 'drain', 'lose-node']);
});
