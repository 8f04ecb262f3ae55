import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type PodChange, PodWatch } from '../../../src/operate/group/pod-watch';
import type { Kubectl } from '../../../src/operate/kubectl/kubectl';
import { scriptedKubectl } from '../kubectl/scripted-kubectl';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'watch-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const pod = (version: number, uid = 'u') =>
  JSON.stringify({ metadata: { name: 'gemma-0', uid, resourceVersion: String(version) } });

/** A kubectl that gives lists and watches out in turn, and says in a file how often each was asked for. */
async function standIn(lists: readonly string[], watches: readonly string[]): Promise<Kubectl> {
  const texts = { lists, watches };
  for (const [name, all] of Object.entries(texts)) {
    all.forEach((text, i) => writeFileSync(join(folder, `${name}-${i}`), text));
  }
  // $1: of which; $2: the last one, which is given out for ever.
  const next = 'n=$(cat $1 2>/dev/null || echo 0); echo $((n+1)) > $1; [ -e $1-$n ] || n=$2; cat $1-$n';
  return await scriptedKubectl(
    folder,
    `  *watch=true*) set -- watches ${watches.length - 1}; ${next} ;;
  *) set -- lists ${lists.length - 1}; ${next}; [ ! -e slow ] || { sleep 2; echo > answered; } ;;`,
  );
}

const list = (...pods: string[]) => `{"metadata": {"resourceVersion": "5"}, "items": [${pods.join(', ')}]}`;
const asked = (name: string) => Number(readFileSync(join(folder, name), 'utf8'));

test.each([
  ['null', 'null'],
  ['no object', '"a page of something on the way"'],
  ['an object that is no event', '{"kind": "Status", "status": "Failure"}'],
  ['an event without a pod', '{"type": "ADDED", "object": null}'],
  ['a line that was cut off', '{"type": "MODIFIED", "obj'],
])('a line with %s has the pods looked at anew', async (_, line) => {
  const changes: PodChange[] = [];
  const next = `{"type": "MODIFIED", "object": ${pod(6)}}\n${line}\n`;
  const kubectl = await standIn([list(pod(5)), list(pod(7))], [next, `{"type": "DELETED", "object": ${pod(8)}}\n`]);
  const watch = await PodWatch.open(kubectl, { onChange: (change) => changes.push(change) });
  while (!changes.some(({ kind }) => kind === 'gone')) {
    await pause(20);
  }
  await watch.close();
  expect(changes.map(({ kind }) => kind)).toEqual(['here', 'changed', 'changed', 'gone']);
});

test('a watch that ends at once is not opened again all the time', async () => {
  const kubectl = await standIn([list(pod(5))], ['']);
  const began = performance.now();
  const watch = await PodWatch.open(kubectl, { onChange: () => undefined });
  await pause(2500);
  await watch.close();
  expect(asked('watches')).toBeLessThanOrEqual(2 + (performance.now() - began) / 1000);
});

test('closed while the pods are looked at anew it opens no watch, and does not wait for them', async () => {
  const changes: PodChange[] = [];
  const kubectl = await standIn([list(pod(5)), list(pod(7))], ['null\n']);
  const watch = await PodWatch.open(kubectl, { onChange: (change) => changes.push(change) });
  writeFileSync(join(folder, 'slow'), '');
  while (asked('lists') < 2) {
    await pause(20);
  }
  await watch.close();
  expect(existsSync(join(folder, 'answered'))).toBe(false);
  await pause(2500);
  expect(asked('watches')).toBe(1);
  expect(changes).toHaveLength(1);
});
