import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultPartition, headsProblem, splitLayers, stagesOf } from '../../src/fit/split';
import { readConfig } from '../../src/model/config';
import type { ModelShape } from '../../src/model/shape';
import { expectError } from '../common/errors';

function model(layers: number, attentionHeads = 32, keyValueHeads = 8): ModelShape {
  return readConfig('acme/any', {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    num_hidden_layers: layers,
    hidden_size: 64,
    intermediate_size: 128,
    num_attention_heads: attentionHeads,
    num_key_value_heads: keyValueHeads,
    head_dim: 64,
    vocab_size: 512,
    max_position_embeddings: 4096,
  });
}

describe('defaultPartition is the rule of vLLM', () => {
  // A remainder goes, one layer each, to the stages from the last but one backwards.
  test.each([
    [26, 1, [26]],
    [26, 2, [13, 13]],
    [27, 2, [14, 13]],
    [62, 3, [21, 21, 20]],
    [28, 3, [9, 10, 9]],
    [26, 4, [6, 7, 7, 6]],
    [7, 4, [2, 2, 2, 1]],
    [28, 5, [5, 6, 6, 6, 5]],
    [61, 8, [7, 7, 8, 8, 8, 8, 8, 7]],
  ])('%d layers over %d stages', (layers, stages, expected) => {
    expect(defaultPartition(layers, stages)).toEqual(expected);
  });

  test('any split sums up, is even to a layer, and gives the last stage none of the remainder', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), fc.nat(200), (stages, more) => {
        const layers = stages + more;
        const split = defaultPartition(layers, stages);
        const rest = layers % stages;
        expect(split).toHaveLength(stages);
        expect(split.reduce((a, b) => a + b)).toBe(layers);
        expect(split).toEqual(
          split.map((_, i) => Math.floor(layers / stages) + (i < stages - 1 && i >= stages - 1 - rest ? 1 : 0)),
        );
        expect(stagesOf(split).map(({ first, last }) => last - first + 1)).toEqual(split);
        expect(stagesOf(split).at(-1)!.last).toBe(layers - 1);
      }),
    );
  });
});

describe('splitLayers', () => {
  test('divides what can be divided', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: 15 }), (stages, each) => {
        expect(splitLayers(model(stages * each), stages)).toEqual(new Array(stages).fill(each));
      }),
    );
  });

  test('takes any partition of whole stages, and copies it', () => {
    const parts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 16 });
    fc.assert(
      fc.property(parts, (partition) => {
        const layers = partition.reduce((a, b) => a + b);
        const split = splitLayers(model(layers), partition.length, partition);
        expect(split).toEqual(partition);
        expect(split).not.toBe(partition);
      }),
    );
  });

  test('what does not divide is refused with the partition that vLLM would take', () => {
    expectError(
      () => splitLayers(model(26), 4),
      'the 26 layers of acme/any do not divide by a pipelineParallelSize of 4',
      'layerPartition: [6, 7, 7, 6]',
    );
  });

  test('a stage needs a layer', () => {
    expectError(() => splitLayers(model(3), 4), 'pipelineParallelSize is 4', 'acme/any has 3 layers', 'at least one');
  });

  test.each([[[13]], [[13, 12]], [[26, 0]], [[13.5, 12.5]], [[13, 7, 6]], [[]]])(
    'refuses partition %j',
    (partition) => {
      expectError(
        () => splitLayers(model(26), 2, partition),
        `layerPartition is [${partition.join(', ')}]`,
        '2 whole numbers of 1 or more',
        'add up to the 26 layers of acme/any',
      );
    },
  );
});

describe('headsProblem', () => {
  test.each([1, 2, 4, 8, 16, 32])('32 and 8 heads can be shared by %d ranks', (size) => {
    expect(headsProblem(model(2), size)).toBeUndefined();
  });

  test('attention heads have to divide', () => {
    expect(headsProblem(model(2), 3)).toEqual({
      what: 'the 32 attention heads of acme/any do not divide by a tensorParallelSize of 3',
      why: 'each rank computes a whole number of heads',
      fix: 'it takes 1, 2, 4, 8, 16, 32',
    });
  });

  test.each([
    [24, 8, 12],
    [12, 4, 6],
  ])('%d heads with %d for keys and values cannot be shared by %d ranks', (heads, keyValueHeads, size) => {
    expect(headsProblem(model(2, heads, keyValueHeads), size)).toMatchObject({
      what: `the ${keyValueHeads} key and value heads of acme/any cannot be shared by a tensorParallelSize of ${size}`,
      why: 'neither number divides the other',
    });
  });

  test('a model whose layers keep a state alone has no heads that could not be shared', () => {
    const mamba = readConfig('acme/mamba', {
      architectures: ['MambaForCausalLM'],
      model_type: 'mamba',
      hidden_size: 768,
      num_hidden_layers: 24,
      vocab_size: 50_280,
      state_size: 16,
      intermediate_size: 1536,
      conv_kernel: 4,
      time_step_rank: 48,
    });
    expect(headsProblem(mamba, 2)).toBeUndefined();
  });
});
