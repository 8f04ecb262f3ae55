import { Duration, Size } from 'cdk8s';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytesOf, checkInteger, checkSeconds, quantityOf } from '../../src/common/numbers';
import { expectError } from './errors';

describe('checkInteger', () => {
  test('takes both bounds', () => {
    expect(checkInteger('port', 1, 1, 65535)).toBe(1);
    expect(checkInteger('port', 65535, 1, 65535)).toBe(65535);
  });

  test.each([0, 65536, 1.5, Number.NaN, Infinity])('refuses %d and names the bounds', (value) => {
    expectError(() => checkInteger('port', value, 1, 65535), `port is ${value};`, 'a whole number from 1 to 65535');
  });
});

describe('checkSeconds', () => {
  test('takes any unit of whole seconds', () => {
    expect(checkSeconds('idleTimeout', Duration.minutes(5), 1, 4000)).toBe(300);
    expect(checkSeconds('idleTimeout', Duration.millis(2000), 1, 4000)).toBe(2);
  });

  test.each([
    [Duration.millis(1500), '1.5 s'],
    [Duration.seconds(0), '0 s'],
    [Duration.hours(2), '7200 s'],
  ])('%# refuses fractions and both ends', (value, got) => {
    expectError(
      () => checkSeconds('idleTimeout', value, 1, 4000),
      `idleTimeout is ${got}`,
      'whole seconds from 1 to 4000',
    );
  });
});

describe('quantityOf', () => {
  test.each([
    [Size.gibibytes(4), '4Gi'],
    [Size.mebibytes(512), '512Mi'],
    [Size.mebibytes(1536), '1536Mi'],
    [Size.tebibytes(1), '1Ti'],
    [Size.kibibytes(0.5), '512'],
    [Size.gibibytes(0.5), '512Mi'],
    [Size.gibibytes(0), '0'],
  ])('%# is the shortest exact form', (size, quantity) => {
    expect(quantityOf(size)).toBe(quantity);
  });

  test('loses no byte', () => {
    const factor = { '': 1, Ki: 1024, Mi: 1024 ** 2, Gi: 1024 ** 3, Ti: 1024 ** 4 } as const;
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 32 }), (kibibytes) => {
        const size = Size.kibibytes(kibibytes);
        const [, amount, unit] = /^(\d+)(Ki|Mi|Gi|Ti|)$/.exec(quantityOf(size))!;
        expect(Number(amount) * factor[unit as keyof typeof factor]).toBe(bytesOf(size));
      }),
    );
  });
});
