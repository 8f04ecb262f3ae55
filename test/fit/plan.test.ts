import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planCommandLine } from '../../src/fit/command-line';
import { planGroup } from '../../src/fit/plan';
import { type PlanInput, without as leave } from '../../src/fit/plan-input';
import { GIBI, MEBI } from '../../src/fit/units';
import { customNode, nodeOf } from '../../src/hardware/nodes';
import { instanceTypes } from '../../src/hardware/nodes';
import { input, shape } from './shapes';

function ids(findings: readonly { id: string }[]): string[] {
  return findings.map(({ id }) => id);
}

describe('planned sizes', () => {
  test("are the article's on its nodes", () => {
    expect(planGroup(input()).settings).toMatchObject({
      cpuMillis: 6000,
      threads: 5,
      memoryBytes: 20 * GIBI,
      sharedMemoryBytes: 4 * GIBI,
      kvCacheMemoryBytes: 4 * GIBI,
      maxModelLen: 4096,
      maxNumBatchedTokens: 256,
      maxNumSeqs: 256,
      startupBudgetSeconds: 900,
      stepTimeoutSeconds: 60,
      stallTimeoutSeconds: 120,
    });
  });

  test('are marked, and what is given is kept', () => {
    const given = {
      dtype: 'bfloat16',
      cpu: 4000,
      threads: 2,
      memory: 12 * GIBI,
      sharedMemory: GIBI,
      kvCacheMemory: 2 * GIBI,
      ephemeralStorage: 20 * GIBI,
      maxModelLen: 1000,
      maxNumBatchedTokens: 300,
      startupBudget: 1200,
      stepTimeout: 90,
      stallTimeout: 200,
    } satisfies Partial<PlanInput>;
    const { settings } = planGroup(input(given));
    expect(settings.planned).toEqual([]);
    expect(settings).toMatchObject({
      cpuMillis: 4000,
      threads: 2,
      memoryBytes: 12 * GIBI,
      sharedMemoryBytes: GIBI,
      kvCacheMemoryBytes: 2 * GIBI,
      ephemeralStorageBytes: 20 * GIBI,
      maxModelLen: 1000,
      maxNumBatchedTokens: 300,
      startupBudgetSeconds: 1200,
      stepTimeoutSeconds: 90,
      stallTimeoutSeconds: 200,
    });
    expect(planGroup(input()).settings.planned).toHaveLength(Object.keys(given).length);
  });

  test('a single pod leaves batched tokens to vLLM', () => {
    const { settings } = planGroup(input({ pipelineParallelSize: 1 }));
    expect(settings.maxNumBatchedTokens).toBe(2048);
    expect(settings.planned).not.toContain('maxNumBatchedTokens');
  });

  test('the cache shrinks to what the node leaves, and the memory limit grows to what the model needs', () => {
    const model = shape('llama-3.2-1b');
    // 4.9 GiB are free on 8; the model takes 5.2 without its cache.
    const tight = planGroup(input({ model, node: nodeOf('c7g.xlarge'), pipelineParallelSize: 1 }));
    expect(tight).toMatchObject({ fits: false, settings: { memoryBytes: 4.75 * GIBI } });
    const larger = planGroup(input({ model, node: nodeOf('m7g.xlarge'), pipelineParallelSize: 1 }));
    expect(larger).toMatchObject({ fits: true, settings: { memoryBytes: 10 * GIBI, kvCacheMemoryBytes: 2 * GIBI } });
  });
});

describe('a command line', () => {
  // vLLM's default of batched tokens doubles with the stages, and with it what sliding layers keep.
  const bytes = 60_555_264;
  test('with a cache of a given size is taken as it stands, with its own number of batched tokens', () => {
    const plan = planCommandLine(input({ kvCacheMemory: bytes - 1 }));
    expect(ids(plan.problems)).toEqual(['fit/kv-cache-too-small']);
    expect(plan.problems[0]!.what).toContain('60,555,263 bytes');
    expect(plan.nearest.map(({ flags }) => flags.join(' '))).toContain('--max-num-batched-tokens=512');
    expect(planCommandLine(input({ kvCacheMemory: bytes - 1, maxNumBatchedTokens: 256 })).fits).toBe(true);
  });

  test('that is enough to the byte fits, and is told what the number of batched tokens does', () => {
    const plan = planCommandLine(input({ kvCacheMemory: bytes }));
    expect(plan).toMatchObject({ fits: true, settings: { maxNumBatchedTokens: 4096, maxNumSeqs: 256 } });
    expect(ids(plan.warnings)).toContain('fit/batched-tokens-default');
    expect(plan.settings.planned).not.toContain('maxNumBatchedTokens');
  });

  test('without one is planned as a group would be', () => {
    expect(planCommandLine(input())).toEqual(planGroup(input()));
  });
});

describe('what is refused', () => {
  test.each<[string, Partial<PlanInput>, string, string]>([
    ['a block size', { blockSize: 48 }, 'fit/block-size', 'takes multiples of 32'],
    ['fewer batched tokens than sequences', { maxNumSeqs: 300 }, 'fit/batched-tokens-below-seqs', 'is 256, less than'],
    ['heads', { tensorParallelSize: 3 }, 'fit/heads-not-divisible', 'the 4 attention heads'],
    ['a partition', { layerPartition: [13, 12] }, 'fit/layers-not-divisible', 'layerPartition is [13, 12]'],
    ['more stages than layers', { pipelineParallelSize: 27 }, 'fit/layers-not-divisible', 'has 26 layers'],
    ['a length', { maxModelLen: 32_769 }, 'fit/context-too-long', 'max-model-len is 32769'],
    ['float16', { dtype: 'float16' }, 'fit/dtype-refused', 'dtype is float16'],
    ['a cache in fp8 on Arm', { kvCacheDtype: 'fp8' }, 'fit/kv-cache-dtype', 'Graviton3 has no AVX-512'],
    ['too few nodes', { nodes: 1 }, 'fit/nodes-not-enough', 'there are 1 nodes, and the pods need 2'],
    ['memory', { memory: 4 * GIBI }, 'fit/memory-below-need', 'rank 1 needs 5.2 GiB'],
    ['a cache', { kvCacheMemory: MEBI }, 'fit/kv-cache-too-small', 'does not hold one request of 4,096 tokens'],
    ['cpu', { cpu: 7500 }, 'fit/cpu-over-node', 'cpu is 7.5; m7g.2xlarge has 7.35'],
    ['part of a core', { cpu: 900 }, 'fit/cpu-too-small', 'cpu is 0.9'],
    ['threads', { threads: 7 }, 'fit/threads-over-cpu', 'threads is 7, more than the CPU limit of 6'],
    ['shared memory', { sharedMemory: 511 * MEBI }, 'fit/shared-memory-too-small', 'sharedMemory is 511 MiB'],
    [
      'shared memory and cache',
      { memory: 20 * GIBI, kvCacheMemory: 17 * GIBI },
      'fit/shared-memory-over-limit',
      'kvCacheMemory (17.0 GiB)',
    ],
    ['disk', { ephemeralStorage: 2 * GIBI }, 'fit/disk-too-small', 'ephemeralStorage is 2.0 GiB'],
  ])('%s', (_, changes, id, words) => {
    const plan = planGroup(input(changes));
    expect(plan.fits).toBe(false);
    expect(plan.problems.find((problem) => problem.id === id)?.what).toContain(words);
    for (const problem of plan.problems) {
      expect(problem.why).not.toBe('');
      expect(problem.fix).not.toBe('');
    }
  });

  test('a block size that vLLM changes by itself is taken as vLLM takes it, with a word', () => {
    const model = shape('tiny-gemma');
    const plan = planGroup(
      input({ model, pipelineParallelSize: 1, maxModelLen: 2048, kvCacheMemory: GIBI, blockSize: 16 }),
    );
    expect(plan).toMatchObject({ fits: true, kvCache: { tokens: 517_216, blocks: 131_072 } });
    expect(plan.warnings.find(({ id }) => id === 'fit/block-size-changed')?.what).toBe(
      'block-size is 16; vLLM takes 32',
    );
  });

  test('what fits nearby is said, and does fit', () => {
    const plan = planGroup(input({ memory: 4 * GIBI }));
    expect(plan.nearest.map(({ change }) => change)).toContain('the planned memory');
  });
});

describe('releases whose cache formula nobody measured', () => {
  test.each(['0.20.2', '0.21.0', '0.27.1', '0.30.0'])('%s gets no cache numbers but a clear word', (version) => {
    const plan = planGroup(input({ vllm: { version, judgedAs: version } }));
    expect(plan).toMatchObject({ fits: true, kvCache: null, vllm: { kvCacheFormula: 'withheld' } });
    expect(plan.batchedTokens.map(({ concurrency }) => concurrency).every((n) => n === null)).toBe(true);
    const word = plan.warnings.find(({ id }) => id === 'fit/kv-formula-withheld')!;
    expect(word.what).toContain(`no cache numbers for vLLM ${version}: nobody measured`);
  });

  test('0.20.0 counts in its own way: fewer tokens in flight, no block kept back, tokens shared out among groups', () => {
    // Eight layers, two full: 32,768 blocks of 128 tokens in 8 groups, as its log said.
    const model = shape('tiny-gemma');
    const at = (version: string): Partial<PlanInput> => ({
      model,
      pipelineParallelSize: 1,
      maxModelLen: 2048,
      kvCacheMemory: GIBI,
      vllm: { version, judgedAs: version },
    });
    expect(planGroup(input(at('0.20.0'))).kvCache).toMatchObject({ tokens: 524_288, blocks: 32_768 });
    expect(planGroup(input(at('0.32.0'))).kvCache).toMatchObject({ tokens: 497_102, blocks: 32_768 });
    const smallest = (version: string): number => planGroup(input(at(version))).kvCache!.minimumBytes;
    expect(smallest('0.32.0') / smallest('0.20.0')).toBeCloseTo(136 / 135, 10);
  });

  test('0.31.0, 0.32.0 and what is taken for them get numbers', () => {
    for (const vllm of ['0.31.0', '0.32.0', '0.34.0'].map((version) => ({
      version,
      judgedAs: version === '0.34.0' ? '0.32.0' : version,
    }))) {
      expect(planGroup(input({ vllm })).kvCache).not.toBeNull();
    }
  });
});

describe('properties', () => {
  const shapes = ['gemma-3-1b', 'llama-3.2-1b', 'qwen3-0.6b', 'tiny-gemma'].map(shape);
  const anyInput = fc.record({
    model: fc.constantFrom(...shapes),
    node: fc.constantFrom(...instanceTypes().filter((name) => /^[cmr]7[gi]\./.test(name))).map(nodeOf),
    vllm: fc.constantFrom('0.27.1', '0.31.0', '0.32.0').map((version) => ({ version, judgedAs: version })),
    pipelineParallelSize: fc.integer({ min: 1, max: 9 }),
    tensorParallelSize: fc.constantFrom(1, 2, 4),
    maxModelLen: fc.option(fc.integer({ min: 1, max: 8192 }), { nil: undefined }),
    maxNumBatchedTokens: fc.option(fc.integer({ min: 1, max: 8192 }), { nil: undefined }),
    kvCacheMemory: fc.option(fc.integer({ min: 1, max: 64 * GIBI }), { nil: undefined }),
    hybridKvCacheManager: fc.boolean(),
  });

  test('the layers of the ranks are those of the model, and numbers are numbers', () => {
    fc.assert(
      fc.property(anyInput, (given) => {
        const plan = planGroup(given);
        const layers = plan.ranks.reduce((sum, rank) => sum + rank.layers, 0);
        expect(layers).toBe(plan.ranks.length === 0 ? 0 : given.model.layers * given.tensorParallelSize);
        expect(JSON.stringify(plan)).not.toMatch(/NaN|Infinity/);
        const unfinished: string[] = [];
        JSON.stringify(plan, (key, value: unknown) => {
          if (typeof value === 'number' && !Number.isFinite(value)) unfinished.push(key);
          return value;
        });
        expect(unfinished).toEqual([]);
        expect(plan.fits).toBe(plan.problems.length === 0);
      }),
      { numRuns: 200 },
    );
  });

  test('more memory never fits less', () => {
    const withMemory = fc.tuple(anyInput, fc.integer({ min: 1, max: 128 }), fc.integer({ min: 0, max: 128 }));
    fc.assert(
      fc.property(withMemory, ([given, gibibytes, more]) => {
        const node = (memory: number): PlanInput['node'] =>
          customNode('n', { cpus: 16, memory: memory * GIBI, architecture: 'arm64' });
        const small = planGroup({ ...given, node: node(gibibytes) });
        const large = planGroup({ ...given, node: node(gibibytes + more) });
        expect(!small.fits || large.fits).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('a larger limit never fits less, as far as the node goes', () => {
    fc.assert(
      fc.property(anyInput, fc.integer({ min: 1, max: 28 }), fc.integer({ min: 0, max: 28 }), (given, limit, more) => {
        const node = nodeOf('m7g.8xlarge');
        const fits = (memory: number): boolean => planGroup({ ...given, node, memory: memory * GIBI }).fits;
        expect(!fits(limit) || fits(limit + more)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test('the smallest cache that is named is enough to the byte, and the largest fits the limit', () => {
    fc.assert(
      fc.property(anyInput, (given) => {
        const plan = planGroup({
          ...given,
          node: nodeOf('r7g.16xlarge'),
          vllm: { version: '0.32.0', judgedAs: '0.32.0' },
        });
        fc.pre(plan.kvCache !== null && plan.fits);
        const at = (kvCacheMemory: number): string[] =>
          ids(
            planGroup({
              ...given,
              node: nodeOf('r7g.16xlarge'),
              vllm: { version: '0.32.0', judgedAs: '0.32.0' },
              kvCacheMemory,
            }).problems,
          );
        expect(at(plan.kvCache.minimumBytes)).not.toContain('fit/kv-cache-too-small');
        expect(at(plan.kvCache.minimumBytes - 1)).toContain('fit/kv-cache-too-small');
        expect(at(plan.kvCache.largestBytes)).not.toContain('fit/memory-below-need');
        const longest = plan.kvCache.longestModelLen;
        const length = (maxModelLen: number): string[] =>
          ids(
            planGroup({
              ...given,
              node: nodeOf('r7g.16xlarge'),
              vllm: { version: '0.32.0', judgedAs: '0.32.0' },
              kvCacheMemory: plan.settings.kvCacheMemoryBytes,
              maxNumBatchedTokens: plan.settings.maxNumBatchedTokens,
              maxModelLen,
            }).problems,
          );
        expect(length(longest)).not.toContain('fit/kv-cache-too-small');
      }),
      { numRuns: 100 },
    );
  });

  test('scaling: cache with its bytes, bytes on the wire with the width, time with batched tokens', () => {
    const cache = (kvCacheMemory: number): number => planGroup(input({ kvCacheMemory })).kvCache!.blocks;
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 16 }), (n) => {
        expect(cache(n * GIBI)).toBe(n * cache(GIBI));
        const tokens = (count: number): number =>
          planGroup(input({ maxNumBatchedTokens: count })).speed.fullBatchSeconds;
        expect(tokens(256 * n)).toBeCloseTo(n * tokens(256), 6);
      }),
      { numRuns: 16 },
    );
  });

  test('more stages never put more on the fullest rank', () => {
    fc.assert(
      fc.property(fc.constantFrom(...shapes), fc.integer({ min: 1, max: 7 }), (model, stages) => {
        const fullest = (pipelineParallelSize: number): number =>
          Math.max(
            ...planGroup(input({ model, pipelineParallelSize, kvCacheMemory: 4 * GIBI })).ranks.map(
              ({ memory }) => memory.peak,
            ),
          );
        expect(fullest(stages + 1)).toBeLessThanOrEqual(fullest(stages));
      }),
    );
  });

  test('every configuration that is called near does fit', () => {
    const flag = (flags: readonly string[], name: string): string | undefined =>
      flags.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
    fc.assert(
      fc.property(anyInput, (given) => {
        const plan = planGroup(given);
        fc.pre(!plan.fits);
        for (const { flags, without } of plan.nearest) {
          const number = (name: string): number | undefined =>
            flag(flags, name) === undefined ? undefined : Number(flag(flags, name));
          const changed: PlanInput = {
            ...given,
            ...(flag(flags, '--node') !== undefined && { node: nodeOf(flag(flags, '--node')!) }),
            pipelineParallelSize: number('-pp') ?? given.pipelineParallelSize,
            tensorParallelSize: number('-tp') ?? given.tensorParallelSize,
            maxModelLen: number('--max-model-len') ?? given.maxModelLen,
            maxNumBatchedTokens: number('--max-num-batched-tokens') ?? given.maxNumBatchedTokens,
            ...(number('--max-num-seqs') !== undefined && { maxNumSeqs: number('--max-num-seqs') }),
          };
          const left: (keyof PlanInput)[] = [
            ...(without.includes('--kv-cache-memory-bytes') ? ['kvCacheMemory' as const] : []),
            ...(without.includes('--max-num-batched-tokens') ? ['maxNumBatchedTokens' as const] : []),
          ];
          expect(ids(planGroup(leave(changed, ...left)).problems)).toEqual([]);
        }
      }),
      { numRuns: 60 },
    );
  });
});
