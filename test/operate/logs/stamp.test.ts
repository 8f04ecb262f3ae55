import { describe, expect, test } from 'vitest';
import { Behind, stampedLine } from '../../../src/operate/logs/stamp';

test.each([
  ['2026-01-02T03:04:05.006007008Z a line', '2026-01-02T03:04:05.006007008Z', 'a line'],
  ['2026-01-02T03:04:05.5Z a line', '2026-01-02T03:04:05.500000000Z', 'a line'],
  ['2026-01-02T03:04:05Z   indented', '2026-01-02T03:04:05.000000000Z', '  indented'],
  ['2026-01-02T03:04:05.006+02:00 a line', '2026-01-02T01:04:05.006000000Z', 'a line'],
  ['2026-01-02T03:04:05.5Z', '2026-01-02T03:04:05.500000000Z', ''],
  ['2026-01-02T03:04:05.5Z ', '2026-01-02T03:04:05.500000000Z', ''],
  ['unable to retrieve container logs for containerd://1', '', 'unable to retrieve container logs for containerd://1'],
  ['', '', ''],
])('%j has its stamp in one form', (line, stamp, text) => {
  expect(stampedLine(line)).toEqual({ stamp, text });
});

test('later stamps sort behind, whatever the runtime left out', () => {
  const lines = ['05.1Z', '05.09Z', '05.010000001Z', '05Z', '05.01Z'].map((end) => `2026-01-02T03:04:${end} ${end}`);
  const sorted = lines.map(stampedLine).sort((a, b) => (a.stamp < b.stamp ? -1 : 1));
  expect(sorted.map(({ text }) => text)).toEqual(['05Z', '05.01Z', '05.010000001Z', '05.09Z', '05.1Z']);
});

describe('a log that is asked for anew', () => {
  const at = (fraction: string, text: string) => ({ stamp: `2026-01-02T03:04:05.${fraction}00000000Z`, text });
  // The runtime reads two streams: one line is stamped behind one that comes after it.
  const log = [at('1', 'a'), at('3', 'e'), at('2', 'b'), at('2', 'b'), at('2', 'd'), at('3', 'f')];

  test.each([0, 1, 2, 3, 4, 5, 6])('goes on behind line %i, and no line comes twice or is lost', (read) => {
    const before = new Behind();
    expect(log.slice(0, read).filter((line) => before.isNew(line))).toEqual(log.slice(0, read));
    const after = new Behind(log.slice(0, read));
    expect(log.filter((line) => after.isNew(line))).toEqual(log.slice(read));
    // The same within one run, whose way to the log broke; twice.
    before.again();
    expect(log.filter((line) => before.isNew(line))).toEqual(log.slice(read));
    before.again();
    expect(log.filter((line) => before.isNew(line))).toEqual([]);
  });

  test('is asked for from some seconds before its newest line on', () => {
    expect(new Behind().from).toBe('');
    const behind = new Behind(log);
    expect(behind.from).toBe('2026-01-02T03:04:00Z');
    behind.isNew({ stamp: '2026-01-02T03:04:30.000000001Z', text: 'g' });
    behind.again();
    expect(behind.from).toBe('2026-01-02T03:04:25Z');
    // What comes from before all the same has been there.
    expect(log.filter((line) => behind.isNew(line))).toEqual([]);
  });

  test('has lines without a stamp every time', () => {
    const behind = new Behind(log);
    expect(behind.isNew({ stamp: '', text: 'unable to retrieve container logs' })).toBe(true);
  });
});
