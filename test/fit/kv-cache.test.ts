import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  concurrencyText,
  kvCacheCapacity,
  kvCacheLayout,
  longestModelLen,
  type KvCacheInput,
} from '../../src/fit/kv-cache';
import { defaultPartition } from '../../src/fit/split';
import type { KeyValueShape, LayerKind, ModelShape } from '../../src/model/shape';

type Row = Readonly<Record<string, string>>;

/** Rows of a table of tab-separated values; lines that begin with # are remarks. */
function rowsOf(name: string): Row[] {
  const text = readFileSync(join(__dirname, '..', 'fixtures', name), 'utf8');
  const [header = [], ...rows] = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'));
  return rows.map((cells) => Object.fromEntries(header.map((column, i) => [column, cells[i] ?? ''])));
}

type Shape = Partial<ModelShape> & { readonly layerKinds: readonly LayerKind[]; readonly keyValue: KeyValueShape };

/** A model of which only the keys and values matter. */
function shape(known: Shape): ModelShape {
  return {
    name: 'model',
    architecture: 'ModelForCausalLM',
    modelType: 'model',
    layers: known.layerKinds.length,
    hiddenSize: 256,
    attentionHeads: 4,
    vocabularySize: 262,
    tiedEmbeddings: true,
    contextLength: 8192,
    activeParameters: 0,
    sharedKeyValueLayers: 0,
    multimodal: false,
    weights: { name: 'bfloat16', bits: 16, quantized: 'none', otherBits: 16 },
    parameters: { total: 0, embedding: 0, head: 0, layers: [], towers: 0, other: 0 },
    weightsBytes: 0,
    gated: false,
    provenance: { verified: false, notes: [] },
    ...known,
  };
}

const letters: Readonly<Record<string, LayerKind>> = { f: 'full', s: 'sliding', c: 'chunked' };

/** Kinds of layers from letters with their counts: s5f1 stands for five sliding layers and a full one. */
function kindsOf(runs: string): LayerKind[] {
  return [...runs.matchAll(/([a-z])(\d+)/g)].flatMap(([, letter, count]) =>
    new Array<LayerKind>(Number(count)).fill(letters[letter!]!),
  );
}

const bytesOf: Readonly<Record<string, number>> = { bfloat16: 2, float16: 2, float32: 4, fp8: 1, fp8_e5m2: 1 };

/** What a row of kv-vectors.tsv or kv-vectors-more.tsv says about model and engine. */
function inputOf(row: Row): KvCacheInput {
  const number = (column: string): number => Number(row[column]);
  const [layers, pipeline, tensor, length] = [number('layers'), number('pp'), number('tp'), number('max_model_len')];
  const pattern = row.pattern!;
  const every = pattern === '-' ? 1 : Number(pattern);
  const optional = (column: string): number | undefined => ((row[column] ?? '-') === '-' ? undefined : number(column));
  // Where the engine did not come as far as to say, it used its default.
  const batched =
    number('max_num_batched_tokens') || Math.min(2048 * pipeline * tensor, 128 * pipeline * tensor * length);
  return {
    model: shape({
      layerKinds: Number.isNaN(every)
        ? kindsOf(pattern)
        : Array.from({ length: layers }, (_, i) => ((i + 1) % every === 0 ? 'full' : 'sliding')),
      keyValue: { heads: number('kv_heads'), headSize: number('head_dim') },
      slidingKeyValue: {
        heads: optional('sliding_kv_heads') ?? number('kv_heads'),
        headSize: optional('sliding_head_dim') ?? number('head_dim'),
      },
      latentSize: optional('latent'),
      sharedKeyValueLayers: optional('shared_layers') ?? 0,
      window: optional('window'),
    }),
    partition: row.partition === '-' ? defaultPartition(layers, pipeline) : row.partition!.split(',').map(Number),
    tensorParallelSize: tensor,
    blockSize: number('block'),
    bytesPerNumber: bytesOf[row.kv_dtype === 'auto' ? row.dtype! : row.kv_dtype!]!,
    maxModelLen: length,
    inFlightTokens: pipeline * batched,
    hybrid: row.hybrid === 'on',
  };
}

describe.each(['kv-vectors.tsv', 'kv-vectors-more.tsv'])('%s: what vLLM logged', (file) => {
  test.each(rowsOf(file).map((row) => [row.name, row] as const))('%s', (_name, row) => {
    const input = inputOf(row);
    const bytes = Number(row.kv_bytes_per_rank);
    const layout = kvCacheLayout(input);
    const capacity = kvCacheCapacity(layout, input.maxModelLen, bytes);
    const starts = input.model.latentSize !== undefined || layout.blockSizes.every((size) => size % 32 === 0);
    expect(capacity.fits && starts).toBe(row.logged_tokens !== '');
    if (row.match === 'yes') {
      expect([layout.groups, layout.blocksPerRequest]).toEqual([Number(row.groups), Number(row.blocks_per_request)]);
      expect(Math.max(...layout.minimumBytes)).toBe(Number(row.min_kv_bytes));
    }
    if (row.logged_tokens !== '') {
      expect([capacity.blocks, capacity.tokens]).toEqual([Number(row.num_blocks), Number(row.logged_tokens)]);
      expect(Number(concurrencyText(capacity.concurrency))).toBe(Number(row.logged_concurrency));
    }
    const estimate = /estimated maximum model length is (\d+)/.exec(row.error_or_note!)?.[1];
    const longest = longestModelLen(input, bytes, input.maxModelLen);
    expect(longest === input.maxModelLen).toBe(capacity.fits);
    expect(longest).toBe(estimate === undefined ? longest : Number(estimate));
  });
});

test('the predictions in kv-vectors.tsv are off only where a block is no multiple of 32 tokens', () => {
  const rows = rowsOf('kv-vectors.tsv');
  expect(rows.filter((row) => row.match !== 'yes')).toEqual(rows.filter((row) => Number(row.block) % 32 !== 0));
});

/** What a row of kv-vectors-code-*.tsv gave to the code of vLLM. */
function codeInputOf(row: Row): KvCacheInput {
  const number = (column: string): number => Number(row[column]);
  return {
    model: shape({
      layerKinds: kindsOf(row.kinds!),
      keyValue: { heads: number('heads'), headSize: number('head_size') },
      slidingKeyValue: { heads: number('sliding_heads'), headSize: number('sliding_head_size') },
      latentSize: number('latent') || undefined,
      window: number('window'),
      sharedKeyValueLayers: number('shared'),
    }),
    partition: row.partition!.split(',').map(Number),
    tensorParallelSize: number('tp'),
    blockSize: number('block'),
    bytesPerNumber: number('bytes_per_number'),
    maxModelLen: number('length'),
    inFlightTokens: number('in_flight'),
    hybrid: row.hybrid === 'on',
  };
}

describe.each(['0.31.0', '0.32.0'])('kv-vectors-code-%s.tsv: what the code of vLLM answers', (version) => {
  const rows = rowsOf(`kv-vectors-code-${version}.tsv`);

  test.each(rows.map((row, i) => [i + 1, row.kinds, row] as const))('case %d: %s', (_number, _kinds, row) => {
    const input = codeInputOf(row);
    const bytes = Number(row.kv_bytes);
    const layout = kvCacheLayout(input);
    const capacity = kvCacheCapacity(layout, input.maxModelLen, bytes);
    expect([layout.groups, layout.blocksPerRequest]).toEqual([Number(row.groups), Number(row.blocks_per_request)]);
    expect(layout.bytesPerBlock.join()).toBe(row.bytes_per_block);
    expect(new Set(layout.blockSizes)).toEqual(new Set(row.block_sizes!.split(',').map(Number)));
    expect(longestModelLen(input, bytes, input.maxModelLen)).toBe(Number(row.longest));
    expect(capacity.fits).toBe(row.blocks !== '');
    if (capacity.fits) {
      expect([capacity.blocks, capacity.tokens]).toEqual([Number(row.blocks), Number(row.tokens)]);
      expect(concurrencyText(capacity.concurrency)).toBe(row.concurrency);
    }
  });
});

test.each([
  [1.125, '1.12'],
  [1.375, '1.38'],
  [1.625, '1.62'],
  [1.875, '1.88'],
  [256, '256.00'],
])('a concurrency of %d is logged as %s', (concurrency, text) => {
  expect(concurrencyText(concurrency)).toBe(text);
});
