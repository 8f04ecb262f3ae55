import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { planGroup } from '../../src/fit/plan';
import { GIBI, MEBI } from '../../src/fit/units';
import { nodeOf } from '../../src/hardware/nodes';
import { input, shape } from './shapes';

const rows = readFileSync('test/fixtures/rank-memory.tsv', 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .slice(1)
  .map((line) => line.split('\t'));

describe('the highest point of a rank is what was measured, within 5 %', () => {
  test('all rows are there', () => expect(rows).toHaveLength(17));

  test.each(rows)('%s on %s, pp %s, %s batched tokens, rank %s: %s MiB', (name, release, pp, tokens, rank, peak) => {
    const { ranks } = planGroup(
      input({
        model: shape(name),
        node: nodeOf('m8a.4xlarge'),
        vllm: { version: release, judgedAs: release },
        pipelineParallelSize: Number(pp),
        maxModelLen: 2048,
        maxNumBatchedTokens: Number(tokens),
        kvCacheMemory: GIBI,
      }),
    );
    const planned = ranks[Number(rank)]!.memory.peak / MEBI;
    expect(Math.abs(planned / Number(peak) - 1)).toBeLessThanOrEqual(0.05);
  });
});

describe('what fills the memory', () => {
  const { ranks } = planGroup(input());
  test.each(ranks.map((rank) => [rank.rank, rank] as const))('adds up on rank %d', (_, { memory }) => {
    const { runtime, layers, embeddings, towers, kvCache, sampler, slack } = memory;
    const sum = runtime + layers + embeddings + towers + kvCache + sampler + slack;
    expect(Math.abs(sum - memory.peak)).toBeLessThan(8);
  });

  test('Gemma has its embedding three times on every stage; Llama has it on the outer stages alone', () => {
    const embedding = 262_144 * 1152 * 2;
    expect(planGroup(input({ pipelineParallelSize: 3 })).ranks.map(({ memory }) => memory.embeddings)).toEqual([
      3 * embedding,
      3 * embedding,
      3 * embedding,
    ]);
    const llama = 128_256 * 2048 * 2;
    const model = shape('llama-3.2-1b');
    expect(
      planGroup(input({ model, pipelineParallelSize: 4 })).ranks.map(({ memory }) => memory.embeddings / llama),
    ).toEqual([2, 0, 0, 3]);
    expect(planGroup(input({ model, pipelineParallelSize: 1 })).ranks[0]!.memory.embeddings / llama).toBe(3);
  });

  test("the sampler's warm-up counts where the cache is smaller, on the last stage", () => {
    const small = planGroup(input({ kvCacheMemory: GIBI, maxNumBatchedTokens: 4096 }));
    // 24 bytes × 256 sequences × 262,144 words are 1.5 GiB
    expect(small.ranks.map(({ memory }) => memory.sampler / MEBI)).toEqual([0, 512]);
    expect(planGroup(input({ kvCacheMemory: 2 * GIBI })).ranks.map(({ memory }) => memory.sampler)).toEqual([0, 0]);
  });
});
