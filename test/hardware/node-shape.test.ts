import { Size } from 'cdk8s';
import { CpuArchitecture, NodeShape, type NodeShapeProps } from 'cdk8s-vllm';
import { describe, expect, test } from 'vitest';
import { INSTANCE_TYPES } from '../../src/hardware/instances';
import { expectError } from '../common/errors';

describe('NodeShape', () => {
  test.each([
    ['m7g.2xlarge', 8, 32, 'arm64'],
    ['m7g.large', 2, 8, 'arm64'],
    ['c7g.xlarge', 4, 8, 'arm64'],
    ['r7g.16xlarge', 64, 512, 'arm64'],
    ['c7i.48xlarge', 192, 384, 'amd64'],
    ['m7i.4xlarge', 16, 64, 'amd64'],
  ])('%s has %d vCPU and %d GiB', (name, cpus, gibibytes, label) => {
    const node = NodeShape.of(name);
    expect(node).toMatchObject({ name, cpus });
    expect(node.memory.toGibibytes()).toBe(gibibytes);
    expect(node.architecture.kubernetesLabel).toBe(label);
  });

  test('Graviton families end at 16xlarge', () => {
    expect([...INSTANCE_TYPES.keys()].filter((name) => /^[cmr]7g\.(24|48)xlarge$/.test(name))).toEqual([]);
    expect(INSTANCE_TYPES.size).toBe(6 * 7 + 3 * 2);
  });

  test('the constant is the instance of the article', () => {
    expect(NodeShape.M7G_2XLARGE).toEqual(NodeShape.of('m7g.2xlarge'));
  });

  test('custom keeps every number given', () => {
    const props: Required<NodeShapeProps> = {
      cpus: 48,
      memory: Size.gibibytes(192),
      architecture: CpuArchitecture.X86_64,
    };
    expect(NodeShape.custom('rack-7', props)).toMatchObject({ name: 'rack-7', ...props });
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
  ])('%s beyond its bound is refused', (_, wrong, message) => {
    const props = { cpus: 4, memory: Size.gibibytes(1), architecture: CpuArchitecture.ARM64 };
    expect(() => NodeShape.custom('rack-7', props)).not.toThrow();
    expectError(() => NodeShape.custom('rack-7', { ...props, ...wrong }), message);
  });
});
