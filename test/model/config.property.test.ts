import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasHidden } from '../../src/common/printable';
import { readConfig } from '../../src/model/config';
import { FAMILIES } from '../../src/model/families';
import { expectSane } from './sane';

/** Reads anything: a sane shape, or an error that a person can read, and soon. */
function expectShapeOrMessage(config: unknown): void {
  const start = performance.now();
  try {
    expectSane(readConfig('a/b', config));
  } catch (error) {
    expect((error as Error).constructor).toBe(Error);
    expect((error as Error).message).toMatch(/^(config\.json|weights) of a\/b/);
    expect((error as Error).message.length).toBeLessThan(600);
    expect(hasHidden((error as Error).message)).toBe(false);
  }
  expect(performance.now() - start).toBeLessThan(2000);
}

const sizes = fc.oneof(
  fc.integer({ min: 0, max: 64 }),
  fc.constantFrom(1, 2, 4, 8, 128, 512, 4096, 10_000, 100_000, 1e6, 1e9, -1, 0.5, 1e300, NaN, Infinity),
);
const anything = fc.oneof(
  { weight: 6, arbitrary: sizes },
  { weight: 1, arbitrary: fc.constantFrom(null, true, false, '', '4', 'full_attention', 'a\n\u202e', [], {}) },
  { weight: 1, arbitrary: fc.array(sizes, { maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc.array(fc.constantFrom('full_attention', 'sliding_attention', 'mamba', 'linear_attention', 'x'), {
      maxLength: 12,
    }),
  },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const types = fc.constantFrom(...Object.keys(FAMILIES), 'gemma3', 'llama4', 'qwen2_5_vl', 'mistral3', 'gemma4', 'nova');

/** Fields that decide something, by what they hold. */
const FIELDS = (
  'hidden_size intermediate_size num_hidden_layers num_attention_heads num_key_value_heads head_dim vocab_size n_layer ' +
  'max_position_embeddings sliding_window sliding_window_pattern layer_types tie_word_embeddings use_sliding_window ' +
  'max_window_layers num_local_experts num_experts num_experts_per_tok moe_intermediate_size first_k_dense_replace ' +
  'decoder_sparse_step mlp_only_layers n_routed_experts n_shared_experts kv_lora_rank q_lora_rank qk_rope_head_dim ' +
  'qk_nope_head_dim v_head_dim num_kv_shared_layers hidden_size_per_layer_input global_head_dim attention_k_eq_v ' +
  'num_global_key_value_heads rope_scaling quantization_config torch_dtype architectures attention_chunk_size ' +
  'no_rope_layers vision_config audio_config text_config num_nextn_predict_layers mamba_n_heads mamba_d_state ' +
  'full_attention_interval multi_query attention_bias moe_layer_freq word_embed_proj_dim index_n_heads index_head_dim ' +
  'block_ff_dim img_processor thinker_config adapter_rank num_mem_blocks hybrid_layer_ids mtp_num_hidden_layers ' +
  'hybrid_override_pattern attn_layer_period attn_layer_offset block_multiple_of block_ffn_dim_multiplier n_inner'
).split(' ');
const fields = fc.dictionary(fc.constantFrom(...FIELDS), anything, { maxKeys: 12 });

/** A file that is whole, before anything is broken in it. */
const whole = {
  hidden_size: 64,
  intermediate_size: 128,
  num_hidden_layers: 8,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 16,
  vocab_size: 100,
  max_position_embeddings: 1024,
  torch_dtype: 'bfloat16',
};

describe('readConfig of anything', () => {
  test('any JSON', () => {
    fc.assert(fc.property(fc.jsonValue(), expectShapeOrMessage), { numRuns: 500 });
  });

  test('any fields of a model', () => {
    fc.assert(
      fc.property(types, fields, (model_type, given) =>
        expectShapeOrMessage({ model_type, architectures: ['LlamaForCausalLM'], ...given }),
      ),
      { numRuns: 1000 },
    );
  });

  test('a whole model of any type with anything in some fields', () => {
    fc.assert(
      fc.property(types, fields, (model_type, given) => {
        expectShapeOrMessage({ architectures: ['LlamaForCausalLM'], model_type, ...whole, ...given });
        expectShapeOrMessage({
          architectures: ['LlamaForCausalLM'],
          model_type,
          text_config: { ...whole, ...given },
          vision_config: given,
        });
      }),
      { numRuns: 1000 },
    );
  });

  test('any quantization', () => {
    const quantizations = fc.dictionary(
      fc.constantFrom(
        'quant_method',
        'bits',
        'group_size',
        'weight_block_size',
        'config_groups',
        'quantization',
        'nbits',
      ),
      fc.oneof(
        fc.constantFrom('awq', 'gptq', 'fp8', 'compressed-tensors', 'modelopt', 'bitsandbytes', 'mxfp4', 'x'),
        anything,
        fc.dictionary(fc.string(), fc.dictionary(fc.constantFrom('weights', 'x'), fc.jsonValue())),
      ),
    );
    fc.assert(
      fc.property(quantizations, (quantization_config) =>
        expectShapeOrMessage({ architectures: ['A'], model_type: 'llama', ...whole, quantization_config }),
      ),
      { numRuns: 300 },
    );
  });
});
