import { describe, expect, test } from 'vitest';
import { GroupPlan } from '../../src/fit/group-plan';
import { planGroup } from '../../src/fit/plan';
import type { PlanInput } from '../../src/fit/plan-input';
import { GIBI, MEBI } from '../../src/fit/units';
import { customNode, nodeOf } from '../../src/hardware/nodes';
import { type ErrorCase, expectError } from '../common/errors';
import { input, shape } from './shapes';

function plan(changes: Partial<PlanInput> = {}): GroupPlan {
  return GroupPlan._make(input(changes));
}

describe('GroupPlan', () => {
  test("gives the plan's numbers in the types of cdk8s", () => {
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
    expect(numbers.ephemeralStorage.toGibibytes()).toBe(19);
    expect(numbers.startupBudget.toMinutes()).toBe(15);
    expect(numbers.stepTimeout.toSeconds()).toBe(60);
    expect(numbers.stallTimeout.toSeconds()).toBe(120);
    expect(numbers.kvCacheTokens).toBe(780_335);
    expect(numbers.maxConcurrency).toBeCloseTo(190.51, 2);
    expect(numbers.peakMemory.toGibibytes({ rounding: 2 })).toBeCloseTo(8.09, 2);
    expect(numbers.tokensPerSecond).toBeGreaterThan(10);
  });

  test('is the document that the command prints', () => {
    expect(plan().toJson()).toEqual(planGroup(input()));
  });

  test('names what was planned as the props are named', () => {
    expect([...plan().planned].sort()).toEqual([
      'cpu',
      'ephemeralStorage',
      'kvCacheMemory',
      'maxModelLen',
      'maxNumBatchedTokens',
      'memory',
      'sharedMemory',
      'stallTimeout',
      'startupBudget',
      'stepTimeout',
      'threads',
    ]);
  });

  test('a single pod leaves batched tokens to vLLM unless they are given', () => {
    expect(plan({ pipelineParallelSize: 1 }).maxNumBatchedTokens).toBeUndefined();
    expect(plan({ pipelineParallelSize: 1, maxNumBatchedTokens: 512 }).maxNumBatchedTokens).toBe(512);
  });

  test('the stall timeout is a minute above the step timeout, and never under 90 s', () => {
    expect(plan({ stepTimeout: 70 }).stallTimeout.toSeconds()).toBe(130);
    expect(plan({ stepTimeout: 30 }).stallTimeout.toSeconds()).toBe(90);
  });

  test('without numbers of the cache where nobody measured them', () => {
    const numbers = plan({ vllm: { version: '0.28.0', judgedAs: '0.28.0' } });
    expect([numbers.kvCacheTokens, numbers.maxConcurrency]).toEqual([undefined, undefined]);
  });

  test.each(['m7g.xlarge', 'm7i.48xlarge', 'r7g.16xlarge'])('%s can be planned', (name) => {
    expect(() => plan({ node: nodeOf(name) })).not.toThrow();
  });
});

const errors: ErrorCase[] = [
  [
    'maxModelLen over the context',
    () => plan({ maxModelLen: 32_769 }),
    'max-model-len is 32769',
    'gemma-3-1b',
    'at most 32768',
  ],
  ['maxModelLen 0', () => plan({ maxModelLen: 0 }), 'maxModelLen is 0', 'whole numbers from 1'],
  ['maxModelLen NaN', () => plan({ maxModelLen: Number.NaN }), 'maxModelLen is NaN'],
  ['no whole core', () => plan({ cpu: 900 }), 'cpu is 0.9', 'at least one whole core'],
  ['more cpu than the node', () => plan({ cpu: 9000 }), 'cpu is 9', 'm7g.2xlarge has 7.35', 'Insufficient cpu'],
  [
    'more memory than the node',
    () => plan({ memory: 33 * GIBI }),
    'memory is 33.0 GiB',
    'm7g.2xlarge has 27.2 GiB',
    'Insufficient memory',
  ],
  ['threads over the limit', () => plan({ threads: 7 }), 'threads is 7', 'CPU limit of 6', 'throttled', 'at most 5'],
  ['threads 0', () => plan({ threads: 0 }), 'threads is 0', 'from 1 to 1024'],
  [
    'KV cache and shared memory over the limit',
    () => plan({ memory: 20 * GIBI, kvCacheMemory: 17 * GIBI }),
    'kvCacheMemory (17.0 GiB) and sharedMemory (4.0 GiB)',
    'nothing of the memory limit of 20.0 GiB',
    'give smaller ones, raise memory, or take a larger node',
    'what fits: a KV cache of the planned size',
  ],
  [
    'the highest point over the limit',
    () => plan({ memory: 8 * GIBI, sharedMemory: GIBI, kvCacheMemory: 5 * GIBI }),
    'rank 0 needs 9.1 GiB, more than the memory limit of 8.0 GiB',
    'embedding and head 1.7 GiB',
    'OOMKilled',
    'a smaller KV cache',
  ],
  ['a KV cache of nothing', () => plan({ kvCacheMemory: 0 }), 'does not hold one request of 4,096 tokens'],
  ['shared memory', () => plan({ sharedMemory: 511 * MEBI }), 'sharedMemory is 511 MiB', 'take 512 MiB or more'],
  ['batched tokens 0', () => plan({ maxNumBatchedTokens: 0 }), 'maxNumBatchedTokens is 0', 'from 1 to 1048576'],
  ['budget', () => plan({ startupBudget: 59 }), 'startupBudget is 59 s', 'from 60 to 86400'],
  ['step timeout', () => plan({ stepTimeout: 29 }), 'stepTimeout is 29 s', 'from 30 to 86400'],
  ['stall timeout', () => plan({ stallTimeout: 172_800 }), 'stallTimeout is 172800 s', 'from 60 to 90000'],
  [
    'stall before step',
    () => plan({ stepTimeout: 200, stallTimeout: 200 }),
    'stepTimeout 200 s',
    'a stallTimeout above 200 s',
  ],
  ['layers', () => plan({ pipelineParallelSize: 3 }), '26 layers', 'pipelineParallelSize of 3', '[9, 9, 8]'],
  ['heads', () => plan({ tensorParallelSize: 3 }), '4 attention heads', 'tensorParallelSize of 3', 'it takes 1, 2, 4'],
  [
    'a node that is too small for any engine',
    () => plan({ node: nodeOf('c7g.large') }),
    'more than the memory limit of',
    'what fits: r7g.large (2 vCPU, 16 GiB)',
  ],
  [
    'weights that no rank can hold',
    () =>
      plan({
        model: shape('llama-3.2-1b'),
        node: customNode('n', { cpus: 4, memory: 6 * GIBI, architecture: 'amd64' }),
      }),
    'rank 1 needs',
    'layers 929 MiB',
  ],
];

describe('GroupPlan refuses', () => {
  test.each(errors)('%s', (_, cause, ...parts) => expectError(cause, ...parts));

  test('not one byte less than what fits', () => {
    const node = customNode('n', { cpus: 4, memory: 16 * GIBI, architecture: 'arm64' });
    const sizes = { node, memory: 10 * GIBI, sharedMemory: 4 * GIBI };
    expect(() => plan({ ...sizes, kvCacheMemory: 5 * GIBI })).not.toThrow();
    expect(() => plan({ ...sizes, kvCacheMemory: 6 * GIBI - 1 })).toThrow('memory limit of 10.0 GiB');
  });
});
