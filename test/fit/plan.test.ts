import { Duration, Size } from 'cdk8s';
import { Cpu, CpuArchitecture, Model, NodeShape } from 'cdk8s-vllm';
import { describe, expect, test } from 'vitest';
import { GroupPlan, type PlanInput } from '../../src/fit/plan';
import { type ErrorCase, expectError } from '../common/errors';

const base = {
  model: Model.of('google/gemma-3-1b-it'),
  node: NodeShape.M7G_2XLARGE,
  pipelineParallelSize: 2,
  tensorParallelSize: 1,
} satisfies PlanInput;

function plan(input: Partial<PlanInput> = {}): GroupPlan {
  return GroupPlan._make({ ...base, ...input });
}

describe('GroupPlan', () => {
  test('plans what the article chose by hand on an m7g.2xlarge', () => {
    const numbers = plan();
    expect(numbers).toMatchObject({
      layersPerStage: [13, 13],
      threads: 5,
      maxModelLen: 4096,
      maxNumBatchedTokens: 256,
    });
    expect(numbers.cpu.toQuantity()).toBe('6');
    expect(numbers.memory.toGibibytes()).toBe(20);
    expect(numbers.kvCacheMemory.toGibibytes()).toBe(4);
    expect(numbers.sharedMemory.toGibibytes()).toBe(4);
    expect(numbers.startupBudget.toMinutes()).toBe(15);
    expect(numbers.stepTimeout.toSeconds()).toBe(60);
    expect(numbers.stallTimeout.toSeconds()).toBe(120);
  });

  test('keeps every number that is given and marks the others as planned', () => {
    const numbers: Required<
      Omit<PlanInput, keyof typeof base | 'layerPartition' | 'weightsOutsidePod' | 'bytesPerParameter'>
    > = {
      cpu: Cpu.units(4),
      memory: Size.gibibytes(10),
      sharedMemory: Size.gibibytes(1),
      kvCacheMemory: Size.gibibytes(2),
      ephemeralStorage: Size.gibibytes(9),
      threads: 2,
      maxModelLen: 1000,
      maxNumBatchedTokens: 300,
      startupBudget: Duration.minutes(20),
      stepTimeout: Duration.seconds(90),
      stallTimeout: Duration.seconds(200),
    };
    expect(plan({ ...numbers, layerPartition: [14, 12] })).toMatchObject({
      ...numbers,
      layersPerStage: [14, 12],
      planned: [],
    });
    expect([...plan().planned].sort()).toEqual(Object.keys(numbers).sort());
  });

  test('a single pod leaves batched tokens to vLLM, a model with eyes gets room for an image', () => {
    expect(plan({ pipelineParallelSize: 1 }).maxNumBatchedTokens).toBeUndefined();
    expect(plan({ pipelineParallelSize: 1 }).planned).not.toContain('maxNumBatchedTokens');
    expect(plan({ model: Model.of('google/gemma-3-4b-it') }).maxNumBatchedTokens).toBe(512);
  });

  test('the step timeout is four full batches, and the stall timeout a minute more', () => {
    // 4 × 2 · 27,432,406,640 parameters · 512 tokens / (5 threads · 200e9)
    const numbers = plan({ model: Model.of('google/gemma-3-27b-it'), node: NodeShape.of('m7g.4xlarge'), threads: 5 });
    expect(numbers.stepTimeout.toSeconds()).toBe(113);
    expect(numbers.stallTimeout.toSeconds()).toBe(173);
    expect(plan({ stepTimeout: Duration.seconds(70) }).stallTimeout.toSeconds()).toBe(130);
    expect(plan({ stepTimeout: Duration.seconds(30) }).stallTimeout.toSeconds()).toBe(90);
  });

  test('weights take room on the node unless they are kept elsewhere', () => {
    const model = Model.of('Qwen/Qwen3-8B');
    expect(plan({ model }).ephemeralStorage.toGibibytes()).toBe(17 + 16);
    expect(plan({ model, weightsOutsidePod: true }).ephemeralStorage.toGibibytes()).toBe(16);
  });

  test('a short context is the bound of a request', () => {
    expect(plan({ maxModelLen: 32_768 }).maxModelLen).toBe(32_768);
  });

  test.each(['m7g.xlarge', 'c7g.xlarge', 'r7g.large', 'm7i.48xlarge'])('%s can be planned', (name) => {
    expect(() => plan({ node: NodeShape.of(name) })).not.toThrow();
  });
});

const errors: ErrorCase[] = [
  [
    'maxModelLen over the context',
    () => plan({ maxModelLen: 32_769 }),
    'maxModelLen is 32769',
    'gemma-3-1b-it',
    '1 to 32768',
  ],
  ['maxModelLen 0', () => plan({ maxModelLen: 0 }), 'maxModelLen is 0', 'whole numbers from 1'],
  ['maxModelLen NaN', () => plan({ maxModelLen: Number.NaN }), 'maxModelLen is NaN'],
  ['no whole core', () => plan({ cpu: Cpu.millis(900) }), 'cpu is 900m', 'at least one whole core'],
  ['more cpu than the node', () => plan({ cpu: Cpu.units(9) }), 'cpu is 9', 'm7g.2xlarge has 8'],
  ['more memory than the node', () => plan({ memory: Size.gibibytes(33) }), 'memory is 33Gi', 'm7g.2xlarge has 32Gi'],
  ['threads over the limit', () => plan({ threads: 7 }), 'threads is 7', 'CPU limit of 6', 'throttled', 'at most 5'],
  ['threads 0', () => plan({ threads: 0 }), 'threads is 0', 'from 1 to 1024'],
  [
    'KV cache and shared memory over the limit',
    () => plan({ kvCacheMemory: Size.gibibytes(17) }),
    'kvCacheMemory (17Gi) and sharedMemory (4Gi)',
    'nothing of the memory limit of 20Gi',
    'give smaller ones, raise memory, or take a larger node',
  ],
  ['batched tokens 0', () => plan({ maxNumBatchedTokens: 0 }), 'maxNumBatchedTokens is 0', 'from 1 to 1048576'],
  ['budget', () => plan({ startupBudget: Duration.seconds(59) }), 'startupBudget is 59 s', 'from 60 to 86400'],
  ['step timeout', () => plan({ stepTimeout: Duration.seconds(29) }), 'stepTimeout is 29 s', 'from 30 to 86400'],
  ['stall timeout', () => plan({ stallTimeout: Duration.days(2) }), 'stallTimeout is 172800 s', 'from 60 to 90000'],
  ['layers', () => plan({ pipelineParallelSize: 3 }), '26 layers', 'pipelineParallelSize of 3'],
  ['heads', () => plan({ tensorParallelSize: 3 }), '4 attention heads', 'tensorParallelSize of 3'],
];

describe('GroupPlan refuses', () => {
  test.each(errors)('%s', (_, cause, ...parts) => expectError(cause, ...parts));

  test('not one byte less than what fits', () => {
    const node = NodeShape.custom('n', { cpus: 4, memory: Size.gibibytes(16), architecture: CpuArchitecture.ARM64 });
    const sizes = { node, memory: Size.gibibytes(8), sharedMemory: Size.gibibytes(4) };
    expect(() => plan({ ...sizes, kvCacheMemory: Size.kibibytes(4 * 1024 ** 2 - 1) })).not.toThrow();
    expect(() => plan({ ...sizes, kvCacheMemory: Size.gibibytes(4) })).toThrow('memory limit of 8Gi');
  });

  test('a KV cache of nothing, with which no engine starts', () => {
    expectError(() => plan({ kvCacheMemory: Size.gibibytes(0) }), 'kvCacheMemory is 0', 'does not start');
  });

  test('shared memory that the queues of a rank do not fit into', () => {
    expect(() => plan({ sharedMemory: Size.mebibytes(512) })).not.toThrow();
    expectError(() => plan({ sharedMemory: Size.mebibytes(511) }), 'sharedMemory is 511Mi', 'take 512 MiB or more');
  });

  test('a node that is too small for any engine, by what was planned for it', () => {
    expectError(() => plan({ node: NodeShape.of('c7g.large') }), 'memory limit of 2Gi', 'take a larger node');
  });

  test('weights that the fullest rank cannot hold, however they are split', () => {
    const model = Model.of('google/gemma-3-27b-it');
    expectError(
      () => plan({ model }),
      '51.1 GiB',
      'at least 25.5 GiB',
      'fullest of 2 ranks',
      'limit of 20Gi',
      'split over',
    );
    expect(() => plan({ model, node: NodeShape.of('m7g.4xlarge') })).not.toThrow();
    // Four bits a parameter, said by the one who knows.
    const quantized = Model.custom('acme/27b-w4', { ...model, weightsSize: Size.gibibytes(16) });
    expect(() => plan({ model: quantized })).not.toThrow();
  });

  test('a pod that takes the whole node, which the system has a part of', () => {
    expectError(() => plan({ cpu: Cpu.units(8) }), 'cpu is 8', 'has 8 in all');
    expectError(() => plan({ memory: Size.gibibytes(32) }), 'memory is 32Gi', 'has 32Gi in all');
  });
});
