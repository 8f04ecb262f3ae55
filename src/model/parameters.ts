import type { Family } from './families';
import { WAY_OUT, type Fields } from './fields';
import type { KeyValueShape, LayerKind, LayerParameters, ParameterCounts } from './shape';

const WIDTH = { min: 0, max: 100_000_000 };
const COUNT = { min: 0, max: 100_000 };

/** What is known of a decoder before its parameters are counted. */
export interface Decoder {
  readonly family: Family;
  readonly modelType: string;
  readonly fields: Fields;
  readonly layers: number;
  readonly hiddenSize: number;
  readonly attentionHeads: number;
  readonly headSize: number;
  readonly layerKinds: readonly LayerKind[];
  /** What each layer is by the word of the config, where it says more than the kind. */
  readonly layerWords?: readonly string[];
  readonly keyValue: KeyValueShape;
  readonly slidingKeyValue?: KeyValueShape;
  readonly latent?: LatentAttention;
  readonly sharedKeyValueLayers: number;
  readonly vocabularySize: number;
  readonly tiedEmbeddings: boolean;
  readonly contextLength: number;
}

/** Widths of multi-head latent attention. */
export interface LatentAttention {
  /** `kv_lora_rank`. */
  readonly keyValueRank: number;
  /** `q_lora_rank`; none when queries are projected at once. */
  readonly queryRank?: number;
  /** `qk_rope_head_dim`. */
  readonly ropeSize: number;
  /** `qk_nope_head_dim`. */
  readonly plainSize: number;
  /** `v_head_dim`. */
  readonly valueSize: number;
}

/** Parameters of a decoder, and of its experts. */
export interface DecoderCount {
  readonly parameters: Omit<ParameterCounts, 'towers' | 'total'>;
  readonly experts?: { readonly routed: number; readonly active: number };
  /** Parameters that one token passes through, without the embedding. */
  readonly active: number;
  readonly notes: readonly string[];
}

interface Mixture {
  readonly routed: number;
  readonly active: number;
  readonly width: number;
  readonly sharedWidth: number;
  readonly has: (layer: number) => boolean;
}

/** Counts the parameters of a decoder from its shape. */
export function countDecoder(decoder: Decoder): DecoderCount {
  const { family, hiddenSize, vocabularySize, tiedEmbeddings } = decoder;
  const notes: string[] = [];
  const mixture = readMixture(decoder);
  const widths = readWidths(decoder);
  const embeddingWidth = decoder.fields.optionalInteger(['word_embed_proj_dim'], WIDTH) ?? hiddenSize;
  const embedding = vocabularySize * embeddingWidth;
  const head = (tiedEmbeddings ? 0 : embedding) + (isOn(decoder, family.headBias) ? vocabularySize : 0);

  const layers: LayerParameters[] = [];
  let active = tiedEmbeddings ? embedding + head : head;
  for (let i = 0; i < decoder.layers; i++) {
    const { parameters, active: activeOfLayer } = countLayer(decoder, i, widths[i], mixture);
    layers.push(parameters);
    active += activeOfLayer;
  }
  const other = countOutside(decoder, embeddingWidth);
  active += (family.normSize ?? 1) * hiddenSize;
  if (decoder.layerKinds.includes('state')) {
    notes.push('the states of its layers without tokens are not counted as cache');
  }
  return {
    parameters: { embedding, head, layers, other },
    experts: mixture && { routed: mixture.routed, active: mixture.active },
    active: Math.round(active),
    notes,
  };
}

/** All parameters of a layer. */
export function sumOfLayer({ linear, keyValue, experts, replicated }: LayerParameters): number {
  return linear + keyValue + experts + replicated;
}

function isOn(decoder: Decoder, value: boolean | string | undefined): boolean {
  return typeof value === 'string' ? decoder.fields.flag(value) : (value ?? false);
}

/** Width of the dense feed-forward of each layer, as far as config.json says it: a model of experts alone has none. */
function readWidths(decoder: Decoder): readonly (number | undefined)[] {
  const { fields, layers, hiddenSize, family } = decoder;
  const found = fields.find(
    ...(family.special === 'llama4' ? ['intermediate_size_mlp'] : []),
    // LFM 2: transformers takes it for intermediate_size, and before it.
    ...(family.state === 'conv' ? ['block_ff_dim'] : []),
    'intermediate_size',
    'n_inner',
    'ffn_dim',
    'ffn_hidden_size',
    'ffn_intermediate_size',
  );
  if (found !== undefined && Array.isArray(found.value)) {
    const list = fields.integers(found.name, WIDTH, 10_000)!;
    if (list.length !== layers)
      fields.refuse(found.name, list, `a list of ${layers} numbers, one a layer, or a number`);
    return list;
  }
  const width = found === undefined ? undefined : fields.integer([found.name], WIDTH);
  if (width !== undefined) return new Array<number>(layers).fill(width);
  const ratio = fields.optionalInteger(['expansion_ratio'], { min: 1, max: 1000 });
  if (family.plainMlp) return new Array<number>(layers).fill(hiddenSize * (ratio ?? 4));
  return new Array<undefined>(layers).fill(undefined);
}

function refuseWidth({ fields }: Decoder, width: number | undefined): never {
  return fields.refuse(
    'intermediate_size',
    width,
    `a whole number from 1 to ${WIDTH.max}${width === undefined ? `; ${WAY_OUT}` : ''}`,
  );
}

/** Experts, when the layers have some. */
function readMixture(decoder: Decoder): Mixture | undefined {
  const { fields, family, modelType } = decoder;
  if (family.special === 'gemma4' && !fields.flag('enable_moe_block')) return undefined;
  if (modelType === 'nemotron_h' && !decoder.layerWords?.includes('moe')) return undefined;
  const routed = fields.optionalInteger(
    ['num_local_experts', 'num_experts', 'n_routed_experts', 'moe_num_experts'],
    COUNT,
  );
  if (routed === undefined || routed <= 1) return undefined;
  const active =
    fields.optionalInteger(
      ['num_experts_per_tok', 'num_experts_per_token', 'top_k_experts', 'moe_topk', 'moe_top_k', 'moe_k'],
      COUNT,
    ) ?? 1;
  if (active < 1 || active > routed) {
    fields.refuse('num_experts_per_tok', active, `a whole number from 1 to the ${routed} experts`);
  }
  const width =
    fields.optionalInteger(['moe_intermediate_size', 'expert_ffn_hidden_size'], WIDTH) ??
    fields.integer(['intermediate_size'], WIDTH);
  const shared = fields.optionalInteger(['n_shared_experts', 'num_shared_experts', 'moe_num_shared_experts'], COUNT);
  const sharedWidth =
    family.special === 'llama4'
      ? width
      : (fields.optionalInteger(
          ['shared_expert_intermediate_size', 'moe_shared_expert_intermediate_size', 'shared_intermediate_size'],
          WIDTH,
        ) ?? (shared ?? 0) * width);
  return { routed, active, width, sharedWidth, has: mixtureLayers(fields, modelType) };
}

/** Which layers have experts. */
function mixtureLayers(fields: Fields, modelType: string): (layer: number) => boolean {
  const step = { min: 1, max: 10_000 };
  const layer = { min: 0, max: 9_999 };
  const listed = fields.integers('moe_layers', layer, 10_000);
  if (listed !== undefined) {
    const set = new Set(listed);
    return (i) => set.has(i);
  }
  const frequency = fields.raw('moe_layer_freq');
  if (Array.isArray(frequency)) {
    const each = fields.integers('moe_layer_freq', { min: 0, max: 1 }, 10_000)!;
    return (i) => each[i] === 1;
  }
  const dense = new Set(fields.integers('mlp_only_layers', layer, 10_000) ?? []);
  const firstDense = fields.optionalInteger(['first_k_dense_replace', 'moe_layer_start_index'], COUNT) ?? 0;
  const everyThen = fields.optionalInteger(['moe_layer_freq'], step) ?? 1;
  const every = fields.optionalInteger(
    ['decoder_sparse_step', 'interleave_moe_layer_step', 'moe_layer_interval'],
    step,
  );
  const period = fields.optionalInteger(['expert_layer_period'], step);
  const offset = fields.optionalInteger(['expert_layer_offset'], layer) ?? 0;
  if (modelType === 'jamba' && period !== undefined) return (i) => i % period === offset;
  return (i) => !dense.has(i) && i >= firstDense && i % everyThen === 0 && (i + 1) % (every ?? 1) === 0;
}

function countLayer(
  decoder: Decoder,
  i: number,
  width: number | undefined,
  mixture: Mixture | undefined,
): { parameters: LayerParameters; active: number } {
  const { family, hiddenSize: h } = decoder;
  const kind = decoder.layerKinds[i]!;
  const word = decoder.layerWords?.[i];
  const normSize = family.normSize ?? 1;
  let linear = 0;
  let keyValue = 0;
  let experts = 0;
  let active = 0;
  let replicated = normsOf(decoder) * normSize * h;

  // Attention, or what stands in its place.
  if (word === 'mlp' || word === 'moe') {
    // A layer of feed-forward alone.
  } else if (kind === 'state' && family.state !== undefined) {
    linear += stateLayer(decoder);
  } else if (family.special === 'zamba2') {
    linear += stateLayer(decoder) + zambaLayer(decoder, i);
  } else if (decoder.latent !== undefined) {
    const attention = latentAttention(decoder, decoder.latent);
    linear += attention.linear;
    if (decoder.keyValue.heads === 1) keyValue += attention.keyValue;
    else replicated += attention.keyValue;
    replicated += attention.replicated;
  } else {
    const attention = headAttention(decoder, i);
    linear += attention.linear;
    keyValue += attention.keyValue;
    replicated += attention.replicated;
    if (decoder.modelType === 'falcon_h1') linear += stateLayer(decoder);
  }

  // Feed-forward.
  const isBare = family.state !== undefined && ['mamba', 'falcon_mamba', 'mamba2'].includes(decoder.modelType);
  const isBlock =
    family.special === 'zamba2' || (decoder.modelType === 'nemotron_h' && word !== 'mlp' && word !== 'moe');
  const matrices = family.plainMlp ? 2 : 3;
  if (!isBare && !isBlock) {
    const isMixture = mixture !== undefined && word !== 'mlp' && mixture.has(i);
    if (isMixture) {
      const one = matrices * h * mixture.width + (family.expertBias ? (matrices - 1) * mixture.width + h : 0);
      const shared = matrices * h * mixture.sharedWidth;
      experts += mixture.routed * one + shared;
      active += mixture.active * one + shared;
      replicated += mixture.routed * h + (family.routerBias ? mixture.routed : 0) + (family.sharedGate ? h : 0);
      if (family.special === 'gemma4') replicated += 4 * h + mixture.routed;
    }
    if (!isMixture || family.special === 'gemma4') {
      const wide = feedForwardWidth(decoder, i, width || refuseWidth(decoder, width));
      linear += matrices * h * wide;
      if (isOn(decoder, family.mlpBias)) {
        linear += (matrices - 1) * wide;
        replicated += h;
      }
    }
  }
  replicated += specialOfLayer(decoder);
  const parameters = { linear, keyValue, experts, replicated };
  return { parameters, active: active + linear + keyValue + replicated };
}

/** Norms over the hidden state in a layer. */
function normsOf({ family, fields }: Decoder): number {
  if (family.special === 'falcon') {
    const isNew = fields.flag('new_decoder_architecture');
    const inParallel = fields.optionalInteger(['num_ln_in_parallel_attn'], { min: 1, max: 2 });
    return isNew ? (inParallel ?? 2) : fields.flag('parallel_attn') ? 1 : 2;
  }
  if (family.special === 'stablelm') return fields.flag('use_parallel_residual') ? 1 : 2;
  return family.norms ?? 2;
}

function feedForwardWidth(decoder: Decoder, i: number, width: number): number {
  const { family, fields, layers, sharedKeyValueLayers } = decoder;
  if (family.special === 'gemma4' && fields.flag('use_double_wide_mlp') && i >= layers - sharedKeyValueLayers) {
    return width * 2;
  }
  if (family.state === 'conv' && fields.flag('block_auto_adjust_ff_dim')) {
    const multiple = fields.integer(['block_multiple_of'], { min: 1, max: 1_000_000 });
    const factor = fields.raw('block_ffn_dim_multiplier');
    const adjusted = Math.floor(Math.floor((2 * width) / 3) * (typeof factor === 'number' ? factor : 1));
    return multiple * Math.ceil(adjusted / multiple);
  }
  return width;
}

interface AttentionCount {
  readonly linear: number;
  readonly keyValue: number;
  readonly replicated: number;
}

function headAttention(decoder: Decoder, i: number): AttentionCount {
  const { family, hiddenSize: h, attentionHeads, layers, sharedKeyValueLayers } = decoder;
  const isSliding = decoder.layerKinds[i] === 'sliding';
  const { heads, headSize, keysOnly } = (isSliding ? decoder.slidingKeyValue : undefined) ?? decoder.keyValue;
  // Layers that read the keys and values of others have no projections of their own.
  const sharesOthers = i >= layers - sharedKeyValueLayers;
  const queries = attentionHeads * headSize;
  const keys = heads * headSize;
  let linear = h * queries * (family.queryGate ? 2 : 1) + queries * h;
  let keyValue = sharesOthers ? 0 : h * keys * (keysOnly ? 1 : 2);
  let replicated = 0;
  if (isOn(decoder, family.qkvBias)) {
    linear += queries * (family.queryGate ? 2 : 1);
    keyValue += sharesOthers ? 0 : keys * (keysOnly ? 1 : 2);
  }
  if (isOn(decoder, family.outBias)) replicated += h;
  if (family.qkNorm !== undefined && (family.qkNormIf === undefined || decoder.fields.flag(family.qkNormIf))) {
    replicated += family.qkNorm === 'head' ? headSize * (sharesOthers ? 1 : 2) : queries + keys;
  }
  if (family.special === 'gpt-oss') replicated += attentionHeads;
  if (family.special === 'stablelm' && decoder.fields.flag('qk_layernorm')) replicated += queries + keys;
  if (decoder.modelType === 'phi' && decoder.fields.flag('qk_layernorm')) replicated += 4 * headSize;
  return { linear, keyValue, replicated };
}

function latentAttention(decoder: Decoder, latent: LatentAttention): AttentionCount {
  const { hiddenSize: h, attentionHeads: heads, fields } = decoder;
  const { keyValueRank, queryRank, ropeSize, plainSize, valueSize } = latent;
  const perHead = plainSize + ropeSize;
  let linear = keyValueRank * heads * (plainSize + valueSize) + heads * valueSize * h;
  // Every rank holds the latent projections whole, as it holds the one latent.
  let keyValue = h * (keyValueRank + ropeSize);
  let replicated = keyValueRank;
  if (queryRank === undefined) {
    linear += h * heads * perHead;
  } else {
    keyValue += h * queryRank;
    linear += queryRank * heads * perHead;
    replicated += queryRank;
  }
  if (isOn(decoder, 'attention_bias')) {
    keyValue += keyValueRank + ropeSize + (queryRank ?? 0);
    replicated += h;
  }
  const indexHeads = fields.optionalInteger(['index_n_heads'], COUNT);
  const indexSize = fields.optionalInteger(['index_head_dim'], WIDTH);
  if (indexHeads !== undefined && indexSize !== undefined && queryRank !== undefined) {
    // Sparse attention (DeepSeek V3.2): an indexer of its own, whole on every rank.
    keyValue += queryRank * indexHeads * indexSize + h * indexSize;
    replicated += 2 * indexSize + h * indexHeads;
  }
  return { linear, keyValue, replicated };
}

/** Projections and constants of a layer that keeps a state. */
function stateLayer(decoder: Decoder): number {
  const { family, fields, hiddenSize: h } = decoder;
  const size = (...names: string[]) => fields.integer(names, WIDTH);
  const optional = (...names: string[]) => fields.optionalInteger(names, WIDTH);
  switch (family.state) {
    case 'delta': {
      const keys = size('linear_num_key_heads') * size('linear_key_head_dim');
      const heads = size('linear_num_value_heads');
      const valueSize = size('linear_value_head_dim');
      const values = heads * valueSize;
      const convolution = (2 * keys + values) * size('linear_conv_kernel_dim');
      return h * (2 * keys + 2 * values) + h * 2 * heads + convolution + 2 * heads + valueSize + values * h;
    }
    case 'conv':
      return 4 * h * h + h * size('conv_L_cache');
    case 'mamba2': {
      const heads = size('mamba_n_heads', 'n_mamba_heads', 'mamba_num_heads', 'num_heads');
      const headSize = optional('mamba_d_head', 'mamba_head_dim', 'head_dim');
      const inner =
        optional('mamba_d_ssm') ??
        (fields.find('mamba_num_heads') !== undefined && headSize !== undefined
          ? heads * headSize
          : (optional('mamba_expand', 'expand') ?? 2) * h);
      const groups = size('mamba_n_groups', 'mamba_ngroups', 'n_groups');
      const state = size('mamba_d_state', 'ssm_state_size', 'state_size');
      const convolved = inner + 2 * groups * state;
      const kernel = size('mamba_d_conv', 'conv_kernel');
      const bias = fields.flag('mamba_conv_bias', fields.flag('use_conv_bias', true)) ? convolved : 0;
      const norm = decoder.modelType === 'falcon_h1' && !fields.flag('mamba_rms_norm') ? 0 : inner;
      return h * (inner + convolved + heads) + convolved * kernel + bias + 3 * heads + norm + inner * h;
    }
    case 'mamba1': {
      const inner = optional('intermediate_size_mamba') ?? (optional('mamba_expand', 'expand') ?? 2) * h;
      const state = optional('mamba_d_state', 'state_size') ?? 16;
      const rank = optional('mamba_dt_rank', 'time_step_rank') ?? Math.ceil(h / 16);
      const kernel = optional('mamba_d_conv', 'conv_kernel') ?? 4;
      const norms = decoder.modelType === 'jamba' ? rank + 2 * state : 0;
      return (
        h * 2 * inner +
        inner * (kernel + 1) +
        inner * (rank + 2 * state) +
        (rank + 1) * inner +
        inner * (state + 1) +
        inner * h +
        norms
      );
    }
    default:
      return 0;
  }
}

/**
 * Zamba 2: some layers pass through a block of attention and feed-forward that they share, twice as wide as the hidden state,
 * before their own Mamba. Each has adapters of that block; the first ones hold the blocks themselves.
 */
function zambaLayer({ fields, hiddenSize: h, layerKinds }: Decoder, i: number): number {
  const wide = 2 * h;
  const inner = fields.integer(['intermediate_size', 'ffn_hidden_size'], WIDTH);
  const rank = fields.integer(['adapter_rank'], WIDTH);
  const adapters = rank * (h + 2 * inner) + (fields.flag('use_shared_attention_adapter') ? 6 * rank * wide : 0);
  const blocks = fields.optionalInteger(['num_mem_blocks'], { min: 1, max: 1000 }) ?? 1;
  const isFirst = layerKinds.slice(0, i).filter((kind) => kind === 'full').length < blocks;
  const block = 3 * wide ** 2 + wide * h + 3 * h * inner + wide + h;
  return h ** 2 + adapters + (isFirst ? block : 0);
}

/** Parts of a layer that one family alone has. */
function specialOfLayer(decoder: Decoder): number {
  const { family, fields, hiddenSize: h } = decoder;
  if (family.special === 'apertus') return 2;
  if (family.special !== 'gemma3n' && family.special !== 'gemma4') return 0;
  const perLayer = fields.optionalInteger(['hidden_size_per_layer_input'], WIDTH) ?? 0;
  const inputs = perLayer > 0 ? 2 * h * perLayer + h : 0;
  if (family.special === 'gemma4') return inputs;
  const streams = fields.integer(['altup_num_inputs'], { min: 1, max: 64 });
  const rank = fields.integer(['laurel_rank'], WIDTH);
  return inputs + 2 * h * rank + h + (h + streams ** 2 + streams ** 3 + streams * h + h);
}

/** What stands outside of layers, embedding and head. */
function countOutside(decoder: Decoder, embeddingWidth: number): number {
  const { family, fields, hiddenSize: h, layers, contextLength } = decoder;
  let other = (family.normSize ?? 1) * h;
  if (family.outside === 'positions') other += contextLength * h;
  if (family.outside === 'embedding-norm') other += 2 * h;
  if (family.outside === 'opt') {
    other += (contextLength + 2) * h;
    if (!fields.flag('do_layer_norm_before', true)) other -= 2 * h;
    if (embeddingWidth !== h) other += 2 * h * embeddingWidth;
  }
  if (family.special === 'gemma3n' || family.special === 'gemma4') {
    const perLayer = fields.optionalInteger(['hidden_size_per_layer_input'], WIDTH) ?? 0;
    if (perLayer > 0) {
      const vocabulary = fields.optionalInteger(['vocab_size_per_layer_input'], WIDTH) ?? decoder.vocabularySize;
      other += vocabulary * layers * perLayer + h * layers * perLayer + perLayer;
    }
  }
  if (family.special === 'gemma3n')
    other += 2 * (fields.integer(['altup_num_inputs'], { min: 1, max: 64 }) - 1) * h * h;
  return other;
}
