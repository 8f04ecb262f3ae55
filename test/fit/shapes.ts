import { nodeOf } from '../../src/hardware/nodes';
import { readConfig } from '../../src/model/config';
import type { ModelShape } from '../../src/model/shape';
import type { PlanInput } from '../../src/fit/plan-input';

/** Shapes that were measured, as their config.json has them. */
const CONFIGS: Readonly<Record<string, Record<string, unknown>>> = {
  'gemma-3-1b': {
    architectures: ['Gemma3ForCausalLM'],
    model_type: 'gemma3_text',
    num_hidden_layers: 26,
    hidden_size: 1152,
    intermediate_size: 6912,
    num_attention_heads: 4,
    num_key_value_heads: 1,
    head_dim: 256,
    vocab_size: 262_144,
    max_position_embeddings: 32_768,
    sliding_window: 512,
    sliding_window_pattern: 6,
    torch_dtype: 'bfloat16',
  },
  'llama-3.2-1b': {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    num_hidden_layers: 16,
    hidden_size: 2048,
    intermediate_size: 8192,
    num_attention_heads: 32,
    num_key_value_heads: 8,
    head_dim: 64,
    vocab_size: 128_256,
    max_position_embeddings: 131_072,
    tie_word_embeddings: true,
    torch_dtype: 'bfloat16',
  },
  'qwen3-0.6b': {
    architectures: ['Qwen3ForCausalLM'],
    model_type: 'qwen3',
    num_hidden_layers: 28,
    hidden_size: 1024,
    intermediate_size: 3072,
    num_attention_heads: 16,
    num_key_value_heads: 8,
    head_dim: 128,
    vocab_size: 151_936,
    max_position_embeddings: 40_960,
    tie_word_embeddings: true,
    torch_dtype: 'bfloat16',
  },
  'tiny-gemma': {
    architectures: ['Gemma3ForCausalLM'],
    model_type: 'gemma3_text',
    num_hidden_layers: 8,
    hidden_size: 256,
    intermediate_size: 512,
    num_attention_heads: 4,
    num_key_value_heads: 1,
    head_dim: 64,
    vocab_size: 262,
    max_position_embeddings: 8192,
    sliding_window: 512,
    sliding_window_pattern: 6,
    torch_dtype: 'bfloat16',
  },
};

/** A measured shape by name. */
export function shape(name: string): ModelShape {
  return readConfig(name, CONFIGS[name]);
}

export const RELEASE = { version: '0.32.0', judgedAs: '0.32.0' };

/** The reference: Gemma 3 1B on two m7g.2xlarge, changed as wanted. */
export function input(changes: Partial<PlanInput> = {}): PlanInput {
  return {
    model: shape('gemma-3-1b'),
    node: nodeOf('m7g.2xlarge'),
    vllm: RELEASE,
    pipelineParallelSize: 2,
    tensorParallelSize: 1,
    ...changes,
  };
}
