import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { concurrencyText } from '../../src/fit/kv-cache';
import { plan, planned, rowsOf } from './plan-runner';

type Row = Readonly<Record<string, string>>;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plan-vectors-'));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The config.json of the small models that the rows were measured with. */
function configOf(row: Row): object {
  const number = (column: string): number => Number(row[column]);
  const common = {
    vocab_size: 262,
    hidden_size: 256,
    intermediate_size: 512,
    num_hidden_layers: number('layers'),
    num_attention_heads: Math.max(4, number('kv_heads')),
    num_key_value_heads: number('kv_heads'),
    head_dim: number('head_dim'),
    max_position_embeddings: Math.max(8192, number('max_model_len')),
    torch_dtype: 'bfloat16',
  };
  if (row.arch !== 'gemma3') {
    const architecture = { llama: 'LlamaForCausalLM', qwen2: 'Qwen2ForCausalLM', qwen3: 'Qwen3ForCausalLM' }[row.arch!];
    return { ...common, architectures: [architecture], model_type: row.arch, use_sliding_window: false };
  }
  const pattern = number('pattern');
  return {
    ...common,
    architectures: ['Gemma3ForCausalLM'],
    model_type: 'gemma3_text',
    sliding_window: number('window'),
    layer_types: Array.from({ length: number('layers') }, (_, i) =>
      (i + 1) % pattern === 0 ? 'full_attention' : 'sliding_attention',
    ),
    sliding_window_pattern: pattern,
    tie_word_embeddings: true,
  };
}

function commandOf(row: Row): string {
  const file = join(folder, `${row.name}.json`);
  writeFileSync(file, JSON.stringify(configOf(row)));
  return [
    `--config ${file} --node m7i.4xlarge --vllm ${row.vllm} -pp ${row.pp} -tp ${row.tp}`,
    `--dtype ${row.dtype} --kv-cache-dtype ${row.kv_dtype} --block-size ${row.block}`,
    `--max-model-len ${row.max_model_len} --kv-cache-memory-bytes ${row.kv_bytes_per_rank}`,
    // Where the engine did not come as far as to say, it used its own number.
    row.max_num_batched_tokens === '' ? '' : `--max-num-batched-tokens ${row.max_num_batched_tokens}`,
    row.partition === '-' ? '' : `--layer-partition ${row.partition}`,
    row.hybrid === 'off' ? '--disable-hybrid-kv-cache-manager' : '',
    ...(/seqs(\d+)/.test(row.name!) ? [`--max-num-seqs ${/seqs(\d+)/.exec(row.name!)![1]}`] : []),
  ].join(' ');
}

const rows = rowsOf('kv-vectors.tsv');
const started = rows.filter((row) => row.num_blocks !== '');
const refused = rows.filter((row) => row.num_blocks === '');

describe('the command line against what vLLM logged', () => {
  test('there is something to compare with', () => {
    expect(started.length).toBeGreaterThan(50);
    expect(refused.map(({ name }) => name)).toContain('g3-1b-pp2-bytes60555263');
  });

  test.each(started)('$name', async (row) => {
    const { kvCache, fits, problems } = await planned(commandOf(row));
    expect([fits, problems]).toEqual([true, []]);
    expect({
      tokens: kvCache!.tokens,
      blocks: kvCache!.blocks,
      concurrency: Number(concurrencyText(kvCache!.concurrency)),
    }).toEqual({
      tokens: Number(row.logged_tokens),
      blocks: Number(row.num_blocks),
      concurrency: Number(row.logged_concurrency),
    });
  });

  test.each(refused)('$name is refused', async (row) => {
    expect(await plan(commandOf(row))).toMatchObject({ code: 1, error: '' });
  });
});
