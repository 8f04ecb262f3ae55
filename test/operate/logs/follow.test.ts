import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { groupsOf } from '../../../src/operate/group/live';
import type { Kubectl } from '../../../src/operate/kubectl/kubectl';
import { FollowedGroup } from '../../../src/operate/logs/follow';
import type { LogEntry } from '../../../src/operate/logs/report';
import { pod } from '../group/pods';
import { scriptedKubectl } from '../kubectl/scripted-kubectl';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'follow-'))));
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const TALKER = pod({
  size: 1,
  status: { phase: 'Running', containerStatuses: [{ name: 'vllm', state: { running: {} }, restartCount: 0 }] },
});
const LINE = '2026-01-02T03:04:05.006007008Z a line';

/** A kubectl of whose logs the first one breaks off, and whose single pod takes a while to come. */
async function standIn(): Promise<Kubectl> {
  writeFileSync(join(folder, 'pod'), JSON.stringify(TALKER));
  writeFileSync(join(folder, 'list'), JSON.stringify({ metadata: { resourceVersion: '5' }, items: [TALKER] }));
  return await scriptedKubectl(
    folder,
    `  *watch=true*) exec sleep 100 ;;
  *'logs '*) echo >> logs; echo '${LINE}'; [ $(wc -l < logs) = 1 ] || exec sleep 100 ;;
  *pods/g-0*) echo >> asked; sleep 2; echo >> answered; cat pod ;;
  *) cat list ;;`,
  );
}

async function open(kubectl: Kubectl, told: LogEntry[] = []): Promise<FollowedGroup> {
  return await FollowedGroup.open({
    kubectl,
    group: groupsOf([TALKER])[0]!,
    isWanted: () => true,
    tell: (entry) => told.push(entry),
    onFailure: (error) => {
      throw error;
    },
  });
}

const count = (name: string): number => {
  try {
    return readFileSync(join(folder, name), 'utf8').length;
  } catch {
    return 0;
  }
};

test('closed while a log that broke off is to be asked for again, it asks no more and ends', async () => {
  const told: LogEntry[] = [];
  const followed = await open(await standIn(), told);
  while (count('asked') === 0) {
    await pause(20);
  }
  await followed.close();
  expect(count('answered')).toBe(0);
  expect(told.map(({ kind }) => kind)).toEqual(['line']);
  await pause(2500);
  expect(count('logs')).toBe(1);
});

test('that cannot be opened holds nothing that keeps the program from its end', async () => {
  const kubectl = await standIn();
  rmSync(join(folder, 'list'));
  const begun = vi.spyOn(globalThis, 'setInterval');
  const ended = vi.spyOn(globalThis, 'clearInterval');
  await expect(open(kubectl)).rejects.toThrow('kubectl failed');
  expect(begun).toHaveBeenCalledTimes(1);
  expect(ended).toHaveBeenCalledWith(begun.mock.results[0]!.value);
});
