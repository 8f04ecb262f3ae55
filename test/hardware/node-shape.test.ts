import { Size } from 'cdk8s';
import { CpuArchitecture, NodeShape, type NodeShapeProps } from 'cdk8s-vllm';
import { describe, expect, test } from 'vitest';
import { customNode, nodeOf } from '../../src/hardware/nodes';
import { expectError } from '../common/errors';

const GIBI = 1024 ** 3;

describe('NodeShape', () => {
  test.each([
    ['m7g.2xlarge', 8, 32, CpuArchitecture.ARM64],
    ['c7g.xlarge', 4, 8, CpuArchitecture.ARM64],
    ['m7i.4xlarge', 16, 64, CpuArchitecture.X86_64],
    ['p5.48xlarge', 192, 2048, CpuArchitecture.X86_64],
  ])('%s has %d vCPU and %d GiB', (name, cpus, gibibytes, architecture) => {
    const node = NodeShape.of(name);
    expect(node).toMatchObject({ name, cpus });
    expect(node.memory.toGibibytes()).toBe(gibibytes);
    expect(node.architecture).toBe(architecture);
    expect(node._spec).toEqual(nodeOf(name));
  });

  test('says what is left for pods', () => {
    const node = NodeShape.of('m7g.2xlarge');
    expect(node.allocatableCpu.toQuantity()).toBe('7910m');
    expect(node.allocatableMemory.toMebibytes()).toBe(29258);
    expect(node).toMatchObject({ maxPods: 58, numaNodes: 1, gpus: 0 });
  });

  test('says how many NUMA nodes and GPUs there are', () => {
    expect(NodeShape.of('p5.48xlarge')).toMatchObject({ numaNodes: 2, gpus: 8 });
  });

  test('the constant is the instance of the article', () => {
    expect(NodeShape.M7G_2XLARGE).toEqual(NodeShape.of('m7g.2xlarge'));
  });

  test('custom takes three numbers', () => {
    const props = { cpus: 48, memory: Size.gibibytes(192), architecture: CpuArchitecture.X86_64 };
    const node = NodeShape.custom('rack-7', props);
    expect(node).toMatchObject({ name: 'rack-7', ...props, maxPods: 110, numaNodes: 1, gpus: 0 });
    expect(node._spec).toEqual(customNode('rack-7', { cpus: 48, memory: 192 * GIBI, architecture: 'amd64' }));
  });

  test('custom keeps every number given', () => {
    const props: Required<NodeShapeProps> = {
      cpus: 48,
      memory: Size.gibibytes(192),
      architecture: CpuArchitecture.X86_64,
      avx512: true,
      bf16: true,
      memoryBandwidthGigabytesPerSecond: 460.8,
      numaNodes: 2,
      maxPods: 250,
      gpus: 4,
      gpuMemory: Size.gibibytes(24),
    };
    const node = NodeShape.custom('rack-7', props);
    const { cpus, memory, architecture, numaNodes, maxPods, gpus } = props;
    expect(node).toMatchObject({ name: 'rack-7', cpus, memory, architecture, numaNodes, maxPods, gpus });
    expect(node._spec).toMatchObject({
      bandwidth: 460.8e9,
      processor: { isa: { avx512: true, bf16: true } },
      accelerator: { count: 4, memory: 24 * GIBI },
      allocatable: { pods: 250 },
    });
  });

  test('a typo names the nearest instance type and the way out', () => {
    expectError(
      () => NodeShape.of('m7g.2xlrage'),
      "instance type 'm7g.2xlrage' is not known",
      "did you mean 'm7g.2xlarge'?",
      'NodeShape.custom',
    );
  });

  test.each([
    ['cpus', { cpus: 0 }, 'cpus of node rack-7 is 0; it takes a whole number from 1 to 4096'],
    ['memory', { memory: Size.mebibytes(1023) }, 'memory of node rack-7 is 1072693248 bytes; it takes 1 GiB or more'],
    [
      'architecture',
      { architecture: 'arm64' as unknown as CpuArchitecture },
      'architecture of node rack-7 is of type string; it takes a value such as CpuArchitecture.ARM64',
    ],
    ['gpus', { gpus: 1 }, 'gpus of node rack-7 is 1 without gpuMemory; set gpuMemory to the memory of one of them'],
  ])('%s beyond its bound is refused', (_, wrong, message) => {
    const props = { cpus: 4, memory: Size.gibibytes(1), architecture: CpuArchitecture.ARM64 };
    expect(() => NodeShape.custom('rack-7', props)).not.toThrow();
    expectError(() => NodeShape.custom('rack-7', { ...props, ...wrong }), message);
  });
});

describe('what a caller in JavaScript passes', () => {
  const props = { cpus: 48, memory: Size.gibibytes(192), architecture: CpuArchitecture.X86_64 };
  const node = (name: unknown, given?: unknown) => () => NodeShape.custom(name as never, given as never);
  const custom = (given: Record<string, unknown>) => node('a', { ...props, ...given });

  test.each<[string, () => unknown, string]>([
    ['no numbers', node('a'), 'numbers of node a are missing; it takes an object such as { cpus: 48'],
    ['null', node('a', null), 'numbers of node a are missing'],
    ['a text', node('a', 'x'), 'numbers of node a are of type string'],
    [
      'memory of a text',
      custom({ memory: '192Gi' }),
      'memory of node a is of type string; it takes a value such as Size.',
    ],
    ['memory of a number', custom({ memory: 5 }), 'memory of node a is of type number'],
    ['memory of null', custom({ memory: null }), 'memory of node a is missing'],
    ['memory of GPUs', custom({ gpus: 1, gpuMemory: '24Gi' }), 'gpuMemory of node a is of type string'],
    ['cpus of a text', custom({ cpus: '48' }), "cpus of node a is '48'; it takes a whole number from 1 to 4096"],
    ['avx512 of a text', custom({ avx512: 'x' }), 'avx512 of node a is of type string; it takes true or false'],
    ['bf16 of a number', custom({ bf16: 1 }), 'bf16 of node a is of type number'],
    [
      'bandwidth of a text',
      custom({ memoryBandwidthGigabytesPerSecond: '300' }),
      "memoryBandwidthGigabytesPerSecond of node a is '300'",
    ],
    [
      'bandwidth of nothing',
      custom({ memoryBandwidthGigabytesPerSecond: Object.create(null) }),
      'memoryBandwidthGigabytesPerSecond of node a is of type object',
    ],
    ['no name', node('', props), "node name is ''; it takes a text of 1 to 253 characters, without control characters"],
    ['spaces', node('  ', props), "node name is '  '"],
    ['control characters', node('a\n\u001b', props), "node name is 'a\\u000a\\u001b'"],
    ['a long name', node('a'.repeat(300), props), `node name is '${'a'.repeat(100)}…'`],
    ['a name of null', node(null, props), 'node name is null'],
    [
      'an instance type of nothing',
      () => NodeShape.of(undefined as never),
      'instance type is of type undefined; it takes a text',
    ],
    ['of null', () => NodeShape.of(null as never), 'instance type is null'],
    ['of control characters', () => NodeShape.of('m7g\n'), "instance type 'm7g\\u000a' is not known"],
  ])('%s: an error in words', (_, cause, message) => {
    expectError(cause, message);
    expect(cause).toThrow(Error);
    expect(cause).not.toThrow(TypeError);
  });
});
