import { isObject, type Fields } from './fields';

/** Parameters of what reads images and sound. */
export interface TowersCount {
  /** Whether there is something that reads images or sound. */
  readonly any: boolean;
  readonly parameters: number;
  /** Whether config.json does not say enough to count them, and nobody else does. */
  readonly isEstimate: boolean;
  readonly notes: readonly string[];
}

const SIZE = { min: 1, max: 1_000_000 };
const LAYERS = { min: 1, max: 1000 };

/** What classes of towers put where config.json is silent. */
const DEFAULTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  siglip: {
    hidden_size: 768,
    intermediate_size: 3072,
    num_hidden_layers: 12,
    image_size: 224,
    patch_size: 16,
    vision_use_head: true,
  },
  clip: { hidden_size: 768, intermediate_size: 3072, num_hidden_layers: 12, image_size: 224, patch_size: 32 },
  pixtral: { hidden_size: 1024, intermediate_size: 4096, num_hidden_layers: 24, patch_size: 16 },
  qwen2: { depth: 32, embed_dim: 1280, mlp_ratio: 4, patch_size: 14, spatial_merge_size: 2, temporal_patch_size: 2 },
  qwen25: {
    depth: 32,
    hidden_size: 3584,
    intermediate_size: 3420,
    patch_size: 14,
    spatial_merge_size: 2,
    temporal_patch_size: 2,
  },
  qwen3: {
    depth: 27,
    hidden_size: 1152,
    intermediate_size: 4304,
    patch_size: 16,
    spatial_merge_size: 2,
    temporal_patch_size: 2,
    num_position_embeddings: 2304,
    deepstack_visual_indexes: [8, 16, 24],
  },
  llama4: {
    hidden_size: 768,
    intermediate_size: 5632,
    num_hidden_layers: 34,
    image_size: 448,
    patch_size: 14,
    projector_input_dim: 4096,
    projector_output_dim: 4096,
    vision_output_dim: 7680,
  },
  gemma4: {
    hidden_size: 768,
    intermediate_size: 3072,
    num_hidden_layers: 16,
    num_attention_heads: 12,
    head_dim: 64,
    patch_size: 16,
    position_embedding_size: 10_240,
  },
  gemma4_unified: { patch_size: 16, pooling_kernel_size: 3, mm_embed_dim: 3840, mm_posemb_size: 1120, depth: 1 },
  whisper: { d_model: 1280, encoder_ffn_dim: 5120, encoder_layers: 32, num_mel_bins: 128, max_source_positions: 1500 },
  gemma4_audio: {
    hidden_size: 1024,
    num_hidden_layers: 12,
    num_attention_heads: 8,
    conv_kernel_size: 5,
    output_proj_dims: 1536,
    subsampling_conv_channels: [128, 32],
  },
};

/** Fields of config.json that describe what reads images or sound. */
const TOWERS = [
  'vision_config',
  'vision_encoder',
  'vision_model',
  'vision_tower_config',
  'vit_config',
  'visual',
  'img_processor',
  'audio_config',
  'speech_config',
  'sound_config',
  'encoder_config',
  'whisper_config',
  'audio_processor',
];

/** Counts the parameters of vision and audio towers with their projectors. */
export function countTowers(config: Fields, modelType: string, hiddenSize: number): TowersCount {
  const notes: string[] = [];
  // Of Qwen Omni the towers are beside the text model, in a part of their own.
  const thinker = isObject(config.raw('thinker_config')) ? config.inner('thinker_config') : undefined;
  const found = [config, thinker].flatMap((part) =>
    TOWERS.filter((name) => part?.raw(name) !== undefined).map((name) => ({ part: part!, name })),
  );
  let parameters = 0;
  let isEstimate = false;
  if (modelType === 'phi4mm') {
    notes.push(
      'the towers and adapters of Phi-4 multimodal are not described; their size is what the makers state, rounded',
    );
    return { any: true, parameters: PHI4MM, isEstimate: false, notes };
  }
  for (const { part, name } of found) {
    if (!isObject(part.raw(name))) continue;
    const tower = part.inner(name)!;
    const known = countTower(part, tower, name, modelType, hiddenSize) ?? stated(tower, name, notes);
    isEstimate ||= known === undefined;
    parameters += known ?? estimate(tower, name, hiddenSize, notes);
  }
  return { any: found.length > 0, parameters, isEstimate, notes };
}

function countTower(
  config: Fields,
  tower: Fields,
  name: string,
  modelType: string,
  hiddenSize: number,
): number | undefined {
  if (name === 'vision_config') return countKnown(config, tower, modelType, hiddenSize);
  if (name === 'audio_config') return countAudio(tower, hiddenSize);
  if (name === 'img_processor') return countPhi3(tower, hiddenSize);
  return undefined;
}

/** Towers and adapters of Phi-4 multimodal: 5.57 billion parameters by its makers, 3.84 of them in the text model. */
const PHI4MM = 1_740_000_000;

/** CLIP ViT-L/14 at 336 pixels, which Phi-3 vision names without its sizes. */
const CLIP_LARGE = 303_507_456;

/** Phi-3 vision: a known tower, four of its patches at once through a projector of two layers, and two separators. */
function countPhi3(tower: Fields, hiddenSize: number): number | undefined {
  if (tower.text('model_name') !== 'openai/clip-vit-large-patch14-336') return undefined;
  const width = 4 * (tower.optionalInteger(['image_dim_out'], SIZE) ?? 1024);
  return CLIP_LARGE + (width + 1) * hiddenSize + (hiddenSize + 1) * hiddenSize + 2 * width;
}

/** Blocks of a plain vision transformer: four square projections, a feed-forward of two matrices, biases, two norms. */
function plainBlocks(layers: number, width: number, inner: number): number {
  return layers * (4 * (width ** 2 + width) + 2 * width * inner + width + inner + 4 * width);
}

function countKnown(config: Fields, tower: Fields, modelType: string, hiddenSize: number): number | undefined {
  const kind = kindOf(tower.text('model_type') ?? '', modelType);
  if (kind === undefined) return undefined;
  const fields = tower.withDefaults(DEFAULTS[kind]!);
  const size = (name: string) => fields.integer([name], SIZE);
  const layers = fields.integer(['num_hidden_layers', 'depth'], LAYERS);
  const patch = size('patch_size');
  const patches = () => Math.floor(size('image_size') / patch) ** 2;
  switch (kind) {
    case 'siglip': {
      const [w, inner] = [size('hidden_size'), size('intermediate_size')];
      const pooling = fields.flag('vision_use_head') ? 5 * w + 4 * (w ** 2 + w) - 2 * w + 2 * w * inner + w + inner : 0;
      const tower = 3 * patch ** 2 * w + w + patches() * w + plainBlocks(layers, w, inner) + 2 * w + pooling;
      return tower + (modelType === 'gemma3' ? w * hiddenSize + w : 2 * (w + 1) * hiddenSize);
    }
    case 'clip': {
      const [w, inner] = [size('hidden_size'), size('intermediate_size')];
      const tower = 3 * patch ** 2 * w + (patches() + 2) * w + plainBlocks(layers, w, inner) + 4 * w;
      return tower + (w + 1) * hiddenSize + (hiddenSize + 1) * hiddenSize;
    }
    case 'pixtral': {
      const [w, inner] = [size('hidden_size'), size('intermediate_size')];
      const tower = 3 * patch ** 2 * w + w + layers * (4 * w ** 2 + 3 * w * inner + 2 * w);
      const bias = config.flag('multimodal_projector_bias', modelType !== 'mistral3') ? 2 * hiddenSize : 0;
      const projector = w * hiddenSize + hiddenSize ** 2 + bias;
      if (modelType !== 'mistral3') return tower + projector;
      const merge = config.optionalInteger(['spatial_merge_size'], SIZE) ?? 2;
      return tower + projector + w + w * merge ** 2 * w;
    }
    case 'qwen2':
    case 'qwen25':
    case 'qwen3': {
      const w = size(kind === 'qwen2' ? 'embed_dim' : 'hidden_size');
      const merged = w * size('spatial_merge_size') ** 2;
      const convolution = 3 * size('temporal_patch_size') * patch ** 2 * w;
      const out = fields.optionalInteger(['out_hidden_size'], SIZE) ?? hiddenSize;
      const merger = merged ** 2 + merged + merged * out + out;
      if (kind === 'qwen2') {
        return convolution + plainBlocks(layers, w, w * size('mlp_ratio')) + 2 * w + merger;
      }
      const inner = size('intermediate_size');
      if (kind === 'qwen25') {
        return convolution + layers * (4 * (w ** 2 + w) + 3 * w * inner + 2 * inner + w + 2 * w) + w + merger;
      }
      const positions = size('num_position_embeddings') * w;
      const taps = modelType.startsWith('qwen3_5')
        ? []
        : (fields.integers('deepstack_visual_indexes', { min: 0, max: 9_999 }, 10_000) ?? []);
      return (
        convolution +
        w +
        positions +
        plainBlocks(layers, w, inner) +
        2 * w +
        merger +
        taps.length * (2 * merged + merger)
      );
    }
    case 'llama4': {
      const [w, inner] = [size('hidden_size'), size('intermediate_size')];
      const tower = 3 * patch ** 2 * w + (patches() + 2) * w + 4 * w + plainBlocks(layers, w, inner);
      const adapter = inner * size('projector_input_dim') + size('projector_output_dim') ** 2;
      return tower + adapter + size('vision_output_dim') * hiddenSize;
    }
    case 'gemma4': {
      const [w, inner] = [size('hidden_size'), size('intermediate_size')];
      const heads = size('num_attention_heads');
      const keys = fields.optionalInteger(['num_key_value_heads'], SIZE) ?? heads;
      const headSize = size('head_dim');
      const attention = w * headSize * (2 * heads + 2 * keys) + 2 * headSize;
      const embedder = 3 * patch ** 2 * w + 2 * size('position_embedding_size') * w;
      return embedder + layers * (attention + 3 * w * inner + 4 * w) + w * hiddenSize;
    }
    case 'gemma4_unified': {
      // No encoder: patches are embedded at once.
      const w = size('mm_embed_dim');
      const pixels = 3 * (patch * size('pooling_kernel_size')) ** 2;
      return 2 * pixels + (pixels + 1) * w + 4 * w + 2 * size('mm_posemb_size') * w + w * hiddenSize;
    }
    default:
      return undefined;
  }
}

/** The encoder of Whisper, whose keys have no bias, and a projector. */
function countWhisper(tower: Fields, hiddenSize: number): number {
  const fields = tower.withDefaults(DEFAULTS['whisper']!);
  const size = (name: string) => fields.integer([name], SIZE);
  const [w, inner] = [size('d_model'), size('encoder_ffn_dim')];
  const convolutions = (3 * size('num_mel_bins') + 1) * w + (3 * w + 1) * w;
  const layers = fields.integer(['encoder_layers'], LAYERS);
  return (
    convolutions +
    size('max_source_positions') * w +
    plainBlocks(layers, w, inner) -
    layers * w +
    2 * w +
    (w + 1) * hiddenSize
  );
}

/** Audio encoders: of Gemma 4 a conformer, or a projection alone. */
function countAudio(tower: Fields, hiddenSize: number): number | undefined {
  const type = tower.text('model_type') ?? '';
  if (type === 'gemma4_unified_audio') return (tower.optionalInteger(['audio_embed_dim'], SIZE) ?? 640) * hiddenSize;
  if (type === 'qwen2_audio_encoder') return countWhisper(tower, hiddenSize);
  if (type !== 'gemma4_audio') return undefined;
  const fields = tower.withDefaults(DEFAULTS['gemma4_audio']!);
  const w = fields.integer(['hidden_size'], SIZE);
  const out = fields.integer(['output_proj_dims'], SIZE);
  const [first, second] = fields.integers('subsampling_conv_channels', SIZE, 2)!;
  if (first === undefined || second === undefined) {
    return fields.refuse('subsampling_conv_channels', [first], 'a list of two numbers');
  }
  const perHead = Math.floor(w / fields.integer(['num_attention_heads'], SIZE));
  const feedForwards = 2 * (8 * w ** 2 + 2 * w);
  const attention = 5 * w ** 2 + perHead;
  const convolution = 3 * w ** 2 + (fields.integer(['conv_kernel_size'], SIZE) + 2) * w;
  const subsampling = 9 * first + first + 9 * first * second + second + 32 * second * w;
  const layers = fields.integer(['num_hidden_layers'], LAYERS);
  return layers * (feedForwards + attention + convolution + 3 * w) + subsampling + (w + 1) * out + out * hiddenSize;
}

function kindOf(visionType: string, modelType: string): string | undefined {
  if (visionType.startsWith('siglip') && !visionType.startsWith('siglip2')) return 'siglip';
  if (visionType.startsWith('clip')) return 'clip';
  if (visionType === 'pixtral') return 'pixtral';
  if (visionType === 'llama4_vision_model') return 'llama4';
  if (visionType === 'gemma4_vision') return 'gemma4';
  if (visionType === 'gemma4_unified_vision') return 'gemma4_unified';
  if (modelType === 'gemma3') return 'siglip';
  if (modelType === 'mistral3') return 'pixtral';
  if (modelType === 'llama4') return 'llama4';
  if (modelType === 'gemma4') return 'gemma4';
  if (modelType === 'qwen2_vl') return 'qwen2';
  if (modelType === 'qwen2_5_vl') return 'qwen25';
  if (modelType.startsWith('qwen3_vl') || modelType.startsWith('qwen3_5')) return 'qwen3';
  return undefined;
}

/** Encoders of Gemma 3n, whose files do not describe them by layers. */
const GEMMA3N = { vision_config: 300_000_000, audio_config: 680_000_000 };

function stated(tower: Fields, name: string, notes: string[]): number | undefined {
  const type = tower.text('model_type') ?? '';
  if (!type.startsWith('gemma3n') || (name !== 'vision_config' && name !== 'audio_config')) return undefined;
  notes.push(`${name} of Gemma 3n is not described by layers; its size is what the makers state, rounded`);
  return GEMMA3N[name];
}

function estimate(tower: Fields, name: string, hiddenSize: number, notes: string[]): number {
  const width = tower.optionalInteger(['hidden_size', 'embed_dim', 'd_model', 'width'], SIZE);
  const layers = tower.optionalInteger(['num_hidden_layers', 'depth', 'encoder_layers', 'layers'], LAYERS);
  if (width === undefined || layers === undefined) {
    notes.push(`${name} says too little to count its parameters; they are left out`);
    return 0;
  }
  notes.push(`the parameters of ${name} are estimated`);
  return layers * 12 * width ** 2 + width * hiddenSize + hiddenSize ** 2;
}
