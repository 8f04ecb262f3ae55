import { classDefaults } from './class-defaults';

/**
 * How the layers of one kind of model (`model_type`) are built, as far as it decides parameters and keys and values. A
 * text in place of a switch names the field of config.json that is the switch. What is left out is as in Llama.
 */
export interface Family {
  /** Another family that has all the rest. */
  readonly like?: string;
  /** What the class puts where config.json is silent, as far as class-defaults.ts does not have it. */
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
  readonly headBias?: boolean | string;
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
  readonly special?: 'gemma3n' | 'gemma4' | 'llama4' | 'gpt-oss' | 'falcon' | 'stablelm' | 'mpt' | 'apertus' | 'zamba2';
  /** Whether a layer that drafts tokens has an embedding and a head of its own in the files. */
  readonly wholeDrafts?: boolean;
  /** Kind of the layers that keep a state instead of tokens. */
  readonly state?: 'delta' | 'mamba1' | 'mamba2' | 'conv';
}

const LLAMA_BIASES = { qkvBias: 'attention_bias', outBias: 'attention_bias', mlpBias: 'mlp_bias' } as const;
const LAYER_NORM = { normSize: 2 } as const;

/** Kinds of models by their `model_type`. */
export const FAMILIES: Readonly<Record<string, Family>> = {
  llama: LLAMA_BIASES,
  mistral: {},
  ministral: { like: 'mistral' },
  ministral3: {},
  mixtral: {},

  qwen2: { qkvBias: true, windowFlag: true },
  qwen2_vl: { like: 'qwen2' },
  qwen2_moe: { like: 'qwen2', qkvBias: 'qkv_bias', sharedGate: true },
  qwen3: { qkvBias: 'attention_bias', outBias: 'attention_bias', qkNorm: 'head', windowFlag: true },
  qwen3_vl: { like: 'qwen3' },
  qwen3_moe: { like: 'qwen3', defaults: { max_window_layers: 28 } },
  qwen3_vl_moe: { like: 'qwen3_moe', defaults: { head_dim: 128 } },
  qwen3_next: {
    qkvBias: 'attention_bias',
    outBias: 'attention_bias',
    qkNorm: 'head',
    queryGate: true,
    sharedGate: true,
    state: 'delta',
    defaults: { full_attention_interval: 4 },
  },
  qwen3_5: { like: 'qwen3_next', defaults: { full_attention_interval: 4 } },
  qwen3_5_moe: { like: 'qwen3_next', defaults: { full_attention_interval: 4 } },

  gemma: { qkvBias: 'attention_bias', outBias: 'attention_bias', tied: true },
  gemma2: { like: 'gemma', norms: 4, fullEvery: 2 },
  gemma3_text: { like: 'gemma2', qkNorm: 'head', fullEvery: 6 },
  gemma3n_text: { like: 'gemma3_text', fullEvery: 5, special: 'gemma3n' },
  gemma4_text: { like: 'gemma3_text', special: 'gemma4', defaults: { global_head_dim: 512 } },
  gemma4_unified_text: { like: 'gemma4_text', defaults: { global_head_dim: 512 } },

  phi: {
    ...LAYER_NORM,
    norms: 1,
    qkvBias: true,
    outBias: true,
    mlpBias: true,
    headBias: true,
    plainMlp: true,
  },
  phi3: {},
  phimoe: { ...LAYER_NORM, qkvBias: 'attention_bias', outBias: 'attention_bias', headBias: 'lm_head_bias' },

  gpt_oss: {
    qkvBias: 'attention_bias',
    outBias: 'attention_bias',
    fullEvery: 2,
    routerBias: true,
    expertBias: true,
    special: 'gpt-oss',
  },
  llama4_text: { like: 'llama', special: 'llama4', mlpBias: false },

  deepseek_v2: { like: 'llama' },
  deepseek_v3: { like: 'llama', routerBias: true, wholeDrafts: true },
  deepseek_v32: { like: 'deepseek_v3' },
  kimi_k2: { like: 'deepseek_v3' },
  glm_moe_dsa: { like: 'deepseek_v3' },
  glm4_moe_lite: { like: 'deepseek_v3', defaults: { first_k_dense_replace: 1 } },
  mistral4: { like: 'deepseek_v3' },
  minicpm: { like: 'llama', tied: true },
  minicpm3: { like: 'llama', tied: true },

  glm: { qkvBias: 'attention_bias' },
  glm4: { like: 'glm', norms: 4 },
  glm4_moe: {
    routerBias: true,
    wholeDrafts: true,
    qkvBias: 'attention_bias',
    qkNorm: 'head',
    qkNormIf: 'use_qk_norm',
  },
  chatglm: { qkvBias: 'add_qkv_bias', outBias: 'add_bias_linear', mlpBias: 'add_bias_linear' },

  granite: { like: 'llama' },
  granitemoe: { qkvBias: 'attention_bias', outBias: 'attention_bias' },
  granitemoeshared: { like: 'granitemoe' },
  granitemoehybrid: { like: 'granitemoe', state: 'mamba2' },
  bamba: { like: 'llama', state: 'mamba2' },
  falcon_h1: { like: 'llama', state: 'mamba2' },
  jamba: { state: 'mamba1' },
  nemotron_h: { norms: 1, plainMlp: true, mlpBias: 'mlp_bias', state: 'mamba2' },
  zamba2: { norms: 1, tied: true, state: 'mamba2', special: 'zamba2' },
  lfm2: { tied: true, qkNorm: 'head', state: 'conv' },
  mamba: { norms: 1, tied: true, state: 'mamba1' },
  falcon_mamba: { like: 'mamba' },
  mamba2: { norms: 1, state: 'mamba2' },

  olmo: { like: 'llama', normSize: 0, mlpBias: false },
  olmo2: { qkvBias: 'attention_bias', outBias: 'attention_bias', qkNorm: 'all' },
  olmo3: { like: 'olmo2', fullEvery: 4 },
  olmoe: { like: 'olmo2' },
  flex_olmo: { like: 'olmoe' },
  cohere: {
    norms: 1,
    tied: true,
    qkvBias: 'attention_bias',
    outBias: 'attention_bias',
    qkNorm: 'all',
    qkNormIf: 'use_qk_norm',
  },
  cohere2: {
    norms: 1,
    tied: true,
    qkvBias: 'attention_bias',
    outBias: 'attention_bias',
    fullEvery: 4,
    windowPlus: 1,
  },
  stablelm: { ...LAYER_NORM, qkvBias: 'use_qkv_bias', special: 'stablelm' },
  smollm3: { like: 'llama', tied: true, windowFlag: true, defaults: { max_window_layers: 28 } },
  dbrx: { defaults: { max_seq_len: 2048 } },
  exaone: { defaults: { max_position_embeddings: 2048 } },
  exaone4: { qkNorm: 'head', fullEvery: 4 },
  nemotron: { ...LAYER_NORM, ...LLAMA_BIASES, plainMlp: true },
  solar: { like: 'llama' },
  internlm2: { qkvBias: 'bias', outBias: 'bias' },
  internlm3: { qkvBias: 'qkv_bias', outBias: 'bias', mlpBias: 'bias' },
  ernie4_5: { tied: true, qkvBias: 'use_bias', outBias: 'use_bias', mlpBias: 'use_bias' },
  ernie4_5_moe: { like: 'ernie4_5', routerBias: true },
  seed_oss: { qkvBias: 'attention_bias', outBias: 'attention_out_bias', mlpBias: 'mlp_bias' },
  hunyuan_v1_dense: { like: 'llama', mlpBias: false, qkNorm: 'head' },
  apertus: { qkvBias: 'attention_bias', outBias: 'attention_bias', qkNorm: 'head', plainMlp: true, special: 'apertus' },
  arcee: { ...LLAMA_BIASES, plainMlp: true },
  minimax_m2: { qkNorm: 'all', routerBias: true },

  gpt_neox: {
    ...LAYER_NORM,
    qkvBias: 'attention_bias',
    outBias: 'attention_bias',
    mlpBias: true,
    plainMlp: true,
  },
  gpt2: {
    ...LAYER_NORM,
    tied: true,
    qkvBias: true,
    outBias: true,
    mlpBias: true,
    plainMlp: true,
    outside: 'positions',
  },
  gpt_bigcode: { like: 'gpt2' },
  gptj: { ...LAYER_NORM, norms: 1, mlpBias: true, headBias: true, plainMlp: true },
  falcon: {
    ...LAYER_NORM,
    tied: true,
    qkvBias: 'bias',
    outBias: 'bias',
    mlpBias: 'bias',
    plainMlp: true,
    special: 'falcon',
  },
  opt: {
    ...LAYER_NORM,
    tied: true,
    qkvBias: true,
    outBias: true,
    mlpBias: true,
    plainMlp: true,
    outside: 'opt',
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
  mpt: { tied: true, plainMlp: true, special: 'mpt' },
  starcoder2: {
    ...LAYER_NORM,
    tied: true,
    qkvBias: 'use_bias',
    outBias: 'use_bias',
    mlpBias: 'use_bias',
    plainMlp: true,
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
  phi3_v: 'phi3',
  phi4mm: 'phi3',
  phi4_multimodal: 'phi3',
  aya_vision: 'cohere2',
  cohere2_vision: 'cohere2',
  deepseek_vl_v2: 'deepseek_v2',
};

function keyOf(modelType: string): string {
  return Object.hasOwn(ALIASES, modelType) ? ALIASES[modelType]! : modelType;
}

function ownFamily(modelType: string): Family | undefined {
  const key = keyOf(modelType);
  return Object.hasOwn(FAMILIES, key) ? FAMILIES[key] : undefined;
}

/** All of a family, what it inherits included; `undefined` when the kind of model is not known. */
export function familyOf(modelType: string): Family | undefined {
  const own = ownFamily(modelType);
  if (own?.like === undefined) return own;
  const { like, ...rest } = own;
  return { ...familyOf(like), ...rest };
}

/** What the class of a kind of model puts where config.json is silent, in the words of config.json. */
export function defaultsOf(modelType: string): Readonly<Record<string, unknown>> {
  return { ...defaultsOfClass(modelType), ...familyOf(modelType)?.defaults };
}

/** Of the class itself, or of the one that it is like. */
function defaultsOfClass(modelType: string): Readonly<Record<string, unknown>> | undefined {
  const own = classDefaults(modelType) ?? classDefaults(keyOf(modelType));
  const like = ownFamily(modelType)?.like;
  return own ?? (like === undefined ? undefined : defaultsOfClass(like));
}
