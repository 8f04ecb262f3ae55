import { describe, expect, test } from 'vitest';
import { longestGroupName, splitOrdinal } from '../../src/engine/lws';

describe('longestGroupName', () => {
  test.each([
    [0, 2, 50],
    [1, 2, 50],
    [10, 2, 50],
    [11, 2, 49],
    [100, 8, 49],
    [101, 8, 48],
    [1, 1, 52],
    [1000, 1, 52],
  ])('%d groups of %d leave room for %d characters', (groups, size, limit) => {
    expect(longestGroupName(groups, size)).toBe(limit);
  });

  test("a worker's revision label stays a label value", () => {
    for (const groups of [1, 9, 10, 11, 99, 100, 101, 12_345]) {
      const name = 'n'.repeat(longestGroupName(groups, 2));
      expect(`${name}-${groups - 1}-0123456789`).toHaveLength(63);
    }
  });
});

test.each([
  ['gemma-0', { base: 'gemma', ordinal: 0 }],
  ['a-b-12', { base: 'a-b', ordinal: 12 }],
  ['gemma', undefined],
  ['gemma-', undefined],
  ['gemma-01', undefined],
  ['-1', undefined],
])('%s split at its ordinal', (name, parts) => {
  expect(splitOrdinal(name)).toEqual(parts);
});
