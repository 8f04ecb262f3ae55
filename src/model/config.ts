import { printable } from '../common/printable';
import { defaultsOf, familyOf, type Family } from './families';
import { Fields, isObject, show } from './fields';
import { countDecoder, sumOfLayer, type Decoder, type LatentAttention } from './parameters';
import { KNOWN_ARCHITECTURES, NO_PIPELINE } from './pipeline';
import { refusalOf, removedSince } from './refusal';
import type { KeyValueShape, LayerKind, ModelShape } from './shape';
import { countTowers } from './towers';
import { bytesOfFiles, readWeights, type Drafts } from './weights';

/** What config.json does not say. */
export interface ConfigOptions {
  /** Whether a person must accept a licence before a token opens the files. Default: false. */
  readonly gated?: boolean;
  /** Bytes of the weight files. Default: the parameters at their bits. */
  readonly weightsBytes?: number;
}

/** The deepest models have some 130 layers. */
const LAYERS = { min: 1, max: 1000 };
const HEADS = { min: 1, max: 10_000 };
const HEAD_SIZE = { min: 1, max: 100_000 };
const HIDDEN = { min: 1, max: 1_000_000 };
const VOCABULARY = { min: 1, max: 100_000_000 };
const TOKENS = { min: 1, max: 1_000_000_000_000 };
const WINDOW = { min: 0, max: 1_000_000_000_000 };

/** Where a config keeps the part that describes the text model. */
const TEXT_PARTS = ['text_config', 'llm_config', 'language_config', 'thinker_config'];

/**
 * Reads the numbers of a model from its Hugging Face config.json.
 * @param name what `vllm serve` gets
 * @param config the parsed file; it is not trusted
 * @throws with the field, its value and what is allowed, when the file does not describe a model that generates text
 */
export function readConfig(name: string, config: unknown, options: ConfigOptions = {}): ModelShape {
  const where = `config.json of ${printable(name)}`;
  if (!isObject(config)) {
    throw new Error(`${where} is ${show(config)}; it takes the object that the file holds`);
  }
  refuseOtherFiles(where, config);
  const file = new Fields(where, config);
  const part = textPart(file);
  const topType = file.text('model_type');
  const modelType = part.text('model_type') ?? topType;
  const architecture = architectureOf(file, part, modelType);
  if (modelType === undefined && architecture === undefined) {
    throw new Error(`${where} has neither model_type nor architectures; it takes the config.json of a model`);
  }
  if (modelType !== undefined && !/^[\w.+-]{1,100}$/.test(modelType)) {
    part.refuse('model_type', modelType, "a word such as 'llama'");
  }
  const type = modelType ?? typeOfArchitecture(architecture!);
  refuseOtherModels(where, file, part, type, architecture);

  if (part.raw('block_configs') !== undefined) {
    throw new Error(
      `${where} has block_configs: its layers differ from each other, which is not read; describe it by Model.custom`,
    );
  }
  const notes: string[] = [];
  const family = familyOf(type);
  if (family === undefined) {
    notes.push(`model_type '${type}' is not known here: parameters and windows are those of a model built like Llama`);
  }
  // A part that does not say its type may be of any class.
  const isTyped = part === file || part.text('model_type') !== undefined;
  const fields = part.withDefaults({ ...(isTyped ? defaultsOf(type) : family?.defaults), ...experts(part) });
  if (part === file) notes.push(...silentNotes(fields, type));
  const built = family ?? familyOf('llama')!;
  const decoder = readDecoder(fields, file, built, type, notes);
  const counted = countDecoder(decoder);
  const towers = countTowers(file, topType ?? type, decoder.hiddenSize);
  const { embedding, head, layers, other } = counted.parameters;
  const total = layers.reduce((sum, layer) => sum + sumOfLayer(layer), embedding + head + other + towers.parameters);
  if (!Number.isSafeInteger(total)) {
    throw new Error(
      `${where} describes a model of ${total} parameters, which is no size of a model; check its numbers`,
    );
  }
  const parameters = { total, embedding, head, layers, towers: towers.parameters, other };
  const { format, isKnown: isKnownFormat, notes: weightNotes } = readWeights(file, part);
  const { drafts, notes: draftNotes } = readDrafts(fields, built, type);
  const derivedBytes = bytesOfFiles(parameters, format, decoder.hiddenSize, drafts);
  const weightsBytes = options.weightsBytes ?? derivedBytes;
  if (!Number.isSafeInteger(weightsBytes) || weightsBytes < 1) {
    throw new Error(`weights of ${printable(name)} are ${show(weightsBytes)} bytes; it takes a whole number from 1`);
  }
  const verified = options.weightsBytes !== undefined && isNear(derivedBytes, weightsBytes);
  if (options.weightsBytes === undefined) {
    notes.push('its parameters are derived from config.json; they were not compared with the size of its files');
  } else if (!verified) {
    notes.push(
      `its files are said to be ${inGiB(weightsBytes)}; the parameters derived from config.json would be ${inGiB(derivedBytes)}`,
    );
  }
  const isApproximate = family === undefined || towers.isEstimate || !isKnownFormat;
  const named = architecture ?? type;
  notes.push(...architectureNotes(named, architecture === undefined));
  return {
    name,
    architecture: named,
    modelType: type,
    layers: decoder.layers,
    hiddenSize: decoder.hiddenSize,
    attentionHeads: decoder.attentionHeads,
    keyValue: decoder.keyValue,
    ...(decoder.slidingKeyValue && { slidingKeyValue: decoder.slidingKeyValue }),
    ...(decoder.latent && !keepsWholeKeys(type) && { latentSize: latentSizeOf(decoder.latent) }),
    layerKinds: decoder.layerKinds,
    ...(decoder.window !== undefined && { window: decoder.window }),
    vocabularySize: decoder.vocabularySize,
    tiedEmbeddings: decoder.tiedEmbeddings,
    contextLength: decoder.contextLength,
    ...(counted.experts && { experts: counted.experts }),
    activeParameters: counted.active,
    sharedKeyValueLayers: decoder.sharedKeyValueLayers,
    ...noPipelineOf(named, fields, decoder),
    ...refusalOf({ architecture: named, modelType: type, decoder, method: format.method }),
    multimodal: towers.any,
    weights: format,
    parameters,
    weightsBytes,
    gated: options.gated ?? false,
    provenance: {
      verified,
      ...(isApproximate && !verified && { approximate: true }),
      notes: [...notes, ...counted.notes, ...towers.notes, ...weightNotes, ...draftNotes],
    },
  };
}

/**
 * Layers that only draft tokens, which files hold beside the model: of DeepSeek and GLM each with an embedding and a head of
 * its own, of others the layer alone.
 */
function readDrafts(fields: Fields, family: Family, modelType: string): { drafts: Drafts; notes: string[] } {
  const layers =
    fields.optionalInteger(['num_nextn_predict_layers', 'mtp_num_hidden_layers', 'num_mtp_layers'], {
      min: 0,
      max: 100,
    }) ?? 0;
  const isSilent = layers === 0 && modelType === 'qwen3_next';
  return {
    drafts: { layers, hasEmbeddings: family.wholeDrafts === true },
    notes: isSilent ? ['its files may hold a layer that drafts tokens (MTP), which config.json does not say'] : [],
  };
}

/** Whether two sizes agree within a hundredth. */
export function isNear(derived: number, published: number): boolean {
  return Math.abs(derived / published - 1) <= 0.01;
}

function inGiB(bytes: number): string {
  return `${(bytes / 1024 ** 3).toFixed(2)} GiB`;
}

/** Fields without which a file is not that of a model, by all their names. */
const SIZES = [
  ['hidden_size', 'n_embd', 'n_embed', 'd_model', 'model_dim', 'dim'],
  ['num_hidden_layers', 'n_layer', 'n_layers', 'num_layers', 'hybrid_override_pattern', 'layers_block_type'],
  ['num_attention_heads', 'n_head', 'n_heads', 'num_heads'],
  ['intermediate_size', 'intermediate_size_mlp', 'n_inner', 'ffn_dim', 'ffn_hidden_size', 'block_ff_dim'],
  ['vocab_size', 'padded_vocab_size'],
] as const;

/** A whole file says its sizes; only parts of a file leave out what the class puts there anyway. */
function silentNotes(fields: Fields, type: string): string[] {
  const silent = SIZES.filter((names) => fields.isSilent(...names) && fields.find(...names) !== undefined);
  if (silent.length === 0) return [];
  const names = silent.map(([name]) => name).join(', ');
  return [`config.json does not say ${names}: what the class of ${type} in transformers has is taken; is it complete?`];
}

/** Other JSON files of a repository, by a field that they alone have. */
const OTHER_FILES: readonly (readonly [field: string, file: string, instead: string])[] = [
  ['peft_type', 'adapter_config.json of a LoRA adapter', 'the config.json of its base model'],
  [
    '_diffusers_version',
    'model_index.json or config.json of an image model (diffusers)',
    'a model that generates text',
  ],
  ['weight_map', 'index of the weight files', 'the config.json beside it'],
  ['tokenizer_class', 'tokenizer_config.json', 'the config.json beside it'],
  ['added_tokens_decoder', 'tokenizer_config.json', 'the config.json beside it'],
  ['added_tokens', 'tokenizer.json', 'the config.json beside it'],
  ['image_processor_type', 'preprocessor_config.json', 'the config.json beside it'],
  ['feature_extractor_type', 'preprocessor_config.json', 'the config.json beside it'],
  ['processor_class', 'processor_config.json', 'the config.json beside it'],
  ['producer', 'hf_quant_config.json', 'the config.json beside it'],
  ['n_kv_heads', "params.json in the maker's own format", 'the config.json of the same model for transformers'],
  ['_from_model_config', 'generation_config.json', 'the config.json beside it'],
  ['eos_token_id', 'generation_config.json', 'the config.json beside it'],
];

function refuseOtherFiles(where: string, config: Readonly<Record<string, unknown>>): void {
  if (Object.hasOwn(config, 'model_type') || Object.hasOwn(config, 'architectures')) return;
  for (const [field, file, instead] of OTHER_FILES) {
    if (Object.hasOwn(config, field)) {
      throw new Error(`${where} has ${field} and no model_type: it looks like ${file}; it takes ${instead}`);
    }
  }
}

/** Kinds of models that do not generate text token by token from a decoder alone. */
const ENCODERS = new Set(
  (
    'albert bart bert bert-generation big_bird bigbird_pegasus blenderbot blenderbot-small camembert canine clap clip ' +
    'convbert data2vec-text deberta deberta-v2 distilbert dpr electra encoder-decoder ernie esm flaubert fnet fsmt funnel ' +
    'gte ibert layoutlm layoutlmv2 layoutlmv3 led longformer longt5 lxmert m2m_100 marian mbart megatron-bert mobilebert ' +
    'modernbert mpnet mt5 mvp nllb-moe nomic_bert nystromformer pegasus pegasus_x plbart prophetnet reformer rembert ' +
    'roberta roberta-prelayernorm roformer siglip siglip2 speech_to_text squeezebert switch_transformers t5 t5gemma udop ' +
    'umt5 vision-encoder-decoder vit wav2vec2 whisper xlm xlm-roberta xlm-roberta-xl xlnet'
  ).split(' '),
);

function refuseOtherModels(
  where: string,
  file: Fields,
  part: Fields,
  type: string,
  architecture: string | undefined,
): void {
  const isEncoder = ENCODERS.has(type) || file.flag('is_encoder_decoder') || part.flag('is_encoder_decoder');
  const task = architecture?.match(
    /For(MaskedLM|SequenceClassification|TokenClassification|QuestionAnswering|ImageClassification)$/,
  );
  if (isEncoder || task) {
    throw new Error(
      `${where} describes ${printable(architecture ?? type, 60)}, which is no decoder that generates text; ` +
        'it takes a model such as LlamaForCausalLM',
    );
  }
}

/** The part that describes the text model: an object inside, at most two deep, or the whole file. */
function textPart(file: Fields): Fields {
  let part = file;
  for (let depth = 0; depth < 2; depth++) {
    const name = TEXT_PARTS.find((candidate) => part.has(candidate));
    if (name === undefined) break;
    const outer = part;
    part = withType(
      outer,
      outer.inner(name) ?? outer.refuse(name, null, 'an object with the numbers of the text model'),
    );
  }
  return part;
}

/** DBRX keeps the numbers of its experts in an object of their own. */
function experts(part: Fields): Readonly<Record<string, unknown>> {
  if (part.text('model_type') !== 'dbrx') return {};
  const feedForward = part.inner('ffn_config');
  return {
    intermediate_size: feedForward?.raw('ffn_hidden_size'),
    num_local_experts: feedForward?.raw('moe_num_experts'),
    num_experts_per_tok: feedForward?.raw('moe_top_k'),
  };
}

/** Text models of which files do not say the type: it is that of the class around it. */
const INNER_TYPES: Readonly<Record<string, string>> = {
  gemma3: 'gemma3_text',
  gemma3n: 'gemma3n_text',
  gemma4: 'gemma4_text',
  gemma4_unified: 'gemma4_unified_text',
  llama4: 'llama4_text',
  mistral3: 'mistral',
  llava: 'llama',
  llava_next: 'llama',
  llava_next_video: 'llama',
  llava_onevision: 'qwen2',
  qwen2_audio: 'qwen2',
  paligemma: 'gemma',
  idefics3: 'llama',
  smolvlm: 'llama',
  voxtral: 'llama',
  granite_speech: 'granite',
  aya_vision: 'cohere2',
  cohere2_vision: 'cohere2',
  lfm2_vl: 'lfm2',
  kimi_k25: 'deepseek_v3',
  qwen2_vl: 'qwen2_vl',
  qwen2_5_vl: 'qwen2_5_vl',
  qwen3_vl: 'qwen3_vl',
  qwen3_vl_moe: 'qwen3_vl_moe',
  qwen3_5: 'qwen3_5',
  qwen3_5_moe: 'qwen3_5_moe',
  internvl: 'qwen2',
};

function withType(file: Fields, part: Fields): Fields {
  const outer = file.text('model_type') ?? '';
  const inner = Object.hasOwn(INNER_TYPES, outer) ? INNER_TYPES[outer] : undefined;
  return inner === undefined ? part : part.withDefaults({ model_type: inner });
}

function architectureOf(file: Fields, part: Fields, modelType: string | undefined): string | undefined {
  for (const fields of part === file ? [file] : [file, part]) {
    const list = fields.list('architectures');
    if (list === undefined || list.length === 0) continue;
    const first = list[0];
    if (typeof first !== 'string' || !/^\w{1,200}$/.test(first)) {
      return fields.refuse('architectures[0]', first, "the name of a class such as 'LlamaForCausalLM'");
    }
    return first;
  }
  const known = modelType === undefined ? undefined : CLASSES[modelType];
  return Object.hasOwn(CLASSES, modelType ?? '') ? known : undefined;
}

/** Classes of files that leave out `architectures`, as people write them by hand. */
const CLASSES: Readonly<Record<string, string>> = {
  llama: 'LlamaForCausalLM',
  mistral: 'MistralForCausalLM',
  mixtral: 'MixtralForCausalLM',
  qwen2: 'Qwen2ForCausalLM',
  qwen3: 'Qwen3ForCausalLM',
  qwen3_moe: 'Qwen3MoeForCausalLM',
  gemma2: 'Gemma2ForCausalLM',
  gemma3: 'Gemma3ForConditionalGeneration',
  gemma3_text: 'Gemma3ForCausalLM',
  phi3: 'Phi3ForCausalLM',
};

/** Guesses the type of a file that has architectures alone: `LlamaForCausalLM` is a `llama`. */
function typeOfArchitecture(architecture: string): string {
  return architecture
    .replace(/(For\w+|LMHeadModel|Model)$/, '')
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase();
}

interface WindowedDecoder extends Decoder {
  readonly window?: number;
}

function readDecoder(
  fields: Fields,
  file: Fields,
  family: Family,
  modelType: string,
  notes: string[],
): WindowedDecoder {
  const layers = readLayerCount(fields);
  const hiddenSize = fields.integer(['hidden_size', 'n_embd', 'n_embed', 'd_model', 'model_dim', 'dim'], HIDDEN);
  const isBare = hasNoAttention(modelType);
  const attentionHeads = isBare ? 1 : fields.integer(['num_attention_heads', 'n_head', 'n_heads', 'num_heads'], HEADS);
  const latent = readLatent(fields, modelType, Math.floor(hiddenSize / attentionHeads));
  const headSize = isBare
    ? 0
    : family.special === 'zamba2'
      ? zambaHeadSize(fields, hiddenSize, attentionHeads)
      : readHeadSize(fields, hiddenSize, attentionHeads, latent);
  const heads = isBare ? 1 : readKeyValueHeads(fields, attentionHeads, latent, modelType);
  const vocabularySize = fields.integer(['vocab_size', 'padded_vocab_size'], VOCABULARY);
  const contextLength = readContext(fields, file, notes);
  const { kinds, window, words } = readLayerKinds(fields, family, modelType, layers, contextLength);
  const shared = fields.optionalInteger(['num_kv_shared_layers'], { min: 0, max: layers }) ?? 0;
  const split = family.special === 'gemma4' ? splitKeyValue(fields, heads, headSize, attentionHeads, kinds) : undefined;
  return {
    family,
    modelType,
    fields,
    layers,
    hiddenSize,
    attentionHeads,
    headSize,
    layerKinds: kinds,
    layerWords: words,
    window,
    keyValue:
      latent && !keepsWholeKeys(modelType)
        ? { heads: 1, headSize: latentSizeOf(latent) }
        : (split?.full ?? { heads, headSize }),
    slidingKeyValue: split?.sliding,
    latent,
    sharedKeyValueLayers: shared,
    vocabularySize,
    tiedEmbeddings: readTied(fields, file, family),
    contextLength,
  };
}

function readLayerCount(fields: Fields): number {
  const names = ['num_hidden_layers', 'n_layer', 'n_layers', 'num_layers'];
  if (fields.find(...names) === undefined) {
    const pattern = fields.raw('hybrid_override_pattern');
    const blocks = fields.raw('layers_block_type');
    const length = typeof pattern === 'string' ? pattern.length : Array.isArray(blocks) ? blocks.length : 0;
    if (length >= LAYERS.min && length <= LAYERS.max) return length;
  }
  return fields.integer(names, LAYERS);
}

/** Kinds of models of which no layer has attention. */
function hasNoAttention(modelType: string): boolean {
  return ['mamba', 'falcon_mamba', 'mamba2'].includes(modelType);
}

/** MiniCPM 3 has the projections of latent attention, and vLLM keeps whole keys and values of it all the same. */
function keepsWholeKeys(modelType: string): boolean {
  return modelType === 'minicpm3';
}

function latentSizeOf({ keyValueRank, ropeSize }: LatentAttention): number {
  return keyValueRank + ropeSize;
}

function readLatent(fields: Fields, modelType: string, plainHeadSize: number): LatentAttention | undefined {
  const keyValueRank = fields.optionalInteger(['kv_lora_rank'], HIDDEN);
  if (keyValueRank === undefined) return undefined;
  return {
    keyValueRank,
    queryRank: fields.optionalInteger(['q_lora_rank'], HIDDEN),
    ropeSize: fields.integer(['qk_rope_head_dim'], { ...HEAD_SIZE, min: 0 }),
    plainSize: fields.integer(['qk_nope_head_dim'], HEAD_SIZE),
    valueSize:
      keepsWholeKeys(modelType) && !fields.has('v_head_dim')
        ? plainHeadSize
        : fields.integer(['v_head_dim'], HEAD_SIZE),
  };
}

/** Zamba 2: attention is twice as wide as the hidden state. */
function zambaHeadSize(fields: Fields, hidden: number, heads: number): number {
  return (
    fields.optionalInteger(['attention_head_dim'], HEAD_SIZE) ?? readHeadSize(fields, 2 * hidden, heads, undefined)
  );
}

function readHeadSize(fields: Fields, hidden: number, heads: number, latent: LatentAttention | undefined): number {
  if (latent !== undefined) return latent.plainSize + latent.ropeSize;
  const given = fields.optionalInteger(
    ['head_dim', 'kv_channels', 'attention_head_dim', 'hidden_size_per_head'],
    HEAD_SIZE,
  );
  if (given !== undefined) return given;
  if (hidden % heads !== 0) {
    throw new Error(
      `${fields.where}: hidden_size ${hidden} is no multiple of num_attention_heads ${heads}, and there is no head_dim; ` +
        'it takes heads that divide the hidden size, or head_dim',
    );
  }
  return hidden / heads;
}

function readKeyValueHeads(
  fields: Fields,
  attentionHeads: number,
  latent: LatentAttention | undefined,
  modelType: string,
): number {
  if (latent !== undefined) return keepsWholeKeys(modelType) ? attentionHeads : 1;
  const names = ['n_head_kv', 'num_kv_heads', 'num_key_value_heads', 'multi_query_group_num', 'num_attention_groups'];
  // Falcon and StarCoder: one head for all queries, whatever other fields say.
  const isOneHead = fields.flag('multi_query') && !fields.flag('new_decoder_architecture');
  const inner = isObject(fields.raw('attn_config')) ? fields.inner('attn_config') : undefined;
  const heads = isOneHead
    ? 1
    : (fields.optionalInteger(names, HEADS) ?? inner?.optionalInteger(['kv_n_heads'], HEADS) ?? attentionHeads);
  checkHeads(fields, fields.find(...names)?.name ?? 'num_key_value_heads', heads, attentionHeads);
  return heads;
}

function checkHeads(fields: Fields, name: string, heads: number, attentionHeads: number): void {
  if (heads > attentionHeads || attentionHeads % heads !== 0) {
    fields.refuse(name, heads, `a number that divides the ${attentionHeads} attention heads`);
  }
}

/** Gemma 4: layers that keep every token have heads of another size, and may keep keys alone. */
function splitKeyValue(
  fields: Fields,
  heads: number,
  headSize: number,
  attentionHeads: number,
  kinds: readonly LayerKind[],
): { full: KeyValueShape; sliding?: KeyValueShape } {
  const keysOnly = fields.flag('attention_k_eq_v');
  const globalHeads = keysOnly ? fields.optionalInteger(['num_global_key_value_heads'], HEADS) : undefined;
  if (globalHeads !== undefined) checkHeads(fields, 'num_global_key_value_heads', globalHeads, attentionHeads);
  const full = {
    heads: globalHeads ?? heads,
    headSize: fields.optionalInteger(['global_head_dim'], HEAD_SIZE) ?? headSize,
    ...(keysOnly && { keysOnly }),
  };
  return { full, ...(kinds.includes('sliding') && { sliding: { heads, headSize } }) };
}

/** The longest context, as vLLM derives it: the smallest of the fields that may hold it, times a scaling by factor. */
function readContext(fields: Fields, file: Fields, notes: string[]): number {
  const names = [
    'max_position_embeddings',
    'n_positions',
    'max_seq_len',
    'seq_length',
    'max_sequence_length',
    'max_seq_length',
    'seq_len',
  ];
  const own = fields.optionalInteger(['model_max_length'], TOKENS);
  const found = names.map((name) => fields.optionalInteger([name], TOKENS)).filter((value) => value !== undefined);
  if (own === undefined && found.length === 0) {
    notes.push('config.json does not say the longest context; vLLM takes 2048 tokens');
    return 2048;
  }
  return Math.floor((own ?? Math.min(...found)) * scalingOf(fields, file));
}

/** Kinds of rotary scaling of which the context in the file is the longest already. */
const SCALED_ALREADY = new Set([
  'default',
  'su',
  'longrope',
  'llama3',
  'yarn',
  'deepseek_yarn',
  'proportional',
  'mrope',
]);

function scalingOf(fields: Fields, file: Fields): number {
  const outer = file.text('model_type') ?? '';
  const value = fields.raw('rope_scaling', 'rope_parameters');
  if (!isObject(value) || outer.includes('gemma3')) return 1;
  const type = value['rope_type'] ?? value['type'];
  const factor = value['factor'];
  if (typeof type !== 'string' || SCALED_ALREADY.has(type) || factor === undefined || factor === null) return 1;
  if (typeof factor !== 'number' || !(factor >= 1 && factor <= 100_000)) {
    return fields.refuse('rope_scaling.factor', factor, 'a number from 1 to 100000');
  }
  return factor;
}

function readTied(fields: Fields, file: Fields, family: Family): boolean {
  // LFM 2 has a name of its own for it, which wins.
  if (family.state === 'conv' && fields.has('tie_embedding')) return fields.flag('tie_embedding', true);
  const own = fields.has('tie_word_embeddings') ? fields : file;
  return own.flag('tie_word_embeddings', family.tied ?? false);
}

/** What `layer_types` and its like call the layers. */
const KINDS: Readonly<Record<string, LayerKind>> = {
  full_attention: 'full',
  attention: 'full',
  global_attention: 'full',
  deepseek_sparse_attention: 'full',
  hybrid: 'full',
  sliding_attention: 'sliding',
  local_attention: 'sliding',
  chunked_attention: 'chunked',
  linear_attention: 'state',
  conv: 'state',
  mamba: 'state',
  mamba2: 'state',
  recurrent: 'state',
  mlp: 'state',
  moe: 'state',
};

/** Letters of NemotronH's pattern. */
const LETTERS: Readonly<Record<string, string>> = { M: 'mamba', '*': 'attention', '-': 'mlp', E: 'moe' };

interface KindsRead {
  readonly kinds: readonly LayerKind[];
  readonly window?: number;
  readonly words?: readonly string[];
}

function readLayerKinds(
  fields: Fields,
  family: Family,
  modelType: string,
  layers: number,
  contextLength: number,
): KindsRead {
  const words = readLayerWords(fields, modelType, layers);
  const chunk = fields.optionalInteger(['attention_chunk_size'], WINDOW);
  const given = fields.optionalInteger(['sliding_window', 'window_size'], WINDOW);
  const isSwitchedOff = family.windowFlag && !fields.flag('use_sliding_window');
  const window = given === undefined || given === 0 || isSwitchedOff ? undefined : given + (family.windowPlus ?? 0);
  const wanted = words?.map((word) => KINDS[word]!) ?? kindsByRule(fields, family, modelType, layers, window, chunk);
  // A layer with a window that is as long as the context keeps every token, and vLLM counts it as one with a window all the
  // same, with its one block more. Gemma 4 has other heads in layers with a window, which therefore stay what they are.
  const reach = window ?? (family.special === 'gemma4' ? contextLength : undefined);
  const kinds = wanted.map((kind): LayerKind => {
    if (kind === 'sliding') return reach === undefined ? 'full' : 'sliding';
    if (kind === 'chunked') return chunk === undefined || chunk === 0 ? 'full' : 'chunked';
    return kind;
  });
  const kept = kinds.includes('sliding') ? reach : kinds.includes('chunked') ? chunk : undefined;
  return { kinds, ...(kept !== undefined && { window: kept }), ...(words && { words }) };
}

/** The word that the config has for each layer. */
function readLayerWords(fields: Fields, modelType: string, layers: number): readonly string[] | undefined {
  const pattern = modelType === 'nemotron_h' ? fields.text('hybrid_override_pattern') : undefined;
  const found =
    pattern !== undefined
      ? { name: 'hybrid_override_pattern', value: [...pattern].map((letter) => LETTERS[letter] ?? letter) }
      : fields.find('layer_types', 'layers_block_type');
  if (found === undefined) return undefined;
  const { name, value } = found;
  if (!Array.isArray(value) || value.length !== layers) {
    return fields.refuse(name, value, `a list of ${layers} words, one a layer`);
  }
  return value.map((word: unknown, i) => {
    if (typeof word === 'string' && Object.hasOwn(KINDS, word)) return word;
    return fields.refuse(`${name}[${i}]`, word, `one of ${Object.keys(KINDS).join(', ')}`);
  });
}

/** Kinds of the layers of a model whose config does not list them. */
function kindsByRule(
  fields: Fields,
  family: Family,
  modelType: string,
  layers: number,
  window: number | undefined,
  chunk: number | undefined,
): LayerKind[] {
  const of = (kind: (layer: number) => LayerKind) => Array.from({ length: layers }, (_, i) => kind(i));
  const position = { min: 0, max: layers - 1 };
  if (family.special === 'llama4') {
    const rotary = fields.integers('no_rope_layers', { min: 0, max: 1 }, layers) ?? [];
    if (rotary.length > 0 && rotary.length !== layers) {
      fields.refuse('no_rope_layers', rotary, `a list of ${layers} numbers, one a layer`);
    }
    const every = fields.optionalInteger(['no_rope_layer_interval'], LAYERS) ?? 4;
    return of((i) =>
      chunk !== undefined && (rotary.length > 0 ? rotary[i] === 1 : (i + 1) % every !== 0) ? 'chunked' : 'full',
    );
  }
  if (family.state !== undefined) {
    if (hasNoAttention(modelType)) return of(() => 'state');
    const listed = ['attn_layer_indices', 'full_attn_idxs', 'hybrid_layer_ids']
      .map((name) => fields.integers(name, position, layers))
      .find((list) => list !== undefined);
    if (listed !== undefined) return of((i) => (listed.includes(i) ? 'full' : 'state'));
    const interval = fields.optionalInteger(['full_attention_interval'], LAYERS);
    if (interval !== undefined) return of((i) => ((i + 1) % interval === 0 ? 'full' : 'state'));
    const period = fields.optionalInteger(['attn_layer_period'], LAYERS);
    const offset = fields.optionalInteger(['attn_layer_offset'], { min: 0, max: 10_000 }) ?? 0;
    if (period !== undefined) return of((i) => (i % period === offset ? 'full' : 'state'));
    return of(() => (modelType === 'falcon_h1' || modelType === 'lfm2' ? 'full' : 'state'));
  }
  if (window === undefined && family.special !== 'gemma4') return of(() => 'full');
  if (family.windowFlag) {
    const first = fields.optionalInteger(['max_window_layers'], { min: 0, max: 1_000_000 }) ?? 0;
    return of((i) => (i >= first ? 'sliding' : 'full'));
  }
  const every = readFullEvery(fields, family);
  if (every === undefined) return of(() => 'sliding');
  return of((i) => ((i + 1) % every === 0 || (family.special === 'gemma4' && i === layers - 1) ? 'full' : 'sliding'));
}

/** Every n-th layer is full: a number, or a word such as `LLLG` for a period. */
function readFullEvery(fields: Fields, family: Family): number | undefined {
  if (family.fullEvery === undefined) return undefined;
  const value = fields.raw('sliding_window_pattern', '_sliding_window_pattern');
  if (typeof value === 'string' && /^L+G$/.test(value) && value.length <= LAYERS.max) return value.length;
  return fields.optionalInteger(['sliding_window_pattern', '_sliding_window_pattern'], LAYERS) ?? family.fullEvery;
}

function noPipelineOf(architecture: string, fields: Fields, decoder: Decoder): { noPipeline?: string } {
  const shared = decoder.sharedKeyValueLayers;
  const inputs = fields.optionalInteger(['hidden_size_per_layer_input'], { min: 0, max: 1_000_000 }) ?? 0;
  if (NO_PIPELINE.has(architecture)) {
    return { noPipeline: `vLLM has no pipeline for ${architecture}` };
  }
  if (shared > 0) {
    return {
      noPipeline: `its last ${shared} layers read the keys and values of earlier layers (num_kv_shared_layers), which would be on another stage`,
    };
  }
  if (inputs > 0) {
    return {
      noPipeline: `its layers take inputs of their own (hidden_size_per_layer_input ${inputs}), which later stages do not get`,
    };
  }
  return {};
}

function architectureNotes(architecture: string, isGuessed: boolean): string[] {
  if (isGuessed) return ['config.json names no architectures, without which vLLM does not start'];
  if (KNOWN_ARCHITECTURES.has(architecture)) return [];
  if (removedSince(architecture) !== undefined) return [];
  return [`vLLM has no ${architecture} of its own: it runs it by way of transformers, or refuses it`];
}
