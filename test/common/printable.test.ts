import { describe, expect, test } from 'vitest';
import { hasHidden, printable } from '../../src/common/printable';

describe('printable', () => {
  test.each([
    ['plain', 'plain'],
    ['Grüße 🙂', 'Grüße 🙂'],
    ['a\nb\tc', 'a\\u000ab\\u0009c'],
    ['\u001b[31m\u0007', '\\u001b[31m\\u0007'],
    ['\u202e\u2066\u200f\u2028\u00ad\ufeff', '\\u202e\\u2066\\u200f\\u2028\\u00ad\\ufeff'],
    ['\u009b', '\\u009b'],
  ])('%j', (text, expected) => {
    expect(printable(text)).toBe(expected);
    expect(hasHidden(text)).toBe(text !== expected);
    expect(hasHidden(expected)).toBe(false);
  });

  test('cuts, and splits no character', () => {
    expect(printable('x'.repeat(101))).toBe(`${'x'.repeat(100)}…`);
    expect(printable('x'.repeat(100))).toBe('x'.repeat(100));
    expect(printable('🙂🙂🙂', 2)).toBe('🙂🙂…');
    expect(printable('ab', 1)).toBe('a…');
  });
});
