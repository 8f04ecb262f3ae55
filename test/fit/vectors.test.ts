import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { planCommandLine } from '../../src/fit/command-line';
import { concurrencyText } from '../../src/fit/kv-cache';
import { nodeOf } from '../../src/hardware/nodes';
import { readConfig } from '../../src/model/config';

/** What the real vLLM logged, one configuration a row. */
const [header, ...lines] = readFileSync('test/fixtures/kv-vectors.tsv', 'utf8').trimEnd().split('\n');
const names = header!.split('\t');
const rows = lines.map((line) => {
  const cells = line.split('\t');
  return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']));
});

const CLASSES: Readonly<Record<string, [architecture: string, modelType: string]>> = {
  gemma3: ['Gemma3ForCausalLM', 'gemma3_text'],
  llama: ['LlamaForCausalLM', 'llama'],
  qwen2: ['Qwen2ForCausalLM', 'qwen2'],
  qwen3: ['Qwen3ForCausalLM', 'qwen3'],
};

function config(row: Record<string, string>): Record<string, unknown> {
  const [architecture, modelType] = CLASSES[row.arch!]!;
  return {
    architectures: [architecture],
    model_type: modelType,
    num_hidden_layers: Number(row.layers),
    hidden_size: 256,
    intermediate_size: 512,
    num_attention_heads: Number(row.kv_heads) * 4,
    num_key_value_heads: Number(row.kv_heads),
    head_dim: Number(row.head_dim),
    vocab_size: 320,
    max_position_embeddings: 131_072,
    torch_dtype: row.dtype,
    ...(row.arch === 'gemma3' && { sliding_window: Number(row.window), sliding_window_pattern: Number(row.pattern) }),
  };
}

describe("every measured configuration, from its config.json to the plan's numbers", () => {
  test('all rows are there', () => expect(rows).toHaveLength(69));

  test.each(rows.map((row) => [row.name!, row] as const))('%s', (name, row) => {
    const plan = planCommandLine({
      model: readConfig(name, config(row)),
      // The one measured: AVX-512, for the caches in fp8.
      node: nodeOf('m8a.4xlarge'),
      vllm: { version: row.vllm!, judgedAs: row.vllm! },
      pipelineParallelSize: Number(row.pp),
      tensorParallelSize: Number(row.tp),
      ...(row.partition !== '-' && { layerPartition: row.partition!.split(',').map(Number) }),
      dtype: row.dtype as 'bfloat16',
      kvCacheDtype: row.kv_dtype,
      blockSize: Number(row.block),
      maxModelLen: Number(row.max_model_len),
      // Not logged where vLLM refused: it had its default.
      ...(row.max_num_batched_tokens !== '' && { maxNumBatchedTokens: Number(row.max_num_batched_tokens) }),
      hybridKvCacheManager: row.hybrid === 'on',
      kvCacheMemory: Number(row.kv_bytes_per_rank),
    });
    if (row.logged_tokens === '') {
      const expected = /No common block size/.test(row.error_or_note!) ? 'fit/block-size' : 'fit/kv-cache-too-small';
      expect(plan.problems.map(({ id }) => id)).toEqual([expected]);
      return;
    }
    expect(plan.problems).toEqual([]);
    expect(plan.kvCache).toMatchObject({ tokens: Number(row.logged_tokens), blocks: Number(row.num_blocks) });
    expect(Number(concurrencyText(plan.kvCache!.concurrency))).toBe(Number(row.logged_concurrency));
  });
});
