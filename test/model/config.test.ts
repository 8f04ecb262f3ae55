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
    const refused = (architecture: string) => {
      const shape = readConfig('a/b', { ...llama, architectures: [architecture] });
      return [shape.refused, shape.refusedSince];
    };
    expect(refused('LlamaForCausalLM')).toEqual([undefined, undefined]);
    // Still there in the release that the registry names.
    expect(refused('MPTForCausalLM')).toEqual(['vLLM has had no MPTForCausalLM since 0.29.0', '0.29.0']);
    expect(refused('MllamaForConditionalGeneration')[1]).toBe('0.11.0');
    // In 0.24.0 too, though its registry names 0.23.0.
    expect(refused('BaichuanForCausalLM')[1]).toBe('0.25.0');
    expect(refused('constructor')).toEqual([undefined, undefined]);
  });
});

describe('what the file leaves out', () => {
  const llava = (text_config: Config) => ({
    architectures: ['LlavaForConditionalGeneration'],
    model_type: 'llava',
    text_config,
  });

  test('is what the class of the text model has, and says nothing in a part of the file', () => {
    // LLaVA 1.5.
    const shape = readConfig('a/b', llava({ model_type: 'llama', vocab_size: 32_064, max_position_embeddings: 4096 }));
    expect(shape).toMatchObject({ layers: 32, hiddenSize: 4096, attentionHeads: 32, contextLength: 4096 });
    expect(shape.keyValue).toEqual({ heads: 32, headSize: 128 });
    expect(shape.provenance.notes).toHaveLength(2);
    expect(readConfig('a/b', llava({}))).toMatchObject({ modelType: 'llama', layers: 32, vocabularySize: 32_000 });
    const mistral = readConfig('a/b', llava({ model_type: 'mistral', head_dim: 128, num_hidden_layers: 40 }));
    expect(mistral).toMatchObject({ attentionHeads: 32, keyValue: { heads: 8, headSize: 128 }, layers: 40 });
  });

  test('is said of a whole file', () => {
    const shape = readConfig('a/b', { ...llama, num_hidden_layers: undefined, intermediate_size: undefined });
    expect(shape.layers).toBe(32);
    expect(shape.provenance.notes).toContain(
      'config.json does not say num_hidden_layers, intermediate_size: what the class of llama in transformers has is ' +
        'taken; is it complete?',
    );
  });

  test('head size is not that of the class where the class derives it', () => {
    expect(readConfig('a/b', of('mistral', { head_dim: undefined, hidden_size: 512 })).keyValue.headSize).toBe(128);
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

  const mixed = [...Array<string>(4).fill('full_attention'), ...Array<string>(4).fill('sliding_attention')];
  const used = { sliding_window: 512, use_sliding_window: true };

  test.each<[string, boolean, Config]>([
    ['a window in a part of the layers', true, of('qwen2', { ...used, max_window_layers: 6 })],
    ['of Qwen 3', true, of('qwen3', { ...used, max_window_layers: 6 })],
    ['of MiMo', true, of('mimo', { layer_types: mixed })],
    ['of an image model', true, of('qwen2_5_vl', { ...used, max_window_layers: 6 })],
    ['a window that the class puts there', true, of('qwen2', { use_sliding_window: true, max_window_layers: 6 })],
    ['in all layers', false, of('qwen2', { ...used, max_window_layers: 0 })],
    ['in none: from a layer on that is not there', false, of('qwen2', { ...used, max_window_layers: 8 })],
    ['in none: 28 by the class', false, of('qwen2', used)],
    ['switched off', false, of('qwen2', { ...used, use_sliding_window: false, max_window_layers: 6 })],
    ['kinds that are listed, whatever the switch', true, of('qwen2', { layer_types: mixed })],
    [
      'kinds that are listed, and max_window_layers',
      false,
      of('qwen2', { ...used, layer_types: mixed, max_window_layers: 8 }),
    ],
    [
      'kinds that are listed and alike',
      false,
      of('qwen2', { ...used, layer_types: Array(8).fill('sliding_attention') }),
    ],
    ['a class of its own: experts of Qwen 2', false, of('qwen2_moe', { ...used, max_window_layers: 6 })],
    ['experts of Qwen 3', false, of('qwen3_moe', { ...used, max_window_layers: 6 })],
    ['Gemma 3', false, of('gemma3_text', { layer_types: mixed })],
  ])('vLLM asserts that Qwen 2 has a window in all layers or in none: %s', (_, refused, config) => {
    const shape = readConfig('a/b', config);
    expect(shape.refused).toBe(
      refused ? 'some of its layers have a window and others have none (layer_types, max_window_layers)' : undefined,
    );
    expect(shape.refusedSince).toBeUndefined();
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

  test('MiniCPM 3 has the projections and keeps whole keys, and values as wide', () => {
    const shape = readConfig('a/b', of('minicpm3', { ...latent, qk_nope_head_dim: 64, qk_rope_head_dim: 32 }));
    expect(shape.latentSize).toBeUndefined();
    // A head for each query head, whatever num_key_value_heads says: vLLM builds Attention so.
    expect(shape.keyValue).toEqual({ heads: 4, headSize: 96 });
    const silent = readConfig('a/b', of('minicpm3', { ...latent, v_head_dim: undefined }));
    const said = readConfig('a/b', of('minicpm3', { ...latent, v_head_dim: 64 }));
    expect(silent.parameters).toEqual(said.parameters);
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

describe('models without attention', () => {
  test.each(['mamba', 'falcon_mamba', 'mamba2'])('%s: one head of no size, and states alone', (type) => {
    const shape = readConfig(
      'a/b',
      of(type, { num_attention_heads: undefined, head_dim: type === 'mamba2' ? 64 : undefined }),
    );
    expect(shape.keyValue).toEqual({ heads: 1, headSize: 0 });
    expect(new Set(shape.layerKinds)).toEqual(new Set(['state']));
  });
});

describe('Zamba 2', () => {
  const zamba = of('zamba2', {
    layers_block_type: ['mamba', 'hybrid', 'mamba', 'hybrid', 'mamba', 'mamba', 'mamba', 'mamba'],
  });

  test('layers that share a block keep keys and values twice as wide as the hidden state', () => {
    const shape = readConfig('a/b', { ...zamba, head_dim: undefined, num_key_value_heads: 4 });
    expect(shape.keyValue).toEqual({ heads: 4, headSize: 128 });
    expect(kinds(zamba)).toBe('xFxFxxxx');
    expect(kinds({ ...zamba, layers_block_type: undefined, hybrid_layer_ids: [1, 3] })).toBe('xFxFxxxx');
  });

  test('as many layers hold the shared blocks as there are blocks', () => {
    const total = (num_mem_blocks: number) => readConfig('a/b', { ...zamba, num_mem_blocks }).parameters.total;
    // Three projections of 512 by 512 and one back, a feed-forward of three matrices, two norms.
    expect(total(2) - total(1)).toBe(3 * 512 * 512 + 512 * 256 + 3 * 256 * 512 + 512 + 256);
  });
});

describe('LFM 2', () => {
  const lfm: Config = of('lfm2', { hidden_size: 2048, block_multiple_of: 256 });

  test('block_ff_dim is the width, and wins over intermediate_size', () => {
    const total = (fields: Config) => readConfig('a/b', { ...lfm, ...fields }).parameters.total;
    expect(total({ block_ff_dim: 12_288 })).toBe(total({ intermediate_size: 12_288 }));
    expect(total({ block_ff_dim: 12_288, intermediate_size: undefined })).toBe(total({ intermediate_size: 12_288 }));
    // 2/3 of it, in multiples of 256, unless that is switched off.
    expect(total({ block_ff_dim: 12_288 })).toBe(total({ block_ff_dim: 8192, block_auto_adjust_ff_dim: false }));
  });

  test('tie_embedding wins over tie_word_embeddings', () => {
    const tied = (fields: Config) => readConfig('a/b', { ...lfm, ...fields }).tiedEmbeddings;
    expect(tied({})).toBe(true);
    expect(tied({ tie_embedding: false, tie_word_embeddings: true })).toBe(false);
    expect(tied({ tie_embedding: true, tie_word_embeddings: false })).toBe(true);
  });
});

describe('what is an approximation', () => {
  test.each<[string, true | undefined, Config]>([
    ['a plain model is none', undefined, llama],
    ['a type that is not known', true, of('nova')],
    [
      'a tower that is not described',
      true,
      { ...llama, vision_config: { model_type: 'aimv2', hidden_size: 64, num_hidden_layers: 2 } },
    ],
    ['a quantization of bits that are not known', true, { ...llama, quantization_config: { quant_method: 'quark' } }],
    ['one of bits that are', undefined, { ...llama, quantization_config: { quant_method: 'bitsandbytes' } }],
  ])('%s', (_, approximate, config) => {
    expect(readConfig('a/b', config).provenance.approximate).toBe(approximate);
  });

  test('a size of the files that agrees ends it', () => {
    const config = of('nova');
    const weightsBytes = readConfig('a/b', config).weightsBytes;
    expect(readConfig('a/b', config, { weightsBytes }).provenance.approximate).toBeUndefined();
    expect(readConfig('a/b', config, { weightsBytes: 2 * weightsBytes }).provenance.approximate).toBe(true);
  });
});

describe('towers that are named and not described', () => {
  const phi: Config = {
    architectures: ['Phi3VForCausalLM'],
    model_type: 'phi3_v',
    torch_dtype: 'bfloat16',
    hidden_size: 3072,
    intermediate_size: 8192,
    num_hidden_layers: 32,
    num_attention_heads: 32,
    vocab_size: 32_064,
    max_position_embeddings: 131_072,
    img_processor: { name: 'clip_vision_model', model_name: 'openai/clip-vit-large-patch14-336', image_dim_out: 1024 },
  };

  test('Phi-3.5 vision: 4,146,621,440 parameters, as its files have', () => {
    const shape = readConfig('microsoft/Phi-3.5-vision-instruct', phi);
    expect(shape).toMatchObject({ multimodal: true, parameters: { total: 4_146_621_440, towers: 325_541_888 } });
    expect(shape.provenance.approximate).toBeUndefined();
  });

  test('another tower of it is a note', () => {
    const shape = readConfig('a/b', { ...phi, img_processor: { name: 'other' } });
    expect(shape).toMatchObject({ multimodal: true, provenance: { approximate: true } });
    expect(shape.provenance.notes).toContain(
      'img_processor says too little to count its parameters; they are left out',
    );
  });

  test('Phi-4 multimodal', () => {
    const shape = readConfig('a/b', {
      ...phi,
      model_type: 'phi4mm',
      num_key_value_heads: 8,
      vocab_size: 200_064,
      tie_word_embeddings: true,
      hidden_size: 3072,
      num_attention_heads: 24,
      img_processor: null,
    });
    expect(shape).toMatchObject({ multimodal: true });
    expect(shape.parameters.total / 1e9).toBeCloseTo(5.57, 1);
  });

  test('towers beside the text model of Qwen Omni', () => {
    const shape = readConfig('a/b', {
      architectures: ['Qwen2_5OmniModel'],
      model_type: 'qwen2_5_omni',
      thinker_config: {
        model_type: 'qwen2_5_omni_thinker',
        text_config: of('qwen2'),
        audio_config: { d_model: 64, encoder_layers: 2 },
      },
    });
    expect(shape.multimodal).toBe(true);
    expect(shape.parameters.towers).toBeGreaterThan(0);
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
    ['bitsandbytes of 4 bits', { quant_method: 'bitsandbytes', load_in_4bit: true }, 'other', 4.5],
    ['bitsandbytes of 8 bits', { load_in_8bit: true }, 'other', 8],
    ['MXFP8', { quant_method: 'mxfp8' }, 'other', 8.25],
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

  test.each<[string, string | undefined, string | undefined]>([
    ['awq', undefined, undefined],
    ['torchao', undefined, undefined],
    ['auto-round', undefined, undefined],
    ['compressed_tensors', undefined, undefined],
    ['nope', "vLLM knows no quantization method 'nope' (quant_method)", undefined],
    ['hqq', "vLLM knows no quantization method 'hqq' (quant_method)", undefined],
    ['constructor', "vLLM knows no quantization method 'constructor' (quant_method)", undefined],
    ['x\n\u202e', "vLLM knows no quantization method 'x\\u000a\\u202e' (quant_method)", undefined],
    ['bitsandbytes', "vLLM has had no quantization method 'bitsandbytes' since 0.28.0", '0.28.0'],
    ['gguf', "vLLM has had no quantization method 'gguf' since 0.24.0", '0.24.0'],
  ])('%j is a method of vLLM, or refused', (quant_method, refused, since) => {
    const shape = readConfig('a/b', { ...llama, quantization_config: { quant_method, bits: 4, config_groups: {} } });
    expect([shape.refused, shape.refusedSince]).toEqual([refused, since]);
  });

  test('the method is kept beside the name', () => {
    expect(format({ quant_method: 'torchao' })).toMatchObject({ name: 'other', method: 'torchao' });
    expect(format({ load_in_8bit: true })).toMatchObject({ name: 'other', method: 'bitsandbytes' });
    expect(format({ quant_method: 'AWQ' })).toMatchObject({ name: 'awq', method: 'awq' });
    expect(readConfig('a/b', llama).weights.method).toBeUndefined();
  });

  test('a reason for all releases goes before one for newer ones', () => {
    const shape = readConfig('a/b', {
      ...llama,
      architectures: ['MPTForCausalLM'],
      quantization_config: { quant_method: 'nope' },
    });
    expect(shape.refusedSince).toBeUndefined();
    const removed = {
      ...llama,
      architectures: ['MPTForCausalLM'],
      quantization_config: { quant_method: 'gguf', bits: 4 },
    };
    expect(readConfig('a/b', removed).refusedSince).toBe('0.24.0');
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
    expect(readConfig('a/b', { ...llama, mtp_num_hidden_layers: 1 }).weightsBytes).toBe(drafting.weightsBytes);
  });

  test('a draft of GLM 4.5 has an embedding and a head of its own: 110.47 billion in its files', () => {
    const glm = of('glm4_moe', {
      hidden_size: 4096,
      head_dim: 128,
      intermediate_size: 10_944,
      num_hidden_layers: 46,
      num_attention_heads: 96,
      num_key_value_heads: 8,
      moe_intermediate_size: 1408,
      n_routed_experts: 128,
      num_experts_per_tok: 8,
      attention_bias: true,
      vocab_size: 151_552,
      num_nextn_predict_layers: 1,
    });
    expect(readConfig('a/b', glm).weightsBytes / 2e9).toBeCloseTo(110.47, 2);
  });

  test('a draft that the file does not say is a note', () => {
    expect(readConfig('a/b', of('qwen3_next')).provenance.notes).toContainEqual(expect.stringContaining('(MTP)'));
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
      'missing, of a type that is not known',
      { model_type: 'nova', num_hidden_layers: undefined },
      'num_hidden_layers is missing; it takes a whole number from 1 to 1000; is the file complete? ' +
        'Write it into the file, or describe the model by Model.custom',
    ],
    ['null', { num_hidden_layers: null }, 'num_hidden_layers is missing'],
    ['zero', { num_hidden_layers: 0 }, 'num_hidden_layers is 0; it takes a whole number from 1 to 1000'],
    ['negative', { hidden_size: -1 }, 'hidden_size is -1; it takes a whole number from 1 to 1000000'],
    ['broken', { vocab_size: 0.5 }, 'vocab_size is 0.5'],
    ['no number', { vocab_size: NaN }, 'vocab_size is NaN'],
    ['a text', { num_attention_heads: '4' }, "num_attention_heads is '4'; it takes a whole number"],
    ['a list', { num_attention_heads: [4] }, 'num_attention_heads is a list of 1'],
    ['an object', { max_position_embeddings: {} }, 'max_position_embeddings is an object'],
    ['true', { num_key_value_heads: true }, 'num_key_value_heads is true'],
    ['huge', { num_hidden_layers: 1e9 }, 'num_hidden_layers is 1000000000; it takes a whole number from 1 to 1000'],
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
    [
      'no width',
      { model_type: 'nova', intermediate_size: undefined },
      'intermediate_size is missing; it takes a whole number from 1 to 100000000; is the file complete?',
    ],
    ['no width of a type that is known', { intermediate_size: null }, 'intermediate_size is missing'],
    ['a width of 0', { intermediate_size: 0 }, 'intermediate_size is 0; it takes a whole number from 1'],
    [
      'no width of the dense layers beside those of experts',
      {
        model_type: 'nova',
        intermediate_size: undefined,
        moe_intermediate_size: 64,
        num_experts: 4,
        first_k_dense_replace: 1,
      },
      'intermediate_size is missing',
    ],
    ['a type with spaces', { model_type: 'lla\nma' }, "model_type is 'lla\\u000ama'; it takes a word such as 'llama'"],
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
      { vocab_size: 1e8, hidden_size: 1e6, intermediate_size: 1e8, num_hidden_layers: 1000, num_local_experts: 1e5 },
      'which is no size of a model',
    ],
  ])('%s', (_, fields, ...message) => {
    expectError(() => readConfig('a/b', { ...llama, ...fields }), 'config.json of a/b', ...message);
  });

  test('messages are one line of moderate length, whatever the file and the name hold', () => {
    const evil = `\u001b[31mx\n\u202e\u2028${'y'.repeat(1000)}`;
    const configs: Config[] = [
      { ...llama, architectures: [evil] },
      { ...llama, torch_dtype: evil },
      { ...llama, hidden_size: evil },
      { ...llama, layer_types: Array(8).fill(evil) },
      { ...llama, model_type: evil },
      {
        ...llama,
        quantization_config: {
          quant_method: 'compressed-tensors',
          config_groups: { [evil]: { weights: { num_bits: evil } } },
        },
      },
    ];
    for (const config of configs) {
      let message = '';
      try {
        readConfig(evil, config);
      } catch (error) {
        message = (error as Error).message;
      }
      expect(message).toMatch(/^config\.json of \\u001b\[31mx\\u000a\\u202e\\u2028y+…[\x20-\x7e…]+$/);
      expect(message.length).toBeLessThan(600);
    }
    const notes = readConfig('a/b', {
      ...llama,
      torch_dtype: `float8${evil}`,
      quantization_config: { quant_method: evil },
    });
    expect(notes.provenance.notes.join('') + notes.refused!).toMatch(/^[\x20-\x7e…]+$/);
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
