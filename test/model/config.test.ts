import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/model/config';
import type { LayerKind } from '../../src/model/shape';
import { expectError } from '../common/errors';

type Config = Record<string, unknown>;

/** A small model as its config.json says it. */
const llama: Config = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  torch_dtype: 'bfloat16',
  hidden_size: 256,
  intermediate_size: 512,
  num_hidden_layers: 8,
  num_attention_heads: 4,
  num_key_value_heads: 1,
  head_dim: 64,
  vocab_size: 262,
  max_position_embeddings: 8192,
};

function of(type: string, fields: Config = {}): Config {
  return { ...llama, model_type: type, architectures: [`${type}ForCausalLM`], ...fields };
}

function kinds(config: Config): string {
  const letters: Record<LayerKind, string> = { full: 'F', sliding: 's', chunked: 'c', state: 'x' };
  return readConfig('a/b', config)
    .layerKinds.map((kind) => letters[kind])
    .join('');
}

describe('a config.json of a plain model', () => {
  test('gives its numbers in the words of the file', () => {
    expect(readConfig('acme/tiny', llama)).toMatchObject({
      name: 'acme/tiny',
      architecture: 'LlamaForCausalLM',
      modelType: 'llama',
      layers: 8,
      hiddenSize: 256,
      attentionHeads: 4,
      keyValue: { heads: 1, headSize: 64 },
      vocabularySize: 262,
      tiedEmbeddings: false,
      contextLength: 8192,
      sharedKeyValueLayers: 0,
      multimodal: false,
      gated: false,
      weights: { name: 'bfloat16', bits: 16, quantized: 'none', otherBits: 16 },
    });
  });

  test('is not verified, and says so', () => {
    const { verified, notes } = readConfig('a/b', llama).provenance;
    expect(verified).toBe(false);
    expect(notes).toEqual([
      'its parameters are derived from config.json; they were not compared with the size of its files',
    ]);
  });

  test('is verified by a size that agrees, and keeps that size', () => {
    const derived = readConfig('a/b', llama).weightsBytes;
    const weightsBytes = Math.round(derived * 1.005);
    const shape = readConfig('a/b', llama, { weightsBytes, gated: true });
    expect(shape).toMatchObject({ weightsBytes, gated: true, provenance: { verified: true, notes: [] } });
  });

  test('says when the size given does not agree', () => {
    const { verified, notes } = readConfig('a/b', llama, { weightsBytes: 2 ** 30 }).provenance;
    expect(verified).toBe(false);
    expect(notes[0]).toMatch(
      /^its files are said to be 1\.00 GiB; the parameters derived from config\.json would be 0\.0/,
    );
  });

  test('head_dim wins over hidden size divided by heads', () => {
    expect(readConfig('a/b', { ...llama, head_dim: undefined }).keyValue.headSize).toBe(64);
    expect(readConfig('a/b', { ...llama, head_dim: 128 }).keyValue.headSize).toBe(128);
    expect(readConfig('a/b', of('qwen3', { head_dim: undefined })).keyValue.headSize).toBe(128);
  });

  test('an explicit null has no value, whatever the class puts there', () => {
    expect(kinds(of('mistral', { sliding_window: null }))).toBe('FFFFFFFF');
    expect(readConfig('a/b', of('mistral', { num_key_value_heads: null })).keyValue.heads).toBe(4);
  });

  test('embeddings are tied as the class has it, unless the file says', () => {
    const tied = (type: string, fields?: Config) => readConfig('a/b', of(type, fields)).tiedEmbeddings;
    expect(['llama', 'qwen2', 'qwen3', 'mistral', 'phi3'].map((type) => tied(type))).not.toContain(true);
    expect(['gemma', 'gemma2', 'gemma3_text', 'cohere', 'smollm3'].map((type) => tied(type))).not.toContain(false);
    expect(tied('llama', { tie_word_embeddings: true })).toBe(true);
    expect(tied('gemma2', { tie_word_embeddings: false })).toBe(false);
  });

  test('other names of the same numbers', () => {
    const shape = readConfig('a/b', {
      architectures: ['GPT2LMHeadModel'],
      model_type: 'gpt2',
      n_layer: 3,
      n_head: 2,
      n_embd: 64,
      n_positions: 128,
      vocab_size: 100,
    });
    expect(shape).toMatchObject({ layers: 3, attentionHeads: 2, hiddenSize: 64, contextLength: 128 });
    const falcon = { n_layer: 2, n_head: 4, hidden_size: 64, vocab_size: 100, model_type: 'falcon' };
    const of = (fields: Config) =>
      readConfig('a/b', { architectures: ['FalconForCausalLM'], ...falcon, ...fields }).keyValue.heads;
    expect(of({})).toBe(1);
    expect(of({ multi_query: false })).toBe(4);
    expect(of({ new_decoder_architecture: true, n_head_kv: 2 })).toBe(2);
    expect(of({ new_decoder_architecture: true, num_kv_heads: 2 })).toBe(2);
  });

  test('names of ChatGLM and DBRX', () => {
    const chatglm = {
      architectures: ['ChatGLMModel'],
      model_type: 'chatglm',
      torch_dtype: 'float16',
      num_layers: 28,
      hidden_size: 4096,
      ffn_hidden_size: 13_696,
      num_attention_heads: 32,
      kv_channels: 128,
      multi_query_attention: true,
      multi_query_group_num: 2,
      padded_vocab_size: 65_024,
      seq_length: 8192,
      add_qkv_bias: true,
    };
    // ChatGLM3-6B by its makers: 6.24 billion.
    expect(readConfig('a/b', chatglm)).toMatchObject({ contextLength: 8192, keyValue: { heads: 2, headSize: 128 } });
    expect(readConfig('a/b', chatglm).parameters.total).toBe(6_243_584_000);
    const dbrx = {
      architectures: ['DbrxForCausalLM'],
      model_type: 'dbrx',
      d_model: 6144,
      n_heads: 48,
      n_layers: 40,
      max_seq_len: 32_768,
      vocab_size: 100_352,
      attn_config: { kv_n_heads: 8 },
      ffn_config: { ffn_hidden_size: 10_752, moe_num_experts: 16, moe_top_k: 4 },
    };
    const shape = readConfig('a/b', dbrx);
    expect(shape).toMatchObject({ keyValue: { heads: 8, headSize: 128 }, experts: { routed: 16, active: 4 } });
    // By its makers: 132 billion, 36 of them active.
    expect(shape.parameters.total / 1e9).toBeCloseTo(131.6, 1);
    expect(shape.activeParameters / 1e9).toBeCloseTo(35.9, 0);
  });

  test('layers that differ from each other', () => {
    expectError(() => readConfig('a/b', { ...llama, block_configs: [{}] }), 'has block_configs', 'Model.custom');
  });

  test('an unknown type counts as built like Llama, and says so', () => {
    const shape = readConfig('a/b', of('nova', { architectures: ['NovaForCausalLM'] }));
    expect(shape.parameters).toEqual(readConfig('a/b', llama).parameters);
    expect(shape.provenance.notes).toEqual(
      expect.arrayContaining([
        expect.stringContaining("model_type 'nova' is not known here"),
        'vLLM has no NovaForCausalLM of its own: it runs it by way of transformers, or refuses it',
      ]),
    );
  });

  test('a class that vLLM has given up', () => {
    const { notes } = readConfig('a/b', { ...llama, architectures: ['BaichuanForCausalLM'] }).provenance;
    expect(notes).toContain('vLLM has had no BaichuanForCausalLM since 0.23.0');
  });
});

describe('the longest context', () => {
  const context = (fields: Config) => readConfig('a/b', { ...llama, ...fields }).contextLength;

  test.each([
    [8192, {}],
    [4096, { seq_length: 4096 }],
    [131_072, { model_max_length: 131_072 }],
    [32_768, { rope_scaling: { type: 'linear', factor: 4 } }],
    [16_384, { rope_scaling: { rope_type: 'dynamic', factor: 2.0 } }],
    [8192, { rope_scaling: { rope_type: 'yarn', factor: 4 } }],
    [8192, { rope_scaling: { rope_type: 'llama3', factor: 8 } }],
    [8192, { rope_scaling: { type: 'longrope', long_factor: [1, 2] } }],
    [8192, { rope_scaling: null }],
    [32_768, { rope_parameters: { rope_type: 'linear', factor: 4 } }],
    [2048, { model_type: 'nova', max_position_embeddings: null }],
  ])('%d for %o', (expected, fields) => {
    expect(context(fields)).toBe(expected);
  });

  test("Gemma 3's factor is in its context already", () => {
    const gemma = of('gemma3_text', { rope_scaling: { rope_type: 'linear', factor: 8 } });
    expect(readConfig('a/b', gemma).contextLength).toBe(8192);
  });
});

describe('windows', () => {
  test.each<[string, string, Config]>([
    ['Llama has none', 'FFFFFFFF', llama],
    ['Llama with one has it in every layer', 'ssssssss', { ...llama, sliding_window: 512 }],
    ['a window as long as the context is a window for vLLM', 'ssssssss', of('phi3', { sliding_window: 8192 })],
    ['a longer one too', 'ssssssss', of('phi3', { sliding_window: 262_144 })],
    ['a shorter one has', 'ssssssss', of('phi3', { sliding_window: 2047 })],
    ['0 is none', 'FFFFFFFF', of('mistral', { sliding_window: 0 })],
    ['Mistral without a word has the one of its class', 'ssssssss', of('mistral')],
    [
      'Qwen 2 does not use the one it names',
      'FFFFFFFF',
      of('qwen2', { sliding_window: 512, use_sliding_window: false }),
    ],
    ['nor when it is silent', 'FFFFFFFF', of('qwen2', { sliding_window: 512, max_window_layers: 2 })],
    [
      'Qwen 2 uses it from max_window_layers on',
      'FFFFFFss',
      of('qwen2', { sliding_window: 512, use_sliding_window: true, max_window_layers: 6 }),
    ],
    ['Gemma 2 alternates', 'sFsFsFsF', of('gemma2', { sliding_window: 512 })],
    ['Gemma 3: every sixth is full', 'sssssFss', of('gemma3_text', { sliding_window: 512 })],
    ['another pattern', 'ssFssFss', of('gemma3_text', { sliding_window: 512, sliding_window_pattern: 3 })],
    ['its private name', 'ssFssFss', of('gemma3_text', { sliding_window: 512, _sliding_window_pattern: 3 })],
    [
      'layer_types win over a pattern',
      'FssssssF',
      of('gemma3_text', {
        sliding_window: 512,
        sliding_window_pattern: 3,
        layer_types: ['full_attention', ...Array<string>(6).fill('sliding_attention'), 'full_attention'],
      }),
    ],
    [
      'layer_types without a window keep all',
      'FFFFFFFF',
      { ...llama, layer_types: Array<string>(8).fill('sliding_attention') },
    ],
    ['gpt-oss alternates', 'sFsFsFsF', of('gpt_oss', { num_local_experts: 4 })],
    ['EXAONE 4 spells its period', 'sssFsssF', of('exaone4', { sliding_window: 512, sliding_window_pattern: 'LLLG' })],
    ['Command R7B', 'sssFsssF', of('cohere2')],
    ['Llama 4: chunks in 3 of 4', 'cccFcccF', of('llama4_text', { attention_chunk_size: 512 })],
    [
      'Llama 4 lists them',
      'cFcFcFcF',
      of('llama4_text', { attention_chunk_size: 512, no_rope_layers: [1, 0, 1, 0, 1, 0, 1, 0] }),
    ],
    ['Gemma 4 ends on a full one', 'sssssFsF', of('gemma4_text', { hidden_size_per_layer_input: 0 })],
    ['Qwen 3 Next keeps states', 'xxxFxxxF', of('qwen3_next')],
    ['Jamba', 'xxxxFxxx', of('jamba', { num_experts: 0 })],
    ['Nemotron H', 'xx*FxxxF'.replace('*', 'x'), of('nemotron_h', { hybrid_override_pattern: 'M-M*-M-*' })],
  ])('%s', (_, expected, config) => {
    expect(kinds(config)).toBe(expected);
  });

  test('the window is the one of the file', () => {
    expect(readConfig('a/b', of('gemma3_text', { sliding_window: 512 })).window).toBe(512);
    expect(readConfig('a/b', of('llama4_text', { attention_chunk_size: 512 })).window).toBe(512);
    expect(readConfig('a/b', llama).window).toBeUndefined();
    // vLLM adds one, since Cohere counts the token itself apart.
    expect(readConfig('a/b', of('cohere2', { sliding_window: 512 })).window).toBe(513);
  });

  test('vLLM refuses Qwen 2 with a window in a part of its layers', () => {
    const config = of('qwen2', { sliding_window: 512, use_sliding_window: true, max_window_layers: 6 });
    expect(readConfig('a/b', config).provenance.notes).toContainEqual(expect.stringContaining('max_window_layers'));
  });
});

describe('nested text models', () => {
  const vision = {
    model_type: 'siglip_vision_model',
    hidden_size: 64,
    intermediate_size: 128,
    num_hidden_layers: 2,
    num_attention_heads: 2,
    image_size: 56,
    patch_size: 14,
    vision_use_head: false,
  };

  test('a sparse text_config takes the rest from its class', () => {
    const shape = readConfig('google/gemma-3-4b-it', {
      architectures: ['Gemma3ForConditionalGeneration'],
      model_type: 'gemma3',
      torch_dtype: 'bfloat16',
      text_config: { hidden_size: 2560, intermediate_size: 10_240, num_hidden_layers: 34, sliding_window: 1024 },
      vision_config: { ...vision, hidden_size: 1152, intermediate_size: 4304, num_hidden_layers: 27, image_size: 896 },
    });
    expect(shape).toMatchObject({
      modelType: 'gemma3_text',
      attentionHeads: 8,
      keyValue: { heads: 4, headSize: 256 },
      vocabularySize: 262_208,
      contextLength: 131_072,
      tiedEmbeddings: true,
      multimodal: true,
      parameters: { total: 4_300_079_472 },
    });
  });

  test.each(['text_config', 'llm_config', 'language_config'])('%s', (part) => {
    const shape = readConfig('a/b', {
      architectures: ['InternVLChatModel'],
      model_type: 'internvl_chat',
      [part]: of('qwen2'),
    });
    expect(shape).toMatchObject({ architecture: 'InternVLChatModel', modelType: 'qwen2', layers: 8 });
  });

  test('two levels deep', () => {
    const config = {
      architectures: ['Qwen3OmniMoeForConditionalGeneration'],
      model_type: 'qwen3_omni_moe',
      thinker_config: { model_type: 'qwen3_omni_moe_thinker', text_config: of('qwen3_moe', { num_experts: 8 }) },
    };
    expect(readConfig('a/b', config)).toMatchObject({ modelType: 'qwen3_moe', experts: { routed: 8, active: 8 } });
  });

  test('an image model that says its text model flat', () => {
    const shape = readConfig(
      'a/b',
      of('qwen2_5_vl', { vision_config: { depth: 2, hidden_size: 64, out_hidden_size: 256 } }),
    );
    expect(shape).toMatchObject({ layers: 8, multimodal: true });
    expect(shape.parameters.towers).toBeGreaterThan(0);
  });

  test('towers that are not described are named', () => {
    const notes = (fields: Config) => readConfig('a/b', { ...llama, ...fields }).provenance.notes;
    expect(notes({ vision_config: { model_type: 'aimv2', hidden_size: 64, num_hidden_layers: 2 } })).toContain(
      'the parameters of vision_config are estimated',
    );
    expect(notes({ audio_config: {} })).toContain(
      'audio_config says too little to count its parameters; they are left out',
    );
  });

  test('a head that the outer file ties', () => {
    const config = {
      architectures: ['LlavaForConditionalGeneration'],
      model_type: 'llava',
      tie_word_embeddings: true,
      text_config: llama,
    };
    expect(readConfig('a/b', config).tiedEmbeddings).toBe(true);
  });
});

describe('what pipelines cannot split', () => {
  test.each<[string, Config, string | undefined]>([
    ['Llama', llama, undefined],
    ['StableLM', of('stablelm', { architectures: ['StableLmForCausalLM'] }), undefined],
    [
      'a class without',
      { ...llama, architectures: ['SmolVLMForConditionalGeneration'] },
      'vLLM has no pipeline for SmolVLM',
    ],
    [
      'shared keys and values',
      of('gemma4_text', { num_kv_shared_layers: 3, hidden_size_per_layer_input: 0 }),
      'its last 3 layers read the keys and values of earlier layers (num_kv_shared_layers)',
    ],
    [
      'inputs of each layer',
      of('gemma4_text', { hidden_size_per_layer_input: 256 }),
      'its layers take inputs of their own (hidden_size_per_layer_input 256)',
    ],
  ])('%s', (_, config, reason) => {
    const { noPipeline } = readConfig('a/b', config);
    if (reason === undefined) expect(noPipeline).toBeUndefined();
    else expect(noPipeline).toContain(reason);
  });
});

describe('latent attention', () => {
  const latent = { kv_lora_rank: 512, qk_rope_head_dim: 64, qk_nope_head_dim: 128, v_head_dim: 128, q_lora_rank: null };

  test('one latent for all heads', () => {
    const shape = readConfig('a/b', of('deepseek_v2', { ...latent, n_routed_experts: 4, num_experts_per_tok: 2 }));
    expect(shape).toMatchObject({ latentSize: 576, keyValue: { heads: 1, headSize: 576 } });
  });

  test('MiniCPM 3 has the projections and keeps whole keys', () => {
    const shape = readConfig('a/b', of('minicpm3', { ...latent, num_key_value_heads: 4 }));
    expect(shape.latentSize).toBeUndefined();
    expect(shape.keyValue.heads).toBe(4);
  });
});

describe('Gemma 4', () => {
  test('full layers have heads of their own size', () => {
    const config = of('gemma4_text', {
      hidden_size_per_layer_input: 0,
      num_key_value_heads: 2,
      num_global_key_value_heads: 1,
      global_head_dim: 128,
      attention_k_eq_v: true,
    });
    expect(readConfig('a/b', config)).toMatchObject({
      keyValue: { heads: 1, headSize: 128, keysOnly: true },
      slidingKeyValue: { heads: 2, headSize: 64 },
    });
  });

  test('layers with a window as long as the context keep their own heads', () => {
    const config = of('gemma4_text', { hidden_size_per_layer_input: 0, sliding_window: 8192 });
    expect(kinds(config)).toBe('sssssFsF');
    expect(kinds({ ...config, sliding_window: null })).toBe('sssssFsF');
    expect(readConfig('a/b', { ...config, sliding_window: null }).window).toBe(8192);
    const short = readConfig('a/b', { ...config, sliding_window: 512 });
    expect(readConfig('a/b', config).parameters).toEqual(short.parameters);
  });

  test('the global heads count only where values are the keys', () => {
    const config = of('gemma4_text', { num_key_value_heads: 2, num_global_key_value_heads: 1 });
    expect(readConfig('a/b', config).keyValue).toEqual({ heads: 2, headSize: 512 });
  });
});

describe('weights', () => {
  const format = (quantization_config: Config, fields: Config = {}) =>
    readConfig('a/b', { ...llama, quantization_config, ...fields }).weights;
  const compressed = (weights: Config) => ({
    quant_method: 'compressed-tensors',
    config_groups: { group_0: { weights } },
  });

  test.each<[string, Config, string, number]>([
    ['AWQ', { quant_method: 'awq', bits: 4, group_size: 128, zero_point: true }, 'awq', 4 + 16 / 128 + 4 / 128],
    ['AWQ, old names', { quant_method: 'awq', w_bit: 4, q_group_size: 64 }, 'awq', 4 + 20 / 64],
    ['GPTQ', { quant_method: 'gptq', bits: 4, group_size: 128 }, 'gptq', 4 + 20 / 128],
    ['GPTQ of 8 bits', { quant_method: 'gptq', bits: 8, group_size: 128 }, 'gptq', 8 + 24 / 128],
    ['GPTQ by rows', { quant_method: 'gptq', bits: 4, group_size: -1 }, 'gptq', 4],
    ['FP8', { quant_method: 'fp8', activation_scheme: 'static' }, 'fp8', 8],
    ['FP8 in blocks', { quant_method: 'fp8', weight_block_size: [128, 128] }, 'fp8', 8 + 32 / 16_384],
    ['FBGEMM', { quant_method: 'fbgemm_fp8' }, 'fp8', 8],
    ['compressed FP8', compressed({ num_bits: 8, type: 'float', strategy: 'channel' }), 'fp8', 8],
    ['compressed INT8', compressed({ num_bits: 8, type: 'int', strategy: 'channel', group_size: null }), 'int8', 8],
    [
      'compressed INT4',
      compressed({ num_bits: 4, type: 'int', group_size: 128, symmetric: true }),
      'int4',
      4 + 16 / 128,
    ],
    [
      'with zero points',
      compressed({ num_bits: 4, type: 'int', group_size: 128, symmetric: false }),
      'int4',
      4 + 20 / 128,
    ],
    ['compressed NVFP4', compressed({ num_bits: 4, type: 'float', group_size: 16 }), 'nvfp4', 4.5],
    ['ModelOpt NVFP4', { quant_method: 'modelopt', quant_algo: 'NVFP4' }, 'nvfp4', 4.5],
    ['ModelOpt FP8', { quant_method: 'modelopt', quantization: { quant_algo: 'FP8' } }, 'fp8', 8],
    ['ModelOpt without a method', { producer: { name: 'modelopt' }, quantization: { quant_algo: 'FP8' } }, 'fp8', 8],
    ['bitsandbytes of 4 bits', { quant_method: 'bitsandbytes', load_in_4bit: true }, 'int4', 4.5],
    ['bitsandbytes of 8 bits', { load_in_8bit: true }, 'int8', 8],
    ['AutoRound', { quant_method: 'auto-round', bits: 4, group_size: 128 }, 'int4', 4 + 20 / 128],
    ['something else of known bits', { quant_method: 'hqq', nbits: 4 }, 'other', 4.5],
    ['something else', { quant_method: 'gguf' }, 'other', 16],
  ])('%s', (_, quantization, name, bits) => {
    const { name: found, bits: foundBits, quantized } = format(quantization);
    expect({ found, foundBits, quantized }).toEqual({ found: name, foundBits: bits, quantized: 'linear' });
  });

  test('MXFP4 quantizes experts alone', () => {
    expect(format({ quant_method: 'mxfp4' })).toMatchObject({ name: 'mxfp4', bits: 4.25, quantized: 'experts' });
  });

  test('an unknown method asks for the size of the files', () => {
    const { notes } = readConfig('a/b', { ...llama, quantization_config: { quant_method: 'gguf' } }).provenance;
    expect(notes).toContainEqual(expect.stringMatching(/'gguf' is not known, 16 bits are assumed; give the size/));
  });

  test('quantization of the text part, and under its other name', () => {
    const text = { ...llama, quantization_config: { quant_method: 'fp8' } };
    const nested = { architectures: ['LlavaForConditionalGeneration'], model_type: 'llava', text_config: text };
    expect(readConfig('a/b', nested).weights.name).toBe('fp8');
    expect(readConfig('a/b', { ...llama, compression_config: compressed({ num_bits: 8 }) }).weights.name).toBe('int8');
  });

  test('embedding, head, norms and towers are not quantized', () => {
    const { parameters, weightsBytes } = readConfig('a/b', { ...llama, quantization_config: { quant_method: 'fp8' } });
    const quantized = parameters.layers.reduce((sum, { linear, keyValue }) => sum + linear + keyValue, 0);
    expect(weightsBytes).toBe(quantized + 2 * (parameters.total - quantized));
  });

  test.each([
    [{ torch_dtype: 'float16' }, 'float16', 16],
    [{ torch_dtype: undefined, dtype: 'bfloat16' }, 'bfloat16', 16],
    [{ torch_dtype: 'torch.bfloat16' }, 'bfloat16', 16],
    [{ torch_dtype: 'float32' }, 'float32', 32],
    [{ torch_dtype: undefined }, 'bfloat16', 16],
  ])('%o', (fields, name, bits) => {
    expect(readConfig('a/b', { ...llama, ...fields }).weights).toMatchObject({ name, bits, quantized: 'none' });
  });

  test('a file that names no type says so', () => {
    expect(readConfig('a/b', { ...llama, torch_dtype: null }).provenance.notes).toContainEqual(
      expect.stringContaining('names no torch_dtype'),
    );
  });

  test('files hold layers that only draft', () => {
    const plain = readConfig('a/b', llama);
    const drafting = readConfig('a/b', { ...llama, num_nextn_predict_layers: 1 });
    expect(drafting.parameters).toEqual(plain.parameters);
    expect(drafting.weightsBytes).toBeGreaterThan(plain.weightsBytes);
  });
});

describe('what is no config.json of a model', () => {
  test.each<[string, unknown, string]>([
    ['null', null, 'config.json of a/b is null; it takes the object that the file holds'],
    ['a text', 'x', "config.json of a/b is 'x'"],
    ['a list', [1, 2], 'config.json of a/b is a list of 2'],
    ['a number', 5, 'config.json of a/b is 5'],
    ['nothing', {}, 'has neither model_type nor architectures'],
    ['tokenizer_config.json', { tokenizer_class: 'X', eos_token: 'y' }, 'it looks like tokenizer_config.json'],
    ['generation_config.json', { eos_token_id: [1, 5], bos_token_id: 2 }, 'it looks like generation_config.json'],
    [
      'a LoRA',
      { peft_type: 'LORA', r: 8 },
      'adapter_config.json of a LoRA adapter; it takes the config.json of its base model',
    ],
    ['an image model', { _class_name: 'Flux', _diffusers_version: '1' }, 'an image model (diffusers)'],
    ['an index', { metadata: {}, weight_map: {} }, 'it looks like index of the weight files'],
    ['a processor', { image_processor_type: 'X' }, 'it looks like preprocessor_config.json'],
    ["the maker's file", { dim: 64, n_layers: 2, n_kv_heads: 2 }, "params.json in the maker's own format"],
    [
      'BERT',
      of('bert', { architectures: ['BertForMaskedLM'] }),
      'describes BertForMaskedLM, which is no decoder that generates text',
    ],
    [
      'T5',
      of('t5', { architectures: ['T5ForConditionalGeneration'] }),
      'describes T5ForConditionalGeneration, which is no decoder',
    ],
    ['an encoder by its switch', { ...llama, is_encoder_decoder: true }, 'which is no decoder that generates text'],
    ['a classifier', { ...llama, architectures: ['LlamaForSequenceClassification'] }, 'which is no decoder'],
  ])('%s', (_, config, message) => {
    expectError(() => readConfig('a/b', config), message);
  });
});

describe('numbers that no model has', () => {
  test.each<[string, Config, ...string[]]>([
    [
      'missing',
      { num_hidden_layers: undefined },
      'num_hidden_layers is missing',
      'a whole number from 1 to 10000',
      'is the file complete?',
    ],
    ['null', { num_hidden_layers: null }, 'num_hidden_layers is missing'],
    ['zero', { num_hidden_layers: 0 }, 'num_hidden_layers is 0; it takes a whole number from 1 to 10000'],
    ['negative', { hidden_size: -1 }, 'hidden_size is -1; it takes a whole number from 1 to 1000000'],
    ['broken', { vocab_size: 0.5 }, 'vocab_size is 0.5'],
    ['no number', { vocab_size: NaN }, 'vocab_size is NaN'],
    ['a text', { num_attention_heads: '4' }, "num_attention_heads is '4'; it takes a whole number"],
    ['a list', { num_attention_heads: [4] }, 'num_attention_heads is a list of 1'],
    ['an object', { max_position_embeddings: {} }, 'max_position_embeddings is an object'],
    ['true', { num_key_value_heads: true }, 'num_key_value_heads is true'],
    ['huge', { num_hidden_layers: 1e9 }, 'num_hidden_layers is 1000000000; it takes a whole number from 1 to 10000'],
    ['beyond whole numbers', { vocab_size: 1e300 }, 'vocab_size is 1e+300'],
    [
      'more heads of keys than heads',
      { num_key_value_heads: 8 },
      'num_key_value_heads is 8; it takes a number that divides the 4 attention heads',
    ],
    ['heads that do not divide', { num_attention_heads: 4, num_key_value_heads: 3 }, 'num_key_value_heads is 3'],
    [
      'no size of a head',
      { head_dim: undefined, num_attention_heads: 3 },
      'hidden_size 256 is no multiple of num_attention_heads 3',
      'or head_dim',
    ],
    [
      'layer_types too short',
      { layer_types: ['full_attention'] },
      'layer_types is a list of 1; it takes a list of 8 words, one a layer',
    ],
    ['layer_types of a text', { layer_types: 'full' }, "layer_types is 'full'"],
    [
      'an unknown layer',
      { layer_types: Array(8).fill('magic') },
      "layer_types[0] is 'magic'; it takes one of full_attention,",
    ],
    ['a layer of Object', { layer_types: Array(8).fill('constructor') }, "layer_types[0] is 'constructor'"],
    ['a window of a text', { sliding_window: 'big' }, "sliding_window is 'big'"],
    [
      'widths of too few layers',
      { intermediate_size: [1, 2] },
      'intermediate_size is a list of 2; it takes a list of 8 numbers',
    ],
    ['a width of a text', { intermediate_size: Array(8).fill('x') }, "intermediate_size[0] is 'x'"],
    ['no width', { intermediate_size: undefined }, 'intermediate_size is missing'],
    ['a switch of a text', { tie_word_embeddings: 'yes' }, "tie_word_embeddings is 'yes'; it takes true or false"],
    [
      'text_config of null',
      { text_config: null },
      'text_config is null; it takes an object with the numbers of the text model',
    ],
    ['text_config of a text', { text_config: 'x' }, "text_config is 'x'; it takes an object"],
    ['an empty text_config', { text_config: {} }, 'text_config: num_hidden_layers is missing'],
    ['architectures of a text', { architectures: 'Llama' }, "architectures is 'Llama'; it takes a list"],
    [
      'architectures of numbers',
      { architectures: [5] },
      "architectures[0] is 5; it takes the name of a class such as 'LlamaForCausalLM'",
    ],
    ['a model_type of a number', { model_type: 5 }, 'model_type is 5; it takes a text'],
    ['quantization of a text', { quantization_config: 'awq' }, "quantization_config is 'awq'; it takes an object"],
    [
      'quantization without a method',
      { quantization_config: { bits: 4 } },
      'quantization_config: quant_method is missing',
    ],
    [
      'bits of a text',
      { quantization_config: { quant_method: 'awq', bits: 'four' } },
      "quantization_config: bits is 'four'",
    ],
    ['a type of weights that nobody has', { torch_dtype: 'int3' }, "torch_dtype is 'int3'; it takes one of bfloat16"],
    [
      'more experts at once than there are',
      { num_local_experts: 4, num_experts_per_tok: 5 },
      'num_experts_per_tok is 5; it takes a whole number from 1 to the 4 experts',
    ],
    ['a factor of a text', { rope_scaling: { type: 'linear', factor: 'x' } }, "rope_scaling.factor is 'x'"],
    [
      'too many parameters',
      { vocab_size: 1e8, hidden_size: 1e6, intermediate_size: 1e8, num_hidden_layers: 1e4, num_local_experts: 1e5 },
      'which is no size of a model',
    ],
  ])('%s', (_, fields, ...message) => {
    expectError(() => readConfig('a/b', { ...llama, ...fields }), 'config.json of a/b', ...message);
  });

  test('text models within text models without end', () => {
    const deep = `${'{"text_config":'.repeat(100_000)}{}${'}'.repeat(100_000)}`;
    expectError(
      () => readConfig('a/b', { ...llama, text_config: JSON.parse(deep) as unknown }),
      'num_hidden_layers is missing',
    );
  });

  test('keys of Object are no fields', () => {
    const config = JSON.parse(JSON.stringify(llama).replace('{', '{"__proto__":{"num_hidden_layers":5},')) as unknown;
    expect(readConfig('a/b', config).layers).toBe(8);
    expectError(() => readConfig('a/b', Object.create(llama)), 'has neither model_type nor architectures');
  });

  test.each(['toString', '__proto__', 'constructor'])('a model_type of %s is unknown, no more', (model_type) => {
    expect(readConfig('a/b', { ...llama, model_type }).provenance.notes[0]).toContain('is not known here');
  });

  test('a wrong size of the files', () => {
    expectError(() => readConfig('a/b', llama, { weightsBytes: NaN }), 'weights of a/b are NaN bytes');
    expectError(
      () => readConfig('a/b', llama, { weightsBytes: 0 }),
      'weights of a/b are 0 bytes; it takes a whole number from 1',
    );
  });
});
