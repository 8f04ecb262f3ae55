import { CATALOGUE } from '../../../model/catalogue-data';
import { readConfig } from '../../../model/config';
import type { ModelShape } from '../../../model/shape';
import { CannotRehearse } from '../cannot';
import { TOKEN_IDS, tokenizerFiles, VOCABULARY_SIZE } from './tokenizer';

/** A model that starts in seconds and is cut up, cached and refused like the one that it stands for. */
export interface TinyModel {
  /** Of the model that it stands for. */
  readonly real: ModelShape;
  readonly shape: ModelShape;
  /** Files of its folder by name. The weights are made up by vLLM itself. */
  readonly files: Readonly<Record<string, string>>;
  /** What of the real model it does not have. */
  readonly leftOut: readonly string[];
}

type Config = Record<string, unknown>;

const HIDDEN = 256;
const INTERMEDIATE = 512;
/** Where the size of a head is the hidden size over the heads, whatever head_dim says. */
const HEAD_WHERE_DERIVED = 32;
const EXPERTS = 8;

/** Text models that vLLM knows by a class of their own, by `model_type`. */
const TEXT_CLASSES: Readonly<Record<string, string>> = {
  gemma3_text: 'Gemma3ForCausalLM',
  gemma4_text: 'Gemma4ForCausalLM',
  llama: 'LlamaForCausalLM',
  llama4_text: 'Llama4ForCausalLM',
  mistral: 'MistralForCausalLM',
  qwen2: 'Qwen2ForCausalLM',
  qwen3: 'Qwen3ForCausalLM',
};
const TEXT_TYPES: Readonly<Record<string, string>> = { qwen2_5_vl: 'qwen2', qwen2_vl: 'qwen2' };
/** Classes whose head_dim is a field of its own. */
const OWN_HEAD_SIZE = /^(gemma|llama|mi(ni)?stral|mixtral|qwen3|phi3|gpt_oss)/;

/** The config.json of a model by its name, as far as the catalogue has it. */
export function catalogueConfig(name: string): Config | undefined {
  return Object.hasOwn(CATALOGUE, name) ? { ...CATALOGUE[name]!.config() } : undefined;
}

/**
 * Shrinks a model: layers, their kinds, heads and the size of a head stay, so that pipeline, tensor parallelism and cache are
 * those of the model itself; hidden size, vocabulary and experts go down.
 * @param longest tokens that the command line asks for; what the model cannot do stays refused
 */
export function tinyModel(name: string, config: Config, longest: number | undefined): TinyModel {
  const real = readConfig(name, config);
  const text = textPart(config, real);
  const isOwn = OWN_HEAD_SIZE.test(text.type);
  const headSize = isOwn ? real.keyValue.headSize : HEAD_WHERE_DERIVED;
  const context = longest !== undefined && longest > 0 && longest <= real.contextLength ? longest : real.contextLength;
  const hasScaling = text.fields['rope_scaling'] !== undefined && text.fields['rope_scaling'] !== null;
  const tiny: Config = {
    ...text.fields,
    architectures: [text.architecture],
    model_type: text.type,
    dtype: 'bfloat16',
    torch_dtype: 'bfloat16',
    hidden_size: isOwn ? HIDDEN : real.attentionHeads * headSize,
    intermediate_size: INTERMEDIATE,
    num_hidden_layers: real.layers,
    num_attention_heads: real.attentionHeads,
    num_key_value_heads: real.keyValue.heads,
    head_dim: headSize,
    vocab_size: VOCABULARY_SIZE,
    tie_word_embeddings: real.tiedEmbeddings,
    ...(!hasScaling && { max_position_embeddings: context }),
    ...expertsOf(text.fields),
    bos_token_id: TOKEN_IDS.bos,
    eos_token_id: [TOKEN_IDS.eos, TOKEN_IDS.endOfTurn],
    pad_token_id: TOKEN_IDS.pad,
  };
  delete tiny['quantization_config'];
  delete tiny['vision_config'];
  const generation = { bos_token_id: TOKEN_IDS.bos, eos_token_id: tiny['eos_token_id'], pad_token_id: TOKEN_IDS.pad };
  return {
    real,
    shape: readConfig(name, tiny),
    files: {
      'config.json': JSON.stringify(tiny, undefined, 1),
      'generation_config.json': JSON.stringify(generation),
      ...tokenizerFiles(),
    },
    leftOut: [
      ...(real.multimodal ? ['its towers for images and sound'] : []),
      ...(real.weights.quantized === 'none' ? [] : [`the quantization (${real.weights.name}) of its weights`]),
    ],
  };
}

/** The fields of the text model, and the class that runs it alone. */
function textPart(config: Config, real: ModelShape): { fields: Config; type: string; architecture: string } {
  const inner = ['text_config', 'llm_config', 'language_config'].map((key) => config[key]).find(isObject);
  const type = TEXT_TYPES[real.modelType] ?? real.modelType;
  if (!real.multimodal) {
    return { fields: inner ?? config, type, architecture: real.architecture };
  }
  const architecture = Object.hasOwn(TEXT_CLASSES, type) ? TEXT_CLASSES[type] : undefined;
  if (architecture === undefined) {
    throw new CannotRehearse(
      `${real.name} (${real.architecture}) reads more than text, and no tiny model of its kind can be made here`,
    );
  }
  return { fields: inner ?? config, type, architecture };
}

/** Fewer and smaller experts. */
function expertsOf(fields: Config): Config {
  const smaller: Config = {};
  for (const key of ['num_experts', 'num_local_experts', 'n_routed_experts']) {
    if (typeof fields[key] === 'number') {
      smaller[key] = Math.min(EXPERTS, fields[key]);
    }
  }
  if (typeof fields['num_experts_per_tok'] === 'number') {
    smaller['num_experts_per_tok'] = Math.min(EXPERTS / 2, fields['num_experts_per_tok']);
  }
  return typeof fields['moe_intermediate_size'] === 'number'
    ? { ...smaller, moe_intermediate_size: INTERMEDIATE / 2 }
    : smaller;
}

function isObject(value: unknown): value is Config {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
