import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KeepFolder, KeptFile } from '../../../src/operate/logs/keep';
import type { StampedLine } from '../../../src/operate/logs/stamp';

let parent: string;
let folder: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'keep-'));
  folder = join(parent, 'a/b');
});
afterEach(() => rmSync(parent, { recursive: true }));

const open = () =>
  KeepFolder.open(folder, (error) => {
    throw error;
  });
const line = (second: number, text: string): StampedLine => ({
  stamp: `2026-01-02T03:04:0${second}.000000000Z`,
  text,
});
const kept = () => readFileSync(join(folder, 'gemma-0_uid-1_0.log'), 'utf8');

test('each life of a container has a file with the UID of its pod, that others may not read', () => {
  const keep = open();
  keep.file('gemma-0', 'uid-1', 0).append(line(1, 'one'));
  keep.file('gemma-0', 'uid-1', 1).append(line(2, 'two'));
  keep.file('gemma-0', 'uid-2', 0).append(line(3, 'three'));
  keep.file('../gemma', 'u/id', 0).append(line(4, 'four'));
  keep.close();
  expect(readdirSync(folder).sort()).toEqual([
    '.._gemma_u_id_0.log',
    'gemma-0_uid-1_0.log',
    'gemma-0_uid-1_1.log',
    'gemma-0_uid-2_0.log',
  ]);
  expect(kept()).toBe('2026-01-02T03:04:01.000000000Z one\n');
  expect(statSync(join(folder, 'gemma-0_uid-1_0.log')).mode & 0o077).toBe(0);
});

test('a file is gone on with where it was left, also within a line', () => {
  const first = open();
  expect(first.file('gemma-0', 'uid-1', 0).known).toEqual([]);
  [line(1, 'one'), line(2, 'two'), line(2, 'zwei')].forEach((each) => first.file('gemma-0', 'uid-1', 0).append(each));
  first.close();
  const whole = kept();
  appendFileSync(join(folder, 'gemma-0_uid-1_0.log'), '2026-01-02T03:04:03.000000000Z hal');
  const second = open();
  const file = second.file('gemma-0', 'uid-1', 0);
  expect(file.known).toEqual([line(1, 'one'), line(2, 'two'), line(2, 'zwei')]);
  file.append(line(3, 'half, and the other half'));
  second.close();
  expect(kept()).toBe(`${whole}2026-01-02T03:04:03.000000000Z half, and the other half\n`);
});

test.each([
  ['in the midst of a line that is longer than what is looked at', 'x'.repeat(3 * 2 ** 20)],
  ['behind it', `${'x'.repeat(3 * 2 ** 20)}\n`],
])('a file that ends %s is not cut where it is whole', (_, long) => {
  const first = open();
  [line(1, 'one'), line(2, 'two')].forEach((each) => first.file('gemma-0', 'uid-1', 0).append(each));
  first.close();
  const whole = kept();
  const last = `${line(3, '').stamp} ${long}`;
  appendFileSync(join(folder, 'gemma-0_uid-1_0.log'), last);
  const second = open();
  const { known } = second.file('gemma-0', 'uid-1', 0);
  second.close();
  const isWhole = long.endsWith('\n');
  expect(known.map(({ stamp }) => stamp)).toEqual([1, 2, ...(isWhole ? [3] : [])].map((each) => line(each, '').stamp));
  expect(kept() === whole + (isWhole ? last : '')).toBe(true);
});

test('a folder has one writer, until that is gone', () => {
  const keep = open();
  expect(() => open()).toThrow(/keep-.*: the process \d+ keeps logs there already/);
  keep.close();
  open().close();
  // Of a process that was killed the lock is left.
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  writeFileSync(join(folder, '.lock'), String(pid));
  open().close();
  expect(existsSync(join(folder, '.lock'))).toBe(false);
  // In a container the next process may have the number of the last one.
  writeFileSync(join(folder, '.lock'), String(process.pid));
  open().close();
});

test('what cannot be written to is said', () => {
  writeFileSync(join(parent, 'a'), '');
  expect(() => open()).toThrow(/there is a file of that name; --keep takes a folder/);
});

test.skipIf(process.getuid?.() === 0)('a folder that is not ours is said', () => {
  chmodSync(parent, 0o500);
  expect(() => open()).toThrow(/it may not be written to/);
  chmodSync(parent, 0o700);
});

test.skipIf(!existsSync('/dev/full'))('a disk that is full is told, and not passed by', () => {
  const file = KeptFile.open('/dev/full', () => undefined);
  file.append(line(1, 'one'));
  expect(() => file.flush()).toThrow('/dev/full: the disk is full');
  // Half of the line may be there: another one behind it would be taken for its end.
  file.append(line(2, 'two'));
  expect(() => file.flush()).not.toThrow();
});

test.skipIf(!existsSync('/proc/self'))('where no folder can be made is said, and not tried for ever', () => {
  folder = '/proc/no-folder/logs';
  expect(() => open()).toThrow('/proc/no-folder/logs: ENOENT');
});

test('a link that leads nowhere is no folder', () => {
  symlinkSync(join(parent, 'nowhere/at/all'), join(parent, 'a'));
  expect(() => open()).toThrow(/there is a file of that name; --keep takes a folder/);
});

test('a file that is done is whole, holds no descriptor, and is gone on with when it is asked for again', () => {
  const keep = open();
  const descriptors = () => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0);
  const before = descriptors();
  const file = keep.file('gemma-0', 'uid-1', 0);
  file.append(line(1, 'one'));
  keep.done(file);
  expect(kept()).toBe('2026-01-02T03:04:01.000000000Z one\n');
  expect(descriptors()).toBe(before);
  keep.file('gemma-0', 'uid-1', 0).append(line(2, 'two'));
  keep.close();
  expect(kept()).toBe('2026-01-02T03:04:01.000000000Z one\n2026-01-02T03:04:02.000000000Z two\n');
});
