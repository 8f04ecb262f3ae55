import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseQuantity } from '../../src/manifest';

describe('a quantity', () => {
  test.each([
    ['1Gi', 1_073_741_824, 1_073_741_824_000],
    ['0.5Gi', 536_870_912, 536_870_912_000],
    ['1.5Ki', 1536, 1_536_000],
    ['3Ei', 3_458_764_513_820_540_928, Number.NaN],
    ['100m', 1, 100],
    ['2500m', 3, 2500],
    ['1u', 1, 1],
    ['6', 6, 6000],
    ['0.1', 1, 100],
    ['.5', 1, 500],
    ['5.', 5, 5000],
    ['1e3', 1000, 1_000_000],
    ['1E3', 1000, 1_000_000],
    ['1E', 1e18, Number.NaN],
    ['12e-1', 2, 1200],
    ['1k', 1000, 1_000_000],
    ['129M', 129_000_000, 129_000_000_000],
    ['+4', 4, 4000],
    ['-1', -1, -1000],
    ['0', 0, 0],
    ['1e99', Number(2n ** 63n - 1n), Number.NaN],
  ])('%s', (text, value, millis) => {
    const quantity = parseQuantity(text);
    expect(quantity?.value).toBe(value);
    if (!Number.isNaN(millis)) {
      expect(quantity?.millis).toBe(millis);
    }
  });

  test('without quotes is taken too', () => {
    expect(parseQuantity(6)).toEqual({ text: '6', value: 6, millis: 6000 });
    expect(parseQuantity(0.5)).toEqual({ text: '0.5', value: 1, millis: 500 });
  });

  test.each([
    'six',
    '',
    '1 Gi',
    '1GiB',
    '1gb',
    '1KI',
    'Gi',
    '1e',
    '--1',
    '1.2.3',
    '1K',
    null,
    [],
    {},
    true,
    NaN,
    '1'.repeat(65),
  ])('%s is none', (raw) => {
    expect(parseQuantity(raw)).toBeUndefined();
  });

  test('is exact up to the largest safe number', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (bytes) => {
        expect(parseQuantity(String(bytes))?.value).toBe(bytes);
        expect(parseQuantity(`${bytes}m`)?.value).toBe(Math.ceil(bytes / 1000));
      }),
    );
  });
});
