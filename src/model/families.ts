/**
 * How the layers of one kind of model (`model_type`) are built, as far as it decides parameters and keys and values. A
 * text in place of a switch names the field of config.json that is the switch. What is left out is as in Llama.
 */
export interface Family {
  /** Another family that has all the rest. */
  readonly like?: string;
  /** What the class puts where config.json is silent, in the words of config.json. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** Whether the output head is the embedding when config.json is silent. */
  readonly tied?: boolean;

  /** Every n-th layer keeps all tokens, those between have a window. */
  readonly fullEvery?: number;
  /** Whether the window counts only with `use_sliding_window`, and only from layer `max_window_layers` on. */
  readonly windowFlag?: boolean;
  /** Tokens that vLLM adds to the window. */
  readonly windowPlus?: number;

  /** Norms of a layer. */
  readonly norms?: number;
  /** Numbers of a norm for each of the hidden size: 1 a scale, 2 with a bias, 0 none. */
  readonly normSize?: 0 | 1 | 2;
  /** Norm of queries and keys: one for all heads, one for each head, or one over all heads together. */
  readonly qkNorm?: 'head' | 'all';
  /** Field that switches that norm. */
  readonly qkNormIf?: string;
  /** Bias of the query, key and value projections. */
  readonly qkvBias?: boolean | string;
  /** Bias of the output projection of attention. */
  readonly outBias?: boolean | string;
  /** Bias of the feed-forward matrices. */
  readonly mlpBias?: boolean | string;
  /** Bias of the output head. */
  readonly headBias?: boolean;
  /** Two matrices in the feed-forward instead of three. */
  readonly plainMlp?: boolean;
  /** Whether each query head has a second half that gates its output. */
  readonly queryGate?: boolean;
  /** Whether shared experts have a gate of their own. */
  readonly sharedGate?: boolean;
  /** Bias of the router, or a correction of its scores that is stored. */
  readonly routerBias?: boolean;
  /** Biases of the experts. */
  readonly expertBias?: boolean;
  /** What stands outside of layers. */
  readonly outside?: 'positions' | 'opt' | 'embedding-norm';
  /** Parts that only this kind of model has, counted by name in parameters.ts. */
  readonly special?: 'gemma3n' | 'gemma4' | 'llama4' | 'gpt-oss' | 'falcon' | 'stablelm' | 'mpt' | 'apertus';
  /** Kind of the layers that keep a state instead of tokens. */
  readonly state?: 'delta' | 'mamba1' | 'mamba2' | 'conv';
}

const LLAMA_BIASES = { qkvBias: 'attention_bias', outBias: 'attention_bias', mlpBias: 'mlp_bias' } as const;
const LAYER_NORM = { normSize: 2 } as const;

/** Class defaults as transformers has them; only fields that decide something here. */
export const FAMILIES: Readonly<Record<string, Family>> = {
  llama: { ...LLAMA_BIASES, defaults: { max_position_embeddings: 2048 } },
  mistral: { defaults: { num_key_value_heads: 8, max_position_embeddings: 131_072, sliding_window: 4096 } },
  ministral: { like: 'mistral' },
  ministral3: { defaults: { num_key_value_heads: 8, head_dim: 128, max_position_embeddings: 262_144 } },
  mixtral: {
    defaults: {
      num_key_value_heads: 8,
      max_position_embeddings: 131_072,
      num_local_experts: 8,
      num_experts_per_tok: 2,
    },
  },

  qwen2: { qkvBias: true, windowFlag: true, defaults: { max_position_embeddings: 32_768, max_window_layers: 28 } },
  qwen2_vl: { like: 'qwen2', defaults: { max_position_embeddings: 32_768, max_window_layers: 80 } },
  qwen2_moe: {
    like: 'qwen2',
    qkvBias: 'qkv_bias',
    sharedGate: true,
    defaults: {
      max_position_embeddings: 32_768,
      qkv_bias: true,
      num_experts: 60,
      num_experts_per_tok: 4,
      moe_intermediate_size: 1408,
      shared_expert_intermediate_size: 5632,
      decoder_sparse_step: 1,
      max_window_layers: 28,
    },
  },
  qwen3: {
    qkvBias: 'attention_bias',
    outBias: 'attention_bias',
    qkNorm: 'head',
    windowFlag: true,
    defaults: { head_dim: 128, max_position_embeddings: 32_768, max_window_layers: 28 },
  },
  qwen3_vl: {
    like: 'qwen3',
    defaults: { head_dim: 128, max_position_embeddings: 128_000, num_key_value_heads: 32 },
  },
  qwen3_moe: {
    like: 'qwen3',
    defaults: {
      max_position_embeddings: 32_768,
      num_key_value_heads: 4,
      num_experts: 128,
      num_experts_per_tok: 8,
      moe_intermediate_size: 768,
      decoder_sparse_step: 1,
      max_window_layers: 28,
    },
  },
  qwen3_vl_moe: {
    like: 'qwen3_moe',
    defaults: {
      head_dim: 128,
      max_position_embeddings: 128_000,
      num_key_value_heads: 16,
      num_experts: 60,
      num_experts_per_tok: 4,
      moe_intermediate_size: 1408,
      decoder_sparse_step: 1,
    },
  },
  qwen3_next: {
    qkvBias: 'attention_bias',
    outBias: 'attention_bias',
    qkNorm: 'head',
    queryGate: true,
    sharedGate: true,
    state: 'delta',
    defaults: {
      head_dim: 256,
      num_key_value_heads: 2,
      max_position_embeddings: 32_768,
      full_attention_interval: 4,
      linear_num_key_heads: 16,
      linear_num_value_heads: 32,
      linear_key_head_dim: 128,
      linear_value_head_dim: 128,
      linear_conv_kernel_dim: 4,
      decoder_sparse_step: 1,
      num_experts: 512,
      num_experts_per_tok: 10,
      moe_intermediate_size: 512,
      shared_expert_intermediate_size: 512,
    },
  },
  qwen3_5: {
    like: 'qwen3_next',
    defaults: {
      head_dim: 256,
      num_key_value_heads: 4,
      max_position_embeddings: 32_768,
      full_attention_interval: 4,
      linear_num_key_heads: 16,
      linear_num_value_heads: 32,
      linear_key_head_dim: 128,
      linear_value_head_dim: 128,
      linear_conv_kernel_dim: 4,
    },
  },
  qwen3_5_moe: {
    like: 'qwen3_next',
    defaults: {
      head_dim: 256,
      num_key_value_heads: 2,
      max_position_embeddings: 32_768,
      full_attention_interval: 4,
      linear_num_key_heads: 16,
      linear_num_value_heads: 32,
      linear_key_head_dim: 128,
      linear_value_head_dim: 128,
      linear_conv_kernel_dim: 4,
      num_experts: 256,
      num_experts_per_tok: 8,
      moe_intermediate_size: 512,
      shared_expert_intermediate_size: 512,
    },
  },

  gemma: {
    qkvBias: 'attention_bias',
    outBias: 'attention_bias',
    tied: true,
    defaults: { head_dim: 256, max_position_embeddings: 8192 },
  },
  gemma2: {
    like: 'gemma',
    norms: 4,
    fullEvery: 2,
    defaults: {
      vocab_size: 256_000,
      hidden_size: 2304,
      intermediate_size: 9216,
      num_hidden_layers: 26,
      num_attention_heads: 8,
      num_key_value_heads: 4,
      head_dim: 256,
      max_position_embeddings: 8192,
      sliding_window: 4096,
    },
  },
  gemma3_text: {
    like: 'gemma2',
    qkNorm: 'head',
    fullEvery: 6,
    defaults: {
      vocab_size: 262_208,
      hidden_size: 2304,
      intermediate_size: 9216,
      num_hidden_layers: 26,
      num_attention_heads: 8,
      num_key_value_heads: 4,
      head_dim: 256,
      max_position_embeddings: 131_072,
      sliding_window: 4096,
    },
  },
  gemma3n_text: {
    like: 'gemma3_text',
    fullEvery: 5,
    special: 'gemma3n',
    defaults: {
      vocab_size: 262_400,
      vocab_size_per_layer_input: 262_144,
      hidden_size: 2048,
      hidden_size_per_layer_input: 256,
      intermediate_size: 16_384,
      num_hidden_layers: 35,
      num_attention_heads: 8,
      num_key_value_heads: 2,
      head_dim: 256,
      max_position_embeddings: 32_768,
      sliding_window: 512,
      num_kv_shared_layers: 15,
      altup_num_inputs: 4,
      laurel_rank: 64,
    },
  },
  gemma4_text: {
    like: 'gemma3_text',
    special: 'gemma4',
    defaults: {
      vocab_size: 262_144,
      vocab_size_per_layer_input: 262_144,
      hidden_size: 2304,
      hidden_size_per_layer_input: 256,
      intermediate_size: 9216,
      num_hidden_layers: 30,
      num_attention_heads: 8,
      num_key_value_heads: 4,
      head_dim: 256,
      global_head_dim: 512,
      max_position_embeddings: 131_072,
      sliding_window: 512,
      num_kv_shared_layers: 0,
    },
  },
  gemma4_unified_text: {
    like: 'gemma4_text',
    defaults: {
      vocab_size: 262_144,
      hidden_size: 2304,
      intermediate_size: 9216,
      num_hidden_layers: 30,
      num_attention_heads: 8,
      num_key_value_heads: 4,
      head_dim: 256,
      global_head_dim: 512,
      max_position_embeddings: 262_144,
      sliding_window: 1024,
      num_kv_shared_layers: 0,
    },
  },

  phi: {
    ...LAYER_NORM,
    norms: 1,
    qkvBias: true,
    outBias: true,
    mlpBias: true,
    headBias: true,
    plainMlp: true,
    defaults: { max_position_embeddings: 2048 },
  },
  phi3: { defaults: { max_position_embeddings: 4096 } },
  phimoe: {
    ...LAYER_NORM,
    qkvBias: 'attention_bias',
    outBias: 'attention_bias',
    headBias: true,
    defaults: {
      num_key_value_heads: 8,
      max_position_embeddings: 131_072,
      num_local_experts: 16,
      num_experts_per_tok: 2,
    },
  },

  gpt_oss: {
    qkvBias: 'attention_bias',
    outBias: 'attention_bias',
    fullEvery: 2,
    routerBias: true,
    expertBias: true,
    special: 'gpt-oss',
    defaults: {
      attention_bias: true,
      head_dim: 64,
      num_key_value_heads: 8,
      max_position_embeddings: 131_072,
      sliding_window: 128,
      num_local_experts: 128,
      num_experts_per_tok: 4,
    },
  },
  llama4_text: {
    like: 'llama',
    special: 'llama4',
    mlpBias: false,
    defaults: {
      head_dim: 128,
      num_key_value_heads: 8,
      max_position_embeddings: 131_072,
      attention_chunk_size: 8192,
      num_local_experts: 16,
      num_experts_per_tok: 1,
      intermediate_size: 8192,
      intermediate_size_mlp: 16_384,
      interleave_moe_layer_step: 1,
      no_rope_layer_interval: 4,
    },
  },

  deepseek_v2: {
    like: 'llama',
    defaults: {
      max_position_embeddings: 2048,
      n_routed_experts: 64,
      n_shared_experts: 2,
      moe_intermediate_size: 1407,
      first_k_dense_replace: 0,
      kv_lora_rank: 512,
      q_lora_rank: 1536,
      qk_rope_head_dim: 64,
      qk_nope_head_dim: 128,
      v_head_dim: 128,
    },
  },
  deepseek_v3: {
    like: 'llama',
    routerBias: true,
    defaults: {
      max_position_embeddings: 4096,
      n_routed_experts: 256,
      n_shared_experts: 1,
      num_experts_per_tok: 8,
      moe_intermediate_size: 2048,
      first_k_dense_replace: 3,
      kv_lora_rank: 512,
      q_lora_rank: 1536,
      qk_rope_head_dim: 64,
      qk_nope_head_dim: 128,
      v_head_dim: 128,
    },
  },
  deepseek_v32: { like: 'deepseek_v3' },
  kimi_k2: { like: 'deepseek_v3' },
  glm_moe_dsa: { like: 'deepseek_v3' },
  glm4_moe_lite: {
    like: 'deepseek_v3',
    defaults: {
      max_position_embeddings: 202_752,
      n_routed_experts: 64,
      n_shared_experts: 1,
      num_experts_per_tok: 4,
      moe_intermediate_size: 1536,
      first_k_dense_replace: 1,
      kv_lora_rank: 512,
      q_lora_rank: 768,
      qk_rope_head_dim: 64,
      qk_nope_head_dim: 192,
      v_head_dim: 256,
    },
  },
  mistral4: { like: 'deepseek_v3' },
  minicpm: { like: 'llama', tied: true },
  minicpm3: {
    like: 'llama',
    defaults: {
      kv_lora_rank: 256,
      q_lora_rank: 768,
      qk_nope_head_dim: 64,
      qk_rope_head_dim: 32,
      max_position_embeddings: 32_768,
    },
  },

  glm: { qkvBias: 'attention_bias', defaults: { head_dim: 128, num_key_value_heads: 2, attention_bias: true } },
  glm4: { like: 'glm', norms: 4 },
  glm4_moe: {
    routerBias: true,
    qkvBias: 'attention_bias',
    qkNorm: 'head',
    qkNormIf: 'use_qk_norm',
    defaults: {
      num_key_value_heads: 8,
      max_position_embeddings: 131_072,
      n_routed_experts: 128,
      n_shared_experts: 1,
      num_experts_per_tok: 8,
      moe_intermediate_size: 1408,
      first_k_dense_replace: 1,
    },
  },
  chatglm: { qkvBias: 'add_qkv_bias', outBias: 'add_bias_linear', mlpBias: 'add_bias_linear' },

  granite: { like: 'llama' },
  granitemoe: {
    qkvBias: 'attention_bias',
    outBias: 'attention_bias',
    defaults: { num_local_experts: 8, num_experts_per_tok: 2, max_position_embeddings: 2048 },
  },
  granitemoeshared: { like: 'granitemoe' },
  granitemoehybrid: {
    like: 'granitemoe',
    state: 'mamba2',
    defaults: {
      num_local_experts: 8,
      num_experts_per_tok: 2,
      max_position_embeddings: 2048,
      shared_intermediate_size: 1024,
      mamba_n_heads: 128,
      mamba_n_groups: 1,
      mamba_d_state: 256,
      mamba_d_conv: 4,
      mamba_expand: 2,
      mamba_conv_bias: true,
    },
  },
  bamba: {
    like: 'llama',
    state: 'mamba2',
    defaults: {
      num_key_value_heads: 8,
      max_position_embeddings: 262_144,
      mamba_n_heads: 128,
      mamba_n_groups: 1,
      mamba_d_state: 256,
      mamba_d_conv: 4,
      mamba_expand: 2,
      mamba_conv_bias: true,
    },
  },
  falcon_h1: {
    like: 'llama',
    state: 'mamba2',
    defaults: {
      num_key_value_heads: 8,
      max_position_embeddings: 8192,
      mamba_n_heads: 128,
      mamba_n_groups: 1,
      mamba_d_state: 256,
      mamba_d_conv: 4,
      mamba_expand: 2,
      mamba_conv_bias: true,
    },
  },
  jamba: {
    state: 'mamba1',
    defaults: {
      num_key_value_heads: 8,
      max_position_embeddings: 262_144,
      num_experts: 16,
      num_experts_per_tok: 2,
      expert_layer_period: 2,
      expert_layer_offset: 1,
      attn_layer_period: 8,
      attn_layer_offset: 4,
      mamba_d_state: 16,
      mamba_d_conv: 4,
      mamba_expand: 2,
      mamba_conv_bias: true,
    },
  },
  nemotron_h: {
    norms: 1,
    plainMlp: true,
    mlpBias: 'mlp_bias',
    state: 'mamba2',
    defaults: {
      num_key_value_heads: 8,
      head_dim: 128,
      max_position_embeddings: 4096,
      n_groups: 8,
      ssm_state_size: 128,
      mamba_num_heads: 128,
      mamba_head_dim: 64,
      conv_kernel: 4,
      expand: 2,
      use_conv_bias: true,
    },
  },
  lfm2: {
    tied: true,
    qkNorm: 'head',
    state: 'conv',
    defaults: {
      num_key_value_heads: 8,
      max_position_embeddings: 128_000,
      conv_L_cache: 3,
      block_auto_adjust_ff_dim: true,
      block_ffn_dim_multiplier: 1,
      block_multiple_of: 256,
    },
  },
  mamba: { norms: 1, tied: true, state: 'mamba1' },
  falcon_mamba: { like: 'mamba' },
  mamba2: { norms: 1, state: 'mamba2' },

  olmo: { like: 'llama', normSize: 0, mlpBias: false },
  olmo2: { qkvBias: 'attention_bias', outBias: 'attention_bias', qkNorm: 'all' },
  olmo3: { like: 'olmo2', fullEvery: 4, defaults: { sliding_window: 4096, max_position_embeddings: 2048 } },
  olmoe: {
    like: 'olmo2',
    defaults: { max_position_embeddings: 4096, num_experts: 64, num_experts_per_tok: 8 },
  },
  flex_olmo: { like: 'olmoe' },
  cohere: {
    norms: 1,
    tied: true,
    qkvBias: 'attention_bias',
    outBias: 'attention_bias',
    qkNorm: 'all',
    qkNormIf: 'use_qk_norm',
    defaults: { max_position_embeddings: 8192 },
  },
  cohere2: {
    norms: 1,
    tied: true,
    qkvBias: 'attention_bias',
    outBias: 'attention_bias',
    fullEvery: 4,
    windowPlus: 1,
    defaults: { max_position_embeddings: 8192, sliding_window: 4096 },
  },
  stablelm: {
    ...LAYER_NORM,
    qkvBias: 'use_qkv_bias',
    special: 'stablelm',
    defaults: { max_position_embeddings: 4096 },
  },
  smollm3: {
    like: 'llama',
    tied: true,
    windowFlag: true,
    defaults: { num_key_value_heads: 4, max_position_embeddings: 32_768, max_window_layers: 28 },
  },
  dbrx: { defaults: { max_seq_len: 2048 } },
  exaone: { defaults: { max_position_embeddings: 2048 } },
  exaone4: { qkNorm: 'head', fullEvery: 4, defaults: { sliding_window: 4096, max_position_embeddings: 2048 } },
  nemotron: {
    ...LAYER_NORM,
    ...LLAMA_BIASES,
    plainMlp: true,
    defaults: { max_position_embeddings: 4096 },
  },
  internlm2: { qkvBias: 'bias', outBias: 'bias' },
  internlm3: { qkvBias: 'qkv_bias', outBias: 'bias', mlpBias: 'bias' },
  ernie4_5: {
    tied: true,
    qkvBias: 'use_bias',
    outBias: 'use_bias',
    mlpBias: 'use_bias',
    defaults: { head_dim: 128, num_key_value_heads: 2, max_position_embeddings: 131_072 },
  },
  seed_oss: {
    qkvBias: 'attention_bias',
    outBias: 'attention_out_bias',
    mlpBias: 'mlp_bias',
    defaults: { attention_bias: true, head_dim: 128, num_key_value_heads: 8, max_position_embeddings: 524_288 },
  },
  hunyuan_v1_dense: { like: 'llama', mlpBias: false, qkNorm: 'head' },
  apertus: { qkvBias: 'attention_bias', outBias: 'attention_bias', qkNorm: 'head', plainMlp: true, special: 'apertus' },
  arcee: { ...LLAMA_BIASES, plainMlp: true, defaults: { max_position_embeddings: 4096 } },
  minimax_m2: {
    qkNorm: 'all',
    routerBias: true,
    defaults: { num_key_value_heads: 8, head_dim: 128, num_local_experts: 256, num_experts_per_tok: 8 },
  },

  gpt_neox: {
    ...LAYER_NORM,
    qkvBias: 'attention_bias',
    outBias: 'attention_bias',
    mlpBias: true,
    plainMlp: true,
    defaults: { attention_bias: true, max_position_embeddings: 2048 },
  },
  gpt2: {
    ...LAYER_NORM,
    tied: true,
    qkvBias: true,
    outBias: true,
    mlpBias: true,
    plainMlp: true,
    outside: 'positions',
    defaults: { vocab_size: 50_257, n_positions: 1024, n_embd: 768, n_layer: 12, n_head: 12 },
  },
  gpt_bigcode: { like: 'gpt2', defaults: { vocab_size: 50_257, n_positions: 1024, multi_query: true } },
  gptj: {
    ...LAYER_NORM,
    norms: 1,
    mlpBias: true,
    headBias: true,
    plainMlp: true,
    defaults: { n_positions: 2048 },
  },
  falcon: {
    ...LAYER_NORM,
    tied: true,
    qkvBias: 'bias',
    outBias: 'bias',
    mlpBias: 'bias',
    plainMlp: true,
    special: 'falcon',
    defaults: { max_position_embeddings: 2048, multi_query: true, parallel_attn: true },
  },
  opt: {
    ...LAYER_NORM,
    tied: true,
    qkvBias: true,
    outBias: true,
    mlpBias: true,
    plainMlp: true,
    outside: 'opt',
    defaults: { max_position_embeddings: 2048 },
  },
  bloom: {
    ...LAYER_NORM,
    tied: true,
    qkvBias: true,
    outBias: true,
    mlpBias: true,
    plainMlp: true,
    outside: 'embedding-norm',
    defaults: { seq_length: 2048 },
  },
  mpt: { tied: true, plainMlp: true, special: 'mpt', defaults: { max_seq_len: 2048 } },
  starcoder2: {
    ...LAYER_NORM,
    tied: true,
    qkvBias: 'use_bias',
    outBias: 'use_bias',
    mlpBias: 'use_bias',
    plainMlp: true,
    defaults: { use_bias: true, num_key_value_heads: 2, max_position_embeddings: 4096 },
  },
};

/** Names of the same thing. */
const ALIASES: Readonly<Record<string, string>> = {
  gemma3: 'gemma3_text',
  gemma3n: 'gemma3n_text',
  gemma4: 'gemma4_text',
  gemma4_unified: 'gemma4_unified_text',
  llama4: 'llama4_text',
  qwen2_vl_text: 'qwen2_vl',
  qwen2_5_vl: 'qwen2_vl',
  qwen2_5_vl_text: 'qwen2_vl',
  qwen3_vl_text: 'qwen3_vl',
  qwen3_vl_moe_text: 'qwen3_vl_moe',
  qwen3_5_text: 'qwen3_5',
  qwen3_5_moe_text: 'qwen3_5_moe',
  mistral3: 'mistral',
  pixtral: 'mistral',
  llava: 'llama',
  llava_next: 'llama',
  internvl: 'qwen2',
  internvl_chat: 'qwen2',
  RefinedWeb: 'falcon',
  RefinedWebModel: 'falcon',
  phi4mm: 'phi3',
  phi4_multimodal: 'phi3',
  aya_vision: 'cohere2',
  cohere2_vision: 'cohere2',
  deepseek_vl_v2: 'deepseek_v2',
};

/** All of a family, what it inherits included; `undefined` when the kind of model is not known. */
export function familyOf(modelType: string): Family | undefined {
  const key = Object.hasOwn(ALIASES, modelType) ? ALIASES[modelType]! : modelType;
  const own = Object.hasOwn(FAMILIES, key) ? FAMILIES[key] : undefined;
  if (own?.like === undefined) return own;
  const { like, ...rest } = own;
  return { ...familyOf(like), ...rest };
}
