import { buildSync } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { acceleratorOf } from '../../src/hardware/accelerators';
import { customNode, fairShareBandwidth, instanceTypes, nodeOf } from '../../src/hardware/nodes';
import { PROCESSORS, processorOf } from '../../src/hardware/processors';
import { expectError } from '../common/errors';

const MEBI = 1024 ** 2;
const GIBI = 1024 ** 3;
const familyOf = (name: string) => name.slice(0, name.indexOf('.'));

describe('instance types', () => {
  test.each(instanceTypes())('%s has sane numbers', (name) => {
    const node = nodeOf(name);
    expect(node.name).toBe(name);
    expect(node.cpus).toSatisfy((cpus: number) => Number.isInteger(cpus) && cpus >= 1 && cpus <= 384);
    // Compute families have 2 GiB for a vCPU, memory families up to 16, GPU instances what their maker thought right.
    expect(node.memory / GIBI / node.cpus).toBeGreaterThanOrEqual(2);
    expect(node.memory / GIBI / node.cpus).toBeLessThanOrEqual(16);
    expect(node.architecture).toBe(node.processor.architecture);
    expect([1, 2]).toContain(node.numaNodes);
    expect(node.bandwidth).toBeLessThanOrEqual(node.numaNodes * node.processor.socketBandwidth);
    // From a vCPU of an old Xeon to one of a Zen 5 without a second thread.
    expect(node.bandwidth / node.cpus).toBeGreaterThan(1e9);
    expect(node.bandwidth / node.cpus).toBeLessThan(8e9);
    expect(node.allocatable.pods).toBeGreaterThanOrEqual(8);
    expect(node.allocatable.cpuMillis).toBeGreaterThanOrEqual(940);
    expect(node.allocatable.memory).toBeGreaterThan(node.memory / 2);
    expect(node.allocatable.memory).toBeLessThan(node.memory * 0.925);
    if (node.accelerator) {
      expect(node.accelerator.count).toBeGreaterThanOrEqual(1);
      expect(node.accelerator.count).toBeLessThanOrEqual(8);
      expect(node.accelerator.memory).toBeGreaterThanOrEqual(16 * GIBI);
      expect(node.accelerator).toMatchObject({ assumed: false });
    }
  });

  test('within a family more vCPUs are never less for pods', () => {
    const families = new Set(instanceTypes().map(familyOf));
    expect(families.size).toBeGreaterThan(50);
    for (const family of families) {
      const nodes = instanceTypes().filter((name) => familyOf(name) === family);
      nodes.map(nodeOf).reduce((smaller, larger) => {
        expect(larger.cpus, larger.name).toBeGreaterThanOrEqual(smaller.cpus);
        expect(larger.allocatable.cpuMillis, larger.name).toBeGreaterThanOrEqual(smaller.allocatable.cpuMillis);
        expect(larger.allocatable.memory, larger.name).toBeGreaterThanOrEqual(smaller.allocatable.memory);
        expect(larger.bandwidth, larger.name).toBeGreaterThanOrEqual(smaller.bandwidth);
        return larger;
      });
    }
  });

  test('every processor is in use', () => {
    expect(new Set(instanceTypes().map((name) => nodeOf(name).processor))).toEqual(new Set(Object.values(PROCESSORS)));
  });

  test('bare metal and burstable types are not among them', () => {
    expect(instanceTypes().filter((name) => /metal|^t/.test(name))).toEqual([]);
  });

  test.each([
    ['m7g.2xlarge', 8, 32, 'arm64'],
    ['m7g.large', 2, 8, 'arm64'],
    ['r7g.16xlarge', 64, 512, 'arm64'],
    ['c7i.48xlarge', 192, 384, 'amd64'],
    ['p4de.24xlarge', 96, 1152, 'amd64'],
    ['g5g.xlarge', 4, 8, 'arm64'],
  ])('%s has %d vCPU and %d GiB', (name, cpus, gibibytes, architecture) => {
    expect(nodeOf(name)).toMatchObject({ cpus, memory: gibibytes * GIBI, architecture });
  });

  test.each([
    ['m6g.large', 'Graviton2', { avx512: false, bf16: false, amx: false }],
    ['m7g.large', 'Graviton3', { avx512: false, bf16: true, amx: false }],
    ['c7gn.large', 'Graviton3', { avx512: false, bf16: true, amx: false }],
    ['x8g.large', 'Graviton4', { avx512: false, bf16: true, amx: false }],
    ['m5.large', 'Xeon Skylake or Cascade Lake', { avx512: true, bf16: false, amx: false }],
    ['m6i.large', 'Xeon Ice Lake', { avx512: true, bf16: false, amx: false }],
    ['m7i-flex.large', 'Xeon Sapphire Rapids', { avx512: true, bf16: true, amx: true }],
    ['r8i.large', 'Xeon Granite Rapids', { avx512: true, bf16: true, amx: true }],
    ['m5a.large', 'EPYC Zen 1', { avx512: false, bf16: false, amx: false }],
    ['m6a.large', 'EPYC Zen 3', { avx512: false, bf16: false, amx: false }],
    ['m7a.large', 'EPYC Zen 4', { avx512: true, bf16: true, amx: false }],
    ['m8a.large', 'EPYC Zen 5', { avx512: true, bf16: true, amx: false }],
    ['p5.48xlarge', 'EPYC Zen 3', { avx512: false, bf16: false, amx: false }],
    ['p5en.48xlarge', 'Xeon Sapphire Rapids', { avx512: true, bf16: true, amx: true }],
  ])('%s is a %s', (name, processor, isa) => {
    expect(nodeOf(name).processor).toMatchObject({ name: processor, isa });
  });

  test.each([
    ['m7g.16xlarge', 1],
    ['m8g.24xlarge', 1],
    ['m8g.48xlarge', 2],
    ['m6i.16xlarge', 1],
    ['m6i.24xlarge', 2],
    ['m6i.32xlarge', 2],
    ['m7i.24xlarge', 1],
    ['m7i.48xlarge', 2],
    ['m8i.48xlarge', 1],
    ['m8i.96xlarge', 2],
    ['m7a.24xlarge', 1],
    ['m7a.48xlarge', 2],
    ['m6a.48xlarge', 2],
    ['c5.18xlarge', 2],
    ['p4d.24xlarge', 2],
    ['p5.48xlarge', 2],
    ['p5.4xlarge', 1],
  ])('%s has %d NUMA nodes', (name, numaNodes) => {
    expect(nodeOf(name).numaNodes).toBe(numaNodes);
  });

  test.each([
    ['m6g.16xlarge', 204.8],
    ['m7g.16xlarge', 307.2],
    ['m7g.2xlarge', 38.4],
    ['m8g.24xlarge', 537.6],
    ['m8g.48xlarge', 1075.2],
    ['m6i.32xlarge', 409.6],
    ['m7i.24xlarge', 307.2],
    ['m7a.24xlarge', 460.8],
    ['c6a.24xlarge', 204.8],
  ])('%s has %d GB/s of memory bandwidth', (name, gigabytes) => {
    expect(nodeOf(name).bandwidth).toBeCloseTo(gigabytes * 1e9, 0);
  });

  test.each([
    ['g4dn.12xlarge', 'T4', 4, 16384, 320e9, 65e12, false],
    ['g5.xlarge', 'A10G', 1, 22888, 600e9, 70e12, true],
    ['g6.48xlarge', 'L4', 8, 22888, 300e9, 121e12, true],
    ['g6e.xlarge', 'L40S', 1, 45776, 864e9, 362e12, true],
    ['p3dn.24xlarge', 'V100', 8, 32768, 900e9, 125e12, false],
    ['p4d.24xlarge', 'A100', 8, 40960, 1555e9, 312e12, true],
    ['p4de.24xlarge', 'A100', 8, 81920, 2039e9, 312e12, true],
    ['p5.48xlarge', 'H100', 8, 81920, 3350e9, 989e12, true],
    ['p5e.48xlarge', 'H200', 8, 144384, 4800e9, 989e12, true],
    ['p6-b200.48xlarge', 'B200', 8, 183359, 8000e9, 2250e12, true],
  ])('%s has the GPU %s', (type, name, count, mebibytes, bandwidth, flops, bf16) => {
    const memory = mebibytes * MEBI;
    expect(nodeOf(type).accelerator).toEqual({ name, count, memory, bandwidth, flops, bf16, assumed: false });
  });

  test('a node without GPU has no accelerator', () => {
    expect(nodeOf('m7g.2xlarge')).not.toHaveProperty('accelerator');
  });

  test('two processors were measured, all others say that they were not', () => {
    const measured = Object.values(PROCESSORS).filter((processor) => processor.measured);
    expect(measured).toEqual([PROCESSORS.graviton3, PROCESSORS.zen5]);
    expect(PROCESSORS.graviton3).toMatchObject({ flopsPerThread: 140e9, decodeBandwidthPerThread: 16e9 });
    expect(PROCESSORS.zen5).toMatchObject({ flopsPerThread: 200e9, decodeBandwidthPerThread: 16e9 });
  });

  test.each(['m7g.2xlrage', 'M7G.2XLARGE'])('%s names the nearest type and the way out', (name) => {
    expectError(
      () => nodeOf(name),
      `instance type '${name}' is not known`,
      "did you mean 'm7g.2xlarge'?",
      'NodeShape.custom',
    );
  });

  test.each(['constructor', '__proto__', ''])('%j is no instance type', (name) => {
    expectError(() => nodeOf(name), `instance type '${name}' is not known`);
  });

  test('a family or a GPU that the tables do not know is an error of the tables', () => {
    expectError(() => processorOf('z9'), "no processor is known for the instance family 'z9'");
    expectError(() => acceleratorOf('H100', 8, 1), "nothing is known of the GPU 'H100' with 1 MiB");
  });

  test('the table and its functions load without cdk8s', () => {
    const { metafile } = buildSync({
      stdin: {
        contents: `import './nodes'; import './system-pods'; import './system-pod'; import './allocatable';`,
        resolveDir: 'src/hardware',
      },
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      external: ['cdk8s'],
    });
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports.map(({ path }) => path));
    expect(imports.filter((path) => !/^src\/(hardware|common)\//.test(path))).toEqual([]);
  });
});

describe('fair share of the memory bandwidth', () => {
  test('two halves of a socket are one socket, two sockets are twice as much', () => {
    const { graviton4 } = PROCESSORS;
    expect(fairShareBandwidth(graviton4, 48) * 2).toBe(graviton4.socketBandwidth);
    expect(fairShareBandwidth(graviton4, 192)).toBe(graviton4.socketBandwidth * 2);
  });
});

describe('custom nodes', () => {
  const rack = { cpus: 48, memory: 192 * GIBI, architecture: 'amd64' as const };

  test('three numbers are enough', () => {
    expect(customNode('rack-7', rack)).toEqual({
      name: 'rack-7',
      ...rack,
      processor: {
        name: 'x86',
        architecture: 'amd64',
        isa: { avx512: true, bf16: false, amx: false },
        socketBandwidth: 153.6e9,
        socketCpus: 48,
        threadsPerCore: 1,
        decodeBandwidthPerThread: 16e9,
        flopsPerThread: 100e9,
        measured: false,
      },
      numaNodes: 1,
      bandwidth: 153.6e9,
      allocatable: { cpuMillis: 47810, memory: 180297 * MEBI, pods: 110 },
    });
  });

  test('Arm is taken to have bf16, unless said otherwise', () => {
    const arm = { ...rack, architecture: 'arm64' as const };
    expect(customNode('a', arm).processor.isa).toEqual({ avx512: false, bf16: true, amx: false });
    expect(customNode('a', { ...arm, bf16: false }).processor).toMatchObject({
      isa: { bf16: false },
      flopsPerThread: 20e9,
    });
  });

  test('x86 with bf16 and without AVX-512 changes the speed of a thread', () => {
    expect(customNode('a', { ...rack, bf16: true }).processor).toMatchObject({
      isa: { avx512: true, bf16: true },
      flopsPerThread: 200e9,
    });
    expect(customNode('a', { ...rack, avx512: false }).processor).toMatchObject({
      isa: { avx512: false, bf16: false },
      flopsPerThread: 50e9,
    });
  });

  test('GPUs have the memory given and the speed of an L4', () => {
    const { accelerator } = customNode('a', { ...rack, gpus: 2, gpuMemory: 48 * GIBI });
    expect(accelerator).toEqual({
      name: 'GPU',
      count: 2,
      memory: 48 * GIBI,
      bandwidth: 300e9,
      flops: 121e12,
      bf16: true,
      assumed: true,
    });
  });

  test.each([
    [{ cpus: 0 }, 'cpus of node rack-7 is 0; it takes a whole number from 1 to 4096'],
    [{ memory: GIBI - 1 }, 'memory of node rack-7 is 1073741823 bytes; it takes 1 GiB or more'],
    [{ memory: NaN }, 'memory of node rack-7 is NaN bytes; it takes 1 GiB or more'],
    [{ numaNodes: 49 }, 'numaNodes of node rack-7 is 49; it takes a whole number from 1 to 48'],
    [{ numaNodes: 0 }, 'numaNodes of node rack-7 is 0; it takes a whole number from 1 to 48'],
    [{ maxPods: 0 }, 'maxPods of node rack-7 is 0; it takes a whole number from 1 to 4096'],
    [
      { memoryBandwidthGigabytesPerSecond: 0 },
      'memoryBandwidthGigabytesPerSecond of node rack-7 is 0; it takes a number from 1 to 100000',
    ],
    [
      { memoryBandwidthGigabytesPerSecond: NaN },
      'memoryBandwidthGigabytesPerSecond of node rack-7 is NaN; it takes a number from 1 to 100000',
    ],
    [{ architecture: 'arm64' as const, avx512: true }, 'avx512 of node rack-7 is true, but only x86 has AVX-512'],
    [{ avx512: false, bf16: true }, 'bf16 of node rack-7 is true, but x86 has bf16 as a part of AVX-512'],
    [{ gpus: 65, gpuMemory: GIBI }, 'gpus of node rack-7 is 65; it takes a whole number from 0 to 64'],
    [{ gpus: 1 }, 'gpus of node rack-7 is 1 without gpuMemory; set gpuMemory to the memory of one of them'],
    [{ gpuMemory: GIBI }, 'gpuMemory of node rack-7 is given without gpus; set gpus to their number'],
    [{ gpus: 1, gpuMemory: 1 }, 'gpuMemory of node rack-7 is 1 bytes; it takes 1 GiB or more'],
  ])('%j is refused', (wrong, message) => {
    expectError(() => customNode('rack-7', { ...rack, ...wrong }), message);
  });

  test('sockets add up to the machine', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 512 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 2000 }),
        (cpus, nodes, gigabytes) => {
          const numaNodes = Math.min(nodes, cpus);
          const node = customNode('a', { ...rack, cpus, numaNodes, memoryBandwidthGigabytesPerSecond: gigabytes });
          expect(node.bandwidth).toBe(gigabytes * 1e9);
          expect(fairShareBandwidth(node.processor, cpus) / node.bandwidth).toBeCloseTo(1);
          expect(node.processor.socketCpus * numaNodes).toBeCloseTo(cpus);
        },
      ),
    );
  });
});
