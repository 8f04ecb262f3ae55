import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  allocatable,
  allocatableDisk,
  podsByAddresses,
  reservedCpuMillis,
  reservedMemory,
} from '../../src/hardware/allocatable';
import { nodeOf } from '../../src/hardware/nodes';

const MEBI = 1024 ** 2;
const GIBI = 1024 ** 3;

describe('what the kubelet of EKS leaves', () => {
  test.each([
    ['m7g.large', 1930, 29, 574, 6844],
    ['m7g.xlarge', 3920, 58, 893, 14103],
    ['m7g.2xlarge', 7910, 58, 893, 29258],
    ['m7g.4xlarge', 15890, 234, 2829, 57632],
    ['m7g.8xlarge', 31850, 234, 2829, 118253],
    ['c7g.2xlarge', 7910, 58, 893, 14103],
    ['r7g.2xlarge', 7910, 58, 893, 59568],
    ['r8g.2xlarge', 7910, 58, 893, 59568],
    ['m8g.2xlarge', 7910, 58, 893, 29258],
  ])('%s: %dm, %d pods, %d MiB kept back, %d MiB left', (name, cpuMillis, pods, reserved, mebibytes) => {
    expect(nodeOf(name).allocatable).toEqual({ cpuMillis, pods, memory: mebibytes * MEBI });
    expect(reservedMemory(pods)).toBe((reserved + 100) * MEBI);
  });

  test.each([
    ['r5.xlarge', 30635.5],
    ['r5.4xlarge', 127337.5 - 2929],
  ])('the memory of %s is below what was seen on EKS, by at most 5 %% of the machine', (name, seen) => {
    const { memory, allocatable } = nodeOf(name);
    expect(allocatable.memory).toBeLessThan(seen * MEBI);
    expect(allocatable.memory).toBeGreaterThan(seen * MEBI - 0.05 * memory);
  });

  test.each([
    [1, 60],
    [2, 70],
    [3, 75],
    [4, 80],
    [5, 82],
    [8, 90],
    [192, 550],
  ])('of %d CPUs %dm are kept back', (cpus, reserved) => {
    expect(reservedCpuMillis(cpus)).toBe(reserved);
  });

  test('more interfaces on further network cards give pods no addresses', () => {
    expect(nodeOf('p5.48xlarge').allocatable.pods).toBe(podsByAddresses(2, 50));
    expect(nodeOf('p4d.24xlarge').allocatable.pods).toBe(podsByAddresses(15, 50));
  });

  test('newer types have more addresses on the same interfaces', () => {
    expect(nodeOf('m8i.2xlarge').allocatable).toMatchObject({ pods: 118, cpuMillis: 7910 });
  });

  test('a machine smaller than what the kubelet keeps back has nothing left', () => {
    expect(allocatable({ cpus: 1, memory: GIBI, architecture: 'arm64' }, 110).memory).toBe(0);
  });

  test('a root volume of 100 GiB leaves 95.49 GB', () => {
    expect(allocatableDisk(104_779_756 * 1024)).toBe(95_491_281_305);
    expect(allocatableDisk(1000)).toBe(0);
  });

  const node = fc.record({
    cpus: fc.integer({ min: 1, max: 4096 }),
    memory: fc.integer({ min: GIBI, max: 24 * 1024 * GIBI }),
    architecture: fc.constantFrom('arm64' as const, 'amd64' as const),
  });
  const pods = fc.integer({ min: 1, max: 2000 });

  test('it is below the nominal size and not below 0', () => {
    fc.assert(
      fc.property(node, pods, (machine, count) => {
        const left = allocatable(machine, count);
        expect(left.cpuMillis).toBeLessThan(machine.cpus * 1000);
        expect(left.cpuMillis).toBeGreaterThanOrEqual(940 * machine.cpus);
        expect(left.memory).toBeLessThan(machine.memory);
        expect(left.memory).toBeGreaterThanOrEqual(0);
        expect(left.memory % MEBI).toBe(0);
      }),
    );
  });

  test('more of the machine is never less for pods, and more pods are never more memory', () => {
    fc.assert(
      fc.property(node, pods, fc.nat(64), fc.nat(64 * GIBI), fc.nat(500), (machine, count, cpus, memory, more) => {
        const left = allocatable(machine, count);
        const larger = { ...machine, cpus: machine.cpus + cpus, memory: machine.memory + memory };
        expect(allocatable(larger, count).cpuMillis).toBeGreaterThanOrEqual(left.cpuMillis + cpus * 940);
        expect(allocatable(larger, count).memory).toBeGreaterThanOrEqual(left.memory);
        expect(allocatable(machine, count + more).memory).toBeLessThanOrEqual(left.memory);
      }),
    );
  });
});
