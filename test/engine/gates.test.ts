import { describe, expect, test } from 'vitest';
import { READ_RELEASES } from '../../src/engine/flag-table';
import { type Gate, GATES } from '../../src/engine/gates';
import { gatesOf, holdsIn, NEWEST_RELEASE, OLDEST_RELEASE, SINCE } from '../../src/engine/releases';

describe('the gates', () => {
  test.each(Object.entries<Gate>(GATES))('%s has bounds that were read, and sentences', (_, gate) => {
    expect([undefined, ...READ_RELEASES]).toContain(gate.since);
    expect([undefined, ...READ_RELEASES]).toContain(gate.until);
    expect(gate.since === undefined || gate.until === undefined || holdsIn(gate, gate.until)).toBe(true);
    expect(gate.what).toMatch(/\.$/);
    expect(gate.so).toMatch(/\.$/);
  });

  test('a release has what holds in it', () => {
    const [oldest, newest] = [gatesOf(OLDEST_RELEASE), gatesOf(NEWEST_RELEASE)];
    expect(oldest.has('unboundThreads')).toBe(false);
    expect(oldest.has('gemma4Pipeline')).toBe(true);
    expect(oldest.has('eagerBreaksPipeline')).toBe(false);
    expect(newest.has('eagerBreaksPipeline')).toBe(true);
    expect(newest.has('integerPort')).toBe(false);
    expect(newest.get('hangIsUnseen')).toBe(GATES.hangIsUnseen);
    expect([gatesOf('0.28.0').has('blockSize16'), gatesOf('0.29.0').has('blockSize16')]).toEqual([true, false]);
  });

  test('what the rendering depends on is read from them', () => {
    expect(SINCE).toEqual({ cpuPipeline: '0.20.0', unboundThreads: '0.21.0' });
  });
});
