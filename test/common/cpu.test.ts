import { Cpu } from 'cdk8s-vllm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectError } from './errors';

describe('Cpu', () => {
  test.each([
    [Cpu.units(6), '6', 6],
    [Cpu.units(0.5), '500m', 0],
    [Cpu.units(0.1 + 0.2), '300m', 0],
    [Cpu.millis(2500), '2500m', 2],
    [Cpu.millis(3000), '3', 3],
  ])('%# is written in its shortest form', (cpu, quantity, wholeCores) => {
    expect(cpu.toQuantity()).toBe(quantity);
    expect(cpu.wholeCores).toBe(wholeCores);
  });

  test('any whole number of thousandths survives both ways in', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4_096_000 }), (millis) => {
        expect(Cpu.millis(millis).millicores).toBe(millis);
        expect(Cpu.units(millis / 1000).millicores).toBe(millis);
      }),
    );
  });

  test.each([
    [() => Cpu.units(0), 'cpu is 0;'],
    [() => Cpu.units(-1), 'cpu is -1;'],
    [() => Cpu.units(0.0001), 'cpu is 0.0001;'],
    [() => Cpu.units(Number.NaN), 'cpu is NaN;'],
    [() => Cpu.millis(0.5), 'cpu is 0.0005;'],
  ])('%# refuses what Kubernetes cannot count', (cause, got) => {
    expectError(cause, got, '0.001 cores or more', 'whole thousandths');
  });
});
