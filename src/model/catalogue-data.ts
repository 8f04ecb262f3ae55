/** What the catalogue has of one model. */
export interface CatalogueEntry {
  /** The fields of its config.json that decide its size; the rest is left out. Made when it is asked for. */
  readonly config: () => Readonly<Record<string, unknown>>;
  /** Whether a person must accept a licence before a token opens the files. */
  readonly gated?: boolean;
  /** Size in GiB that others list for the files, or that vLLM reports: what the derived size is compared with. */
  readonly files?: number;
  /** Complete copies of the weights in the repository, in several formats. */
  readonly copies?: number;
  /** Whether the files hold the output head beside the embedding that it is. */
  readonly headTwice?: boolean;
  /** What is not certain. */
  readonly notes?: readonly string[];
}

type Config = Readonly<Record<string, unknown>>;

/** The numbers that every config.json has, in one order. */
function size(
  hidden_size: number,
  intermediate_size: number,
  num_hidden_layers: number,
  num_attention_heads: number,
  num_key_value_heads: number,
  vocab_size: number,
  max_position_embeddings: number,
): Config {
  return {
    hidden_size,
    intermediate_size,
    num_hidden_layers,
    num_attention_heads,
    num_key_value_heads,
    vocab_size,
    max_position_embeddings,
  };
}

function of(architecture: string, model_type: string, ...parts: readonly Config[]): Config {
  return Object.assign({ architectures: [architecture], model_type, torch_dtype: 'bfloat16' }, ...parts) as Config;
}

const llama = (...parts: readonly Config[]) => of('LlamaForCausalLM', 'llama', ...parts);
const mistral = (...parts: readonly Config[]) =>
  of('MistralForCausalLM', 'mistral', { head_dim: 128, sliding_window: null }, ...parts);
const qwen2 = (...parts: readonly Config[]) => of('Qwen2ForCausalLM', 'qwen2', { use_sliding_window: false }, ...parts);
const qwen3 = (...parts: readonly Config[]) => of('Qwen3ForCausalLM', 'qwen3', { head_dim: 128 }, ...parts);
const qwen3Moe = (...parts: readonly Config[]) =>
  of('Qwen3MoeForCausalLM', 'qwen3_moe', { head_dim: 128, decoder_sparse_step: 1, mlp_only_layers: [] }, ...parts);
const gemma2 = (...parts: readonly Config[]) =>
  of('Gemma2ForCausalLM', 'gemma2', { sliding_window: 4096, head_dim: 256 }, ...parts);
const phi3 = (...parts: readonly Config[]) => of('Phi3ForCausalLM', 'phi3', ...parts);

const TIED: Config = { tie_word_embeddings: true };
const experts = (num_experts: number, num_experts_per_tok: number, moe_intermediate_size: number): Config => ({
  num_experts,
  num_experts_per_tok,
  moe_intermediate_size,
});

// Quantizations, as config.json says them.
const quantized = (quantization_config: Config): Config => ({ quantization_config });
const FP8_BLOCK = quantized({ quant_method: 'fp8', fmt: 'e4m3', weight_block_size: [128, 128] });
const FP8 = quantized({ quant_method: 'fp8', activation_scheme: 'static' });
const compressed = (weights: Config) =>
  quantized({ quant_method: 'compressed-tensors', config_groups: { group_0: { weights, targets: ['Linear'] } } });
const FP8_DYNAMIC = compressed({ num_bits: 8, type: 'float', strategy: 'channel', symmetric: true });
const W8A8 = compressed({ num_bits: 8, type: 'int', strategy: 'channel', symmetric: true });
const W4A16 = compressed({ num_bits: 4, type: 'int', strategy: 'group', group_size: 128, symmetric: true });
const AWQ = quantized({ quant_method: 'awq', bits: 4, group_size: 128, zero_point: true, version: 'gemm' });
const GPTQ_INT4 = quantized({ quant_method: 'gptq', bits: 4, group_size: 128, desc_act: false, sym: true });
const GPTQ_INT8 = quantized({ quant_method: 'gptq', bits: 8, group_size: 128, desc_act: false, sym: true });
const MXFP4 = quantized({ quant_method: 'mxfp4' });

// Gemma 3: text parts say only what differs from the class.
const SIGLIP: Config = {
  model_type: 'siglip_vision_model',
  hidden_size: 1152,
  intermediate_size: 4304,
  num_hidden_layers: 27,
  num_attention_heads: 16,
  image_size: 896,
  patch_size: 14,
  vision_use_head: false,
};
const gemma3 = (text: Config, ...parts: readonly Config[]) =>
  of(
    'Gemma3ForConditionalGeneration',
    'gemma3',
    { text_config: { model_type: 'gemma3_text', sliding_window: 1024, ...text }, vision_config: SIGLIP },
    ...parts,
  );
const GEMMA3_4B: Config = { hidden_size: 2560, intermediate_size: 10_240, num_hidden_layers: 34 };
const GEMMA3_12B: Config = {
  hidden_size: 3840,
  intermediate_size: 15_360,
  num_hidden_layers: 48,
  num_attention_heads: 16,
  num_key_value_heads: 8,
};
const GEMMA3_27B: Config = {
  hidden_size: 5376,
  intermediate_size: 21_504,
  num_hidden_layers: 62,
  num_attention_heads: 32,
  num_key_value_heads: 16,
  head_dim: 128,
};

/** Layers of which every n-th keeps all tokens. */
const pattern = (layers: number, every: number): Config => ({
  layer_types: Array.from({ length: layers }, (_, i) =>
    (i + 1) % every === 0 ? 'full_attention' : 'sliding_attention',
  ),
});
const gemma3n = (layers: number, shared: number, intermediate_size: number) =>
  of('Gemma3nForConditionalGeneration', 'gemma3n', {
    text_config: {
      model_type: 'gemma3n_text',
      ...size(2048, intermediate_size, layers, 8, 2, 262_400, 32_768),
      num_kv_shared_layers: shared,
      ...pattern(layers, 5),
    },
    vision_config: { model_type: 'gemma3n_vision' },
    audio_config: { model_type: 'gemma3n_audio' },
  });

const gemma4 = (text: Config, vision: Config, audio?: Config) =>
  of('Gemma4ForConditionalGeneration', 'gemma4', {
    text_config: { model_type: 'gemma4_text', vocab_size: 262_144, head_dim: 256, global_head_dim: 512, ...text },
    vision_config: { model_type: 'gemma4_vision', patch_size: 16, position_embedding_size: 10_240, ...vision },
    ...(audio && { audio_config: audio }),
  });
const GEMMA4_LARGE: Config = { attention_k_eq_v: true, hidden_size_per_layer_input: 0, sliding_window: 1024 };
const GEMMA4_SMALL: Config = { hidden_size_per_layer_input: 256, sliding_window: 512 };
const GEMMA4_VISION: Config = {
  hidden_size: 1152,
  intermediate_size: 4304,
  num_hidden_layers: 27,
  num_attention_heads: 16,
  num_key_value_heads: 16,
  head_dim: 72,
};
const GEMMA4_SMALL_VISION: Config = {
  hidden_size: 768,
  intermediate_size: 3072,
  num_hidden_layers: 16,
  num_attention_heads: 12,
  num_key_value_heads: 12,
  head_dim: 64,
};
const PATTERN_NOTE =
  'which of its layers have a window was not seen in its config.json; the size of its files agrees with this guess';

// Llama.
const LLAMA_2_7B = size(4096, 11_008, 32, 32, 32, 32_000, 4096);
const LLAMA_2_13B = size(5120, 13_824, 40, 40, 40, 32_000, 4096);
const LLAMA_3_8B = size(4096, 14_336, 32, 32, 8, 128_256, 8192);
const LLAMA_3_70B = size(8192, 28_672, 80, 64, 8, 128_256, 8192);
const LLAMA_31_8B = size(4096, 14_336, 32, 32, 8, 128_256, 131_072);
const LLAMA_31_70B = size(8192, 28_672, 80, 64, 8, 128_256, 131_072);
const LLAMA_31_405B = size(16_384, 53_248, 126, 128, 8, 128_256, 131_072);
const llama4 = (num_local_experts: number, interleave_moe_layer_step: number, context: number) =>
  of('Llama4ForConditionalGeneration', 'llama4', {
    text_config: {
      model_type: 'llama4_text',
      ...size(5120, 8192, 48, 40, 8, 202_048, context),
      head_dim: 128,
      intermediate_size_mlp: 16_384,
      attention_chunk_size: 8192,
      num_local_experts,
      num_experts_per_tok: 1,
      interleave_moe_layer_step,
    },
    vision_config: {
      model_type: 'llama4_vision_model',
      hidden_size: 1408,
      intermediate_size: 5632,
      num_hidden_layers: 34,
      num_attention_heads: 16,
      image_size: 336,
      patch_size: 14,
      projector_input_dim: 4096,
      projector_output_dim: 4096,
      vision_output_dim: 4096,
    },
  });

// Qwen.
const QWEN25_05B: readonly Config[] = [size(896, 4864, 24, 14, 2, 151_936, 32_768), TIED];
const QWEN25_15B: readonly Config[] = [size(1536, 8960, 28, 12, 2, 151_936, 32_768), TIED];
const QWEN25_3B: readonly Config[] = [size(2048, 11_008, 36, 16, 2, 151_936, 32_768), TIED];
const QWEN25_7B = size(3584, 18_944, 28, 28, 4, 152_064, 32_768);
const QWEN25_14B = size(5120, 13_824, 48, 40, 8, 152_064, 32_768);
const QWEN25_32B = size(5120, 27_648, 64, 40, 8, 152_064, 32_768);
const QWEN25_72B = size(8192, 29_568, 80, 64, 8, 152_064, 32_768);
const CONTEXT_128K: Config = { max_position_embeddings: 131_072 };
const CONTEXT_256K: Config = { max_position_embeddings: 262_144 };
const QWEN3_06B: readonly Config[] = [size(1024, 3072, 28, 16, 8, 151_936, 40_960), TIED];
const QWEN3_17B: readonly Config[] = [size(2048, 6144, 28, 16, 8, 151_936, 40_960), TIED];
const QWEN3_4B: readonly Config[] = [size(2560, 9728, 36, 32, 8, 151_936, 40_960), TIED];
const QWEN3_8B = size(4096, 12_288, 36, 32, 8, 151_936, 40_960);
const QWEN3_14B = size(5120, 17_408, 40, 40, 8, 151_936, 40_960);
const QWEN3_32B = size(5120, 25_600, 64, 64, 8, 151_936, 40_960);
const QWEN3_30B: readonly Config[] = [size(2048, 6144, 48, 32, 4, 151_936, 40_960), experts(128, 8, 768)];
const QWEN3_235B: readonly Config[] = [size(4096, 12_288, 94, 64, 4, 151_936, 40_960), experts(128, 8, 1536)];
const QWEN3_480B: readonly Config[] = [size(6144, 8192, 62, 96, 8, 151_936, 262_144), experts(160, 8, 2560)];
const qwen25Vl = (text: Config, ...parts: readonly Config[]) =>
  of(
    'Qwen2_5_VLForConditionalGeneration',
    'qwen2_5_vl',
    text,
    {
      use_sliding_window: false,
      vision_config: {
        depth: 32,
        hidden_size: 1280,
        intermediate_size: 3420,
        num_heads: 16,
        out_hidden_size: text['hidden_size'],
        patch_size: 14,
        spatial_merge_size: 2,
        temporal_patch_size: 2,
      },
    },
    ...parts,
  );

// Mistral.
const PIXTRAL: Config = {
  model_type: 'pixtral',
  hidden_size: 1024,
  intermediate_size: 4096,
  num_hidden_layers: 24,
  num_attention_heads: 16,
  patch_size: 14,
};
const mistral3 = (text: Config, ...parts: readonly Config[]) =>
  of(
    'Mistral3ForConditionalGeneration',
    'mistral3',
    {
      multimodal_projector_bias: false,
      spatial_merge_size: 2,
      text_config: { model_type: 'mistral', head_dim: 128, sliding_window: null, ...text },
      vision_config: PIXTRAL,
    },
    ...parts,
  );
const MINISTRAL: Config = { model_type: 'ministral3' };
const mixtral = (...parts: readonly Config[]) =>
  of('MixtralForCausalLM', 'mixtral', { num_local_experts: 8, num_experts_per_tok: 2, sliding_window: null }, ...parts);

// DeepSeek.
const LATENT: Config = { kv_lora_rank: 512, qk_rope_head_dim: 64, qk_nope_head_dim: 128, v_head_dim: 128 };
const DEEPSEEK_V3: readonly Config[] = [
  size(7168, 18_432, 61, 128, 128, 129_280, 163_840),
  LATENT,
  {
    q_lora_rank: 1536,
    n_routed_experts: 256,
    n_shared_experts: 1,
    num_experts_per_tok: 8,
    moe_intermediate_size: 2048,
    first_k_dense_replace: 3,
    moe_layer_freq: 1,
    num_nextn_predict_layers: 1,
  },
  FP8_BLOCK,
];
const deepseekV3 = (...parts: readonly Config[]) =>
  of('DeepseekV3ForCausalLM', 'deepseek_v3', ...DEEPSEEK_V3, ...parts);
const deepseekV2 = (...parts: readonly Config[]) =>
  of('DeepseekV2ForCausalLM', 'deepseek_v2', LATENT, { n_shared_experts: 2, first_k_dense_replace: 1 }, ...parts);

const gptOss = (layers: number, num_local_experts: number) =>
  of('GptOssForCausalLM', 'gpt_oss', size(2880, 2880, layers, 64, 8, 201_088, 131_072), MXFP4, {
    head_dim: 64,
    sliding_window: 128,
    num_local_experts,
    num_experts_per_tok: 4,
    attention_bias: true,
  });
const olmo2 = (...parts: readonly Config[]) => of('Olmo2ForCausalLM', 'olmo2', ...parts);
const granite = (...parts: readonly Config[]) => of('GraniteForCausalLM', 'granite', TIED, ...parts);

/**
 * Models by the name of their repository on Hugging Face. The numbers are those of each config.json. Sizes of files are
 * from public lists (KAITO's model catalogue, tests of llm-d's planner) and from what vLLM logs on loading.
 */
export const CATALOGUE: Readonly<Record<string, CatalogueEntry>> = {
  'google/gemma-3-1b-it': {
    config: () =>
      of('Gemma3ForCausalLM', 'gemma3_text', size(1152, 6912, 26, 4, 1, 262_144, 32_768), {
        head_dim: 256,
        sliding_window: 512,
        sliding_window_pattern: 6,
      }),
    gated: true,
    files: 1.86,
  },
  'google/gemma-3-4b-it': { config: () => gemma3(GEMMA3_4B), gated: true, files: 8.01 },
  'google/gemma-3-12b-it': { config: () => gemma3(GEMMA3_12B), gated: true },
  'google/gemma-3-27b-it': { config: () => gemma3(GEMMA3_27B), gated: true, files: 51.1 },
  'RedHatAI/gemma-3-4b-it-FP8-dynamic': { config: () => gemma3(GEMMA3_4B, FP8_DYNAMIC) },
  'RedHatAI/gemma-3-12b-it-FP8-dynamic': { config: () => gemma3(GEMMA3_12B, FP8_DYNAMIC) },
  'RedHatAI/gemma-3-27b-it-FP8-dynamic': { config: () => gemma3(GEMMA3_27B, FP8_DYNAMIC) },
  'RedHatAI/gemma-3-27b-it-quantized.w4a16': { config: () => gemma3(GEMMA3_27B, W4A16) },
  'google/gemma-3n-E2B-it': { config: () => gemma3n(30, 10, 8192), gated: true },
  'google/gemma-3n-E4B-it': { config: () => gemma3n(35, 15, 16_384), gated: true },
  'google/gemma-4-31B-it': {
    config: () =>
      gemma4(
        {
          ...size(5376, 21_504, 60, 32, 16, 262_144, 262_144),
          ...GEMMA4_LARGE,
          num_global_key_value_heads: 4,
          ...pattern(60, 6),
        },
        GEMMA4_VISION,
      ),
    files: 58.25,
  },
  'google/gemma-4-26B-A4B-it': {
    config: () =>
      gemma4(
        {
          ...size(2816, 2112, 30, 16, 8, 262_144, 262_144),
          ...GEMMA4_LARGE,
          num_global_key_value_heads: 2,
          enable_moe_block: true,
          num_experts: 128,
          top_k_experts: 8,
          moe_intermediate_size: 704,
          ...pattern(30, 6),
        },
        GEMMA4_VISION,
      ),
    files: 48.07,
  },
  'google/gemma-4-12B-it': {
    config: () =>
      of('Gemma4UnifiedForConditionalGeneration', 'gemma4_unified', {
        text_config: {
          model_type: 'gemma4_unified_text',
          ...size(3840, 15_360, 48, 16, 8, 262_144, 262_144),
          head_dim: 256,
          global_head_dim: 512,
          num_global_key_value_heads: 1,
          attention_k_eq_v: true,
          sliding_window: 1024,
          ...pattern(48, 6),
        },
        vision_config: { model_type: 'gemma4_unified_vision' },
        audio_config: { model_type: 'gemma4_unified_audio' },
      }),
    files: 22.28,
    notes: ['its key and value heads and its window are inferred from the size of its files'],
  },
  'google/gemma-4-E4B-it': {
    config: () =>
      gemma4(
        {
          ...size(2560, 10_240, 42, 8, 2, 262_144, 131_072),
          ...GEMMA4_SMALL,
          num_kv_shared_layers: 18,
          ...pattern(42, 6),
        },
        GEMMA4_SMALL_VISION,
        { model_type: 'gemma4_audio' },
      ),
    files: 14.89,
    notes: [PATTERN_NOTE],
  },
  'google/gemma-4-E2B-it': {
    config: () =>
      gemma4(
        {
          ...size(1536, 6144, 35, 8, 1, 262_144, 131_072),
          ...GEMMA4_SMALL,
          num_kv_shared_layers: 20,
          use_double_wide_mlp: true,
          ...pattern(35, 5),
        },
        GEMMA4_SMALL_VISION,
        { model_type: 'gemma4_audio' },
      ),
    files: 9.54,
    notes: [PATTERN_NOTE],
  },
  'google/gemma-2-2b-it': { config: () => gemma2(size(2304, 9216, 26, 8, 4, 256_000, 8192)), gated: true },
  'google/gemma-2-9b-it': { config: () => gemma2(size(3584, 14_336, 42, 16, 8, 256_000, 8192)), gated: true },
  'google/gemma-2-27b-it': {
    config: () => gemma2(size(4608, 36_864, 46, 32, 16, 256_000, 8192), { head_dim: 128 }),
    gated: true,
  },

  'meta-llama/Llama-3.1-8B-Instruct': { config: () => llama(LLAMA_31_8B), gated: true, files: 14.96 },
  'meta-llama/Llama-3.1-70B-Instruct': { config: () => llama(LLAMA_31_70B), gated: true },
  'meta-llama/Llama-3.1-405B-Instruct': { config: () => llama(LLAMA_31_405B), gated: true },
  'meta-llama/Llama-3.2-1B-Instruct': {
    config: () => llama(size(2048, 8192, 16, 32, 8, 128_256, 131_072), TIED),
    gated: true,
    files: 2.3,
  },
  'meta-llama/Llama-3.2-3B-Instruct': {
    config: () => llama(size(3072, 8192, 28, 24, 8, 128_256, 131_072), TIED),
    gated: true,
  },
  'meta-llama/Llama-3.3-70B-Instruct': { config: () => llama(LLAMA_31_70B), gated: true, files: 131.42 },
  'meta-llama/Llama-4-Scout-17B-16E-Instruct': { config: () => llama4(16, 1, 10_485_760), gated: true },
  'meta-llama/Llama-4-Maverick-17B-128E-Instruct': { config: () => llama4(128, 2, 1_048_576), gated: true },
  'meta-llama/Meta-Llama-3-8B-Instruct': { config: () => llama(LLAMA_3_8B), gated: true },
  'meta-llama/Meta-Llama-3-70B-Instruct': { config: () => llama(LLAMA_3_70B), gated: true },
  'meta-llama/Llama-2-7b-chat-hf': { config: () => llama(LLAMA_2_7B), gated: true },
  'meta-llama/Llama-2-13b-chat-hf': { config: () => llama(LLAMA_2_13B), gated: true },
  'hugging-quants/Meta-Llama-3.1-8B-Instruct-AWQ-INT4': { config: () => llama(LLAMA_31_8B, AWQ) },
  'hugging-quants/Meta-Llama-3.1-8B-Instruct-GPTQ-INT4': { config: () => llama(LLAMA_31_8B, GPTQ_INT4) },
  'hugging-quants/Meta-Llama-3.1-70B-Instruct-AWQ-INT4': { config: () => llama(LLAMA_31_70B, AWQ) },
  'RedHatAI/Meta-Llama-3.1-8B-Instruct-FP8': { config: () => llama(LLAMA_31_8B, FP8_DYNAMIC) },
  'RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w8a8': { config: () => llama(LLAMA_31_8B, W8A8) },
  'RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16': { config: () => llama(LLAMA_31_8B, W4A16) },
  'RedHatAI/Meta-Llama-3.1-70B-Instruct-quantized.w8a8': { config: () => llama(LLAMA_31_70B, W8A8), files: 67.72 },
  'RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic': { config: () => llama(LLAMA_31_70B, FP8_DYNAMIC), files: 67.72 },
  'TinyLlama/TinyLlama-1.1B-Chat-v1.0': { config: () => llama(size(2048, 5632, 22, 32, 4, 32_000, 2048)) },
  'HuggingFaceTB/SmolLM2-135M-Instruct': { config: () => llama(size(576, 1536, 30, 9, 3, 49_152, 8192), TIED) },
  'HuggingFaceTB/SmolLM2-360M-Instruct': { config: () => llama(size(960, 2560, 32, 15, 5, 49_152, 8192), TIED) },
  'HuggingFaceTB/SmolLM2-1.7B-Instruct': { config: () => llama(size(2048, 8192, 24, 32, 32, 49_152, 8192), TIED) },
  'HuggingFaceTB/SmolLM3-3B': {
    config: () => of('SmolLM3ForCausalLM', 'smollm3', size(2048, 11_008, 36, 16, 4, 128_256, 65_536)),
  },
  '01-ai/Yi-1.5-9B-Chat': { config: () => llama(size(4096, 11_008, 48, 32, 4, 64_000, 4096)) },
  '01-ai/Yi-1.5-34B-Chat': { config: () => llama(size(7168, 20_480, 60, 56, 8, 64_000, 4096)) },
  'tiiuae/Falcon3-7B-Instruct': {
    config: () => llama(size(3072, 23_040, 28, 12, 4, 131_072, 32_768), { head_dim: 256 }),
  },
  'codellama/CodeLlama-7b-Instruct-hf': {
    config: () => llama(LLAMA_2_7B, { vocab_size: 32_016, max_position_embeddings: 16_384 }),
  },
  'internlm/internlm2_5-7b-chat': {
    config: () =>
      of('InternLM2ForCausalLM', 'internlm2', size(4096, 14_336, 32, 32, 8, 92_544, 32_768), { bias: false }),
  },

  'Qwen/Qwen2.5-0.5B-Instruct': { config: () => qwen2(...QWEN25_05B) },
  'Qwen/Qwen2.5-1.5B-Instruct': { config: () => qwen2(...QWEN25_15B) },
  'Qwen/Qwen2.5-3B-Instruct': { config: () => qwen2(...QWEN25_3B) },
  'Qwen/Qwen2.5-7B-Instruct': { config: () => qwen2(QWEN25_7B), files: 14.19 },
  'Qwen/Qwen2.5-14B-Instruct': { config: () => qwen2(QWEN25_14B), files: 27.51 },
  'Qwen/Qwen2.5-32B-Instruct': { config: () => qwen2(QWEN25_32B), files: 61.03 },
  'Qwen/Qwen2.5-72B-Instruct': { config: () => qwen2(QWEN25_72B) },
  'Qwen/Qwen2.5-7B-Instruct-AWQ': { config: () => qwen2(QWEN25_7B, AWQ) },
  'Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4': { config: () => qwen2(QWEN25_7B, GPTQ_INT4) },
  'Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8': { config: () => qwen2(QWEN25_7B, GPTQ_INT8) },
  'Qwen/Qwen2.5-14B-Instruct-AWQ': { config: () => qwen2(QWEN25_14B, AWQ) },
  'Qwen/Qwen2.5-32B-Instruct-AWQ': { config: () => qwen2(QWEN25_32B, AWQ) },
  'Qwen/Qwen2.5-72B-Instruct-AWQ': { config: () => qwen2(QWEN25_72B, AWQ) },
  'Qwen/Qwen2.5-Coder-1.5B-Instruct': { config: () => qwen2(...QWEN25_15B) },
  'Qwen/Qwen2.5-Coder-7B-Instruct': { config: () => qwen2(QWEN25_7B), files: 14.19 },
  'Qwen/Qwen2.5-Coder-14B-Instruct': { config: () => qwen2(QWEN25_14B) },
  'Qwen/Qwen2.5-Coder-32B-Instruct': { config: () => qwen2(QWEN25_32B), files: 61.03 },
  'Qwen/Qwen2.5-VL-3B-Instruct': {
    config: () => qwen25Vl(size(2048, 11_008, 36, 16, 2, 151_936, 128_000), TIED),
  },
  'Qwen/Qwen2.5-VL-7B-Instruct': { config: () => qwen25Vl(size(3584, 18_944, 28, 28, 4, 152_064, 128_000)) },
  'Qwen/QwQ-32B': { config: () => qwen2(QWEN25_32B, { max_position_embeddings: 40_960 }) },
  'Qwen/Qwen3-0.6B': { config: () => qwen3(...QWEN3_06B), files: 1.12 },
  'Qwen/Qwen3-1.7B': { config: () => qwen3(...QWEN3_17B) },
  'Qwen/Qwen3-4B': { config: () => qwen3(...QWEN3_4B) },
  'Qwen/Qwen3-8B': { config: () => qwen3(QWEN3_8B), files: 15.26 },
  'Qwen/Qwen3-14B': { config: () => qwen3(QWEN3_14B) },
  'Qwen/Qwen3-32B': { config: () => qwen3(QWEN3_32B), files: 61.03 },
  'Qwen/Qwen3-30B-A3B': { config: () => qwen3Moe(...QWEN3_30B) },
  'Qwen/Qwen3-235B-A22B': { config: () => qwen3Moe(...QWEN3_235B) },
  'Qwen/Qwen3-4B-Instruct-2507': { config: () => qwen3(...QWEN3_4B, CONTEXT_256K) },
  'Qwen/Qwen3-30B-A3B-Instruct-2507': { config: () => qwen3Moe(...QWEN3_30B, CONTEXT_256K) },
  'Qwen/Qwen3-235B-A22B-Instruct-2507': { config: () => qwen3Moe(...QWEN3_235B, CONTEXT_256K) },
  'Qwen/Qwen3-Coder-30B-A3B-Instruct': { config: () => qwen3Moe(...QWEN3_30B, CONTEXT_256K), files: 56.87 },
  'Qwen/Qwen3-Coder-480B-A35B-Instruct': { config: () => qwen3Moe(...QWEN3_480B) },
  'Qwen/Qwen3-0.6B-FP8': { config: () => qwen3(...QWEN3_06B, FP8_BLOCK) },
  'Qwen/Qwen3-4B-FP8': { config: () => qwen3(...QWEN3_4B, FP8_BLOCK) },
  'Qwen/Qwen3-8B-FP8': { config: () => qwen3(QWEN3_8B, FP8_BLOCK) },
  'Qwen/Qwen3-14B-FP8': { config: () => qwen3(QWEN3_14B, FP8_BLOCK) },
  'Qwen/Qwen3-32B-FP8': { config: () => qwen3(QWEN3_32B, FP8_BLOCK) },
  'Qwen/Qwen3-30B-A3B-FP8': { config: () => qwen3Moe(...QWEN3_30B, FP8_BLOCK) },
  'Qwen/Qwen3-235B-A22B-FP8': { config: () => qwen3Moe(...QWEN3_235B, FP8_BLOCK) },
  'Qwen/Qwen3-Coder-30B-A3B-Instruct-FP8': { config: () => qwen3Moe(...QWEN3_30B, CONTEXT_256K, FP8_BLOCK) },
  'Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8': { config: () => qwen3Moe(...QWEN3_480B, FP8_BLOCK) },
  'Qwen/Qwen3-4B-AWQ': { config: () => qwen3(...QWEN3_4B, AWQ) },
  'Qwen/Qwen3-8B-AWQ': { config: () => qwen3(QWEN3_8B, AWQ), files: 5.68 },
  'Qwen/Qwen3-14B-AWQ': { config: () => qwen3(QWEN3_14B, AWQ) },
  'Qwen/Qwen3-32B-AWQ': { config: () => qwen3(QWEN3_32B, AWQ) },
  'Qwen/Qwen3-Next-80B-A3B-Instruct': {
    config: () =>
      of('Qwen3NextForCausalLM', 'qwen3_next', size(2048, 5120, 48, 16, 2, 151_936, 262_144), experts(512, 10, 512), {
        head_dim: 256,
        shared_expert_intermediate_size: 512,
        full_attention_interval: 4,
        linear_num_key_heads: 16,
        linear_num_value_heads: 32,
        linear_key_head_dim: 128,
        linear_value_head_dim: 128,
        linear_conv_kernel_dim: 4,
      }),
  },

  'mistralai/Mistral-7B-Instruct-v0.1': {
    config: () => mistral(size(4096, 14_336, 32, 32, 8, 32_000, 32_768), { sliding_window: 4096 }),
  },
  'mistralai/Mistral-7B-Instruct-v0.2': { config: () => mistral(size(4096, 14_336, 32, 32, 8, 32_000, 32_768)) },
  'mistralai/Mistral-7B-Instruct-v0.3': {
    config: () => mistral(size(4096, 14_336, 32, 32, 8, 32_768, 32_768)),
    files: 13.5,
  },
  'mistralai/Mistral-Nemo-Instruct-2407': { config: () => mistral(size(5120, 14_336, 40, 32, 8, 131_072, 131_072)) },
  'mistralai/Mistral-Small-24B-Instruct-2501': {
    config: () => mistral(size(5120, 32_768, 40, 32, 8, 131_072, 32_768)),
  },
  'mistralai/Mistral-Small-3.1-24B-Instruct-2503': {
    config: () => mistral3(size(5120, 32_768, 40, 32, 8, 131_072, 131_072)),
  },
  'mistralai/Mistral-Small-3.2-24B-Instruct-2506': {
    config: () => mistral3(size(5120, 32_768, 40, 32, 8, 131_072, 131_072)),
    files: 44.76,
  },
  'mistralai/Mistral-Large-Instruct-2407': {
    config: () => mistral(size(12_288, 28_672, 88, 96, 8, 32_768, 131_072)),
    gated: true,
  },
  'mistralai/Ministral-3-3B-Instruct-2512': {
    config: () => mistral3({ ...size(3072, 9216, 26, 32, 8, 131_072, 262_144), ...MINISTRAL, ...TIED }, FP8),
    files: 4.35,
  },
  'mistralai/Ministral-3-8B-Instruct-2512': {
    config: () => mistral3({ ...size(4096, 14_336, 34, 32, 8, 131_072, 262_144), ...MINISTRAL }, FP8),
    files: 9.7,
  },
  'mistralai/Ministral-3-14B-Instruct-2512': {
    config: () => mistral3({ ...size(5120, 16_384, 40, 32, 8, 131_072, 262_144), ...MINISTRAL }, FP8),
    files: 14.65,
  },
  'mistralai/Mixtral-8x7B-Instruct-v0.1': { config: () => mixtral(size(4096, 14_336, 32, 32, 8, 32_000, 32_768)) },
  'mistralai/Mixtral-8x22B-Instruct-v0.1': {
    config: () => mixtral(size(6144, 16_384, 56, 48, 8, 32_768, 65_536)),
    notes: ['its vocabulary of 32768 was not seen in its own config.json'],
  },

  'deepseek-ai/DeepSeek-V3': { config: () => deepseekV3(), files: 641.3 },
  'deepseek-ai/DeepSeek-V3-0324': { config: () => deepseekV3(), files: 641.3 },
  'deepseek-ai/DeepSeek-R1': { config: () => deepseekV3(), files: 641.3 },
  'deepseek-ai/DeepSeek-R1-0528': { config: () => deepseekV3(), files: 641.3 },
  'deepseek-ai/DeepSeek-V3.2': {
    config: () =>
      of('DeepseekV32ForCausalLM', 'deepseek_v32', ...DEEPSEEK_V3, {
        index_n_heads: 64,
        index_head_dim: 128,
        index_topk: 2048,
      }),
    files: 642.14,
    notes: ['the indexer of its sparse attention keeps keys of its own, which are not counted as cache'],
  },
  'deepseek-ai/DeepSeek-V2-Lite-Chat': {
    config: () =>
      deepseekV2(size(2048, 10_944, 27, 16, 16, 102_400, 163_840), {
        q_lora_rank: null,
        n_routed_experts: 64,
        num_experts_per_tok: 6,
        moe_intermediate_size: 1408,
      }),
  },
  'deepseek-ai/DeepSeek-V2-Chat': {
    config: () =>
      deepseekV2(size(5120, 12_288, 60, 128, 128, 102_400, 163_840), {
        q_lora_rank: 1536,
        n_routed_experts: 160,
        num_experts_per_tok: 6,
        moe_intermediate_size: 1536,
      }),
    files: 439.1,
  },
  'deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B': {
    config: () => qwen2(...QWEN25_15B, CONTEXT_128K, { tie_word_embeddings: false }),
  },
  'deepseek-ai/DeepSeek-R1-Distill-Qwen-7B': { config: () => qwen2(QWEN25_7B, CONTEXT_128K) },
  'deepseek-ai/DeepSeek-R1-Distill-Qwen-14B': { config: () => qwen2(QWEN25_14B, CONTEXT_128K), files: 27.51 },
  'deepseek-ai/DeepSeek-R1-Distill-Qwen-32B': { config: () => qwen2(QWEN25_32B, CONTEXT_128K) },
  'deepseek-ai/DeepSeek-R1-Distill-Llama-8B': { config: () => llama(LLAMA_31_8B), files: 14.96 },
  'deepseek-ai/DeepSeek-R1-Distill-Llama-70B': { config: () => llama(LLAMA_31_70B) },
  'moonshotai/Kimi-K2-Instruct': {
    config: () =>
      of('DeepseekV3ForCausalLM', 'kimi_k2', ...DEEPSEEK_V3, {
        num_attention_heads: 64,
        num_key_value_heads: 64,
        vocab_size: 163_840,
        max_position_embeddings: 131_072,
        n_routed_experts: 384,
        first_k_dense_replace: 1,
        num_nextn_predict_layers: 0,
      }),
  },

  'openai/gpt-oss-20b': {
    config: () => gptOss(24, 32),
    files: 25.63,
    copies: 2,
    notes: ['vLLM pads its experts on a GPU: 13.47 GiB were seen in memory on one H100'],
  },
  'openai/gpt-oss-120b': {
    config: () => gptOss(36, 128),
    files: 121.54,
    copies: 2,
    notes: ['vLLM pads its experts on a GPU: 64.38 GiB were seen in memory on one H100'],
  },

  'microsoft/Phi-3-mini-4k-instruct': {
    config: () => phi3(size(3072, 8192, 32, 32, 32, 32_064, 4096), { sliding_window: 2047 }),
    files: 7.12,
    notes: ['its window of 2047 tokens was not seen in its config.json'],
  },
  'microsoft/Phi-3-mini-128k-instruct': {
    config: () => phi3(size(3072, 8192, 32, 32, 32, 32_064, 131_072), { sliding_window: 262_144 }),
    files: 7.12,
  },
  'microsoft/Phi-3.5-mini-instruct': {
    config: () => phi3(size(3072, 8192, 32, 32, 32, 32_064, 131_072), { sliding_window: 262_144 }),
    files: 7.12,
  },
  'microsoft/Phi-3-medium-128k-instruct': {
    config: () => phi3(size(5120, 17_920, 40, 40, 10, 32_064, 131_072), { sliding_window: 131_072 }),
    files: 26,
  },
  'microsoft/Phi-4-mini-instruct': {
    config: () => phi3(size(3072, 8192, 32, 24, 8, 200_064, 131_072), TIED, { sliding_window: 262_144 }),
    files: 7.15,
  },
  'microsoft/phi-4': { config: () => phi3(size(5120, 17_920, 40, 40, 10, 100_352, 16_384)), files: 27.31 },
  'microsoft/phi-2': { config: () => of('PhiForCausalLM', 'phi', size(2560, 10_240, 32, 32, 32, 51_200, 2048)) },

  'tiiuae/falcon-7b-instruct': {
    config: () =>
      of('FalconForCausalLM', 'falcon', {
        hidden_size: 4544,
        num_hidden_layers: 32,
        num_attention_heads: 71,
        vocab_size: 65_024,
        multi_query: true,
        parallel_attn: true,
        bias: false,
        new_decoder_architecture: false,
      }),
    files: 13.44,
    headTwice: true,
  },
  'ibm-granite/granite-3.3-2b-instruct': { config: () => granite(size(2048, 8192, 40, 32, 8, 49_159, 131_072)) },
  'ibm-granite/granite-3.3-8b-instruct': { config: () => granite(size(4096, 12_800, 40, 32, 8, 49_159, 131_072)) },
  'allenai/OLMo-2-0425-1B-Instruct': { config: () => olmo2(size(2048, 8192, 16, 16, 16, 100_352, 4096)) },
  'allenai/OLMo-2-1124-7B-Instruct': { config: () => olmo2(size(4096, 11_008, 32, 32, 32, 100_352, 4096)) },
  'allenai/OLMo-2-1124-13B-Instruct': { config: () => olmo2(size(5120, 13_824, 40, 40, 40, 100_352, 4096)) },
  'zai-org/GLM-4-9B-0414': {
    config: () =>
      of('Glm4ForCausalLM', 'glm4', size(4096, 13_696, 40, 32, 2, 151_552, 32_768), {
        head_dim: 128,
        attention_bias: false,
      }),
  },
  'zai-org/GLM-4.5-Air': {
    config: () =>
      of('Glm4MoeForCausalLM', 'glm4_moe', size(4096, 10_944, 46, 96, 8, 151_552, 131_072), {
        num_nextn_predict_layers: 1,
        head_dim: 128,
        attention_bias: true,
        n_routed_experts: 128,
        n_shared_experts: 1,
        num_experts_per_tok: 8,
        moe_intermediate_size: 1408,
        first_k_dense_replace: 1,
        use_qk_norm: false,
      }),
  },
  'MiniMaxAI/MiniMax-M2': {
    config: () =>
      of('MiniMaxM2ForCausalLM', 'minimax_m2', size(3072, 1536, 62, 48, 8, 200_064, 196_608), FP8_BLOCK, {
        head_dim: 128,
        num_local_experts: 256,
        num_experts_per_tok: 8,
      }),
  },
  'stabilityai/stablelm-2-zephyr-1_6b': {
    config: () =>
      of('StableLmForCausalLM', 'stablelm', size(2048, 5632, 24, 32, 32, 100_352, 4096), { use_qkv_bias: true }),
  },
  'bigcode/starcoder2-7b': {
    config: () =>
      of('Starcoder2ForCausalLM', 'starcoder2', size(4608, 18_432, 32, 36, 4, 49_152, 16_384), {
        sliding_window: 4096,
      }),
  },
  'facebook/opt-125m': {
    config: () =>
      of('OPTForCausalLM', 'opt', {
        torch_dtype: 'float16',
        hidden_size: 768,
        ffn_dim: 3072,
        num_hidden_layers: 12,
        num_attention_heads: 12,
        vocab_size: 50_272,
        max_position_embeddings: 2048,
      }),
  },
};
