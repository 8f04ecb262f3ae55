import { Size } from 'cdk8s';
import { checkFlag, checkProps, checkSize } from '../common/kinds';
import { bytesOf, checkInteger } from '../common/numbers';
import { hasHidden, printable } from '../common/printable';
import { shapeOf } from './catalogue';
import { readConfig } from './config';
import { customShape } from './custom';
import { show } from './fields';
import type { ModelShape } from './shape';

/** The shape of a model, in the words of its Hugging Face config.json. */
export interface ModelProps {
  /** The model's class: `architectures[0]`, for example `LlamaForCausalLM`. */
  readonly architecture: string;

  /** Transformer layers: `num_hidden_layers`. */
  readonly layers: number;

  /** Width of the hidden state: `hidden_size`. */
  readonly hiddenSize: number;

  /** Attention heads of a layer: `num_attention_heads`. */
  readonly attentionHeads: number;

  /** Key and value heads of a layer, which divide the attention heads: `num_key_value_heads`. */
  readonly keyValueHeads: number;

  /**
   * Size of one head: `head_dim`.
   * @default - hidden size divided by attention heads
   */
  readonly headSize?: number;

  /** All parameters, embeddings and vision tower included. */
  readonly parameters: number;

  /** Tokens of the vocabulary: `vocab_size`. The embedding has as many rows. */
  readonly vocabularySize: number;

  /**
   * Whether the output head is the embedding: `tie_word_embeddings`.
   * @default false
   */
  readonly tiedEmbeddings?: boolean;

  /** Longest context in tokens: `max_position_embeddings`. */
  readonly contextLength: number;

  /**
   * Tokens that a layer with a window keeps: `sliding_window`.
   * @default - no layer has a window
   */
  readonly slidingWindow?: number;

  /**
   * Every n-th layer keeps all tokens, those between have the window: 6 in Gemma 3, 2 in Gemma 2. Needs `slidingWindow`.
   * @default - all layers have the window
   */
  readonly slidingWindowPattern?: number;

  /**
   * Size of the weights, on disk and in memory; to be given for quantized weights.
   * @default - two bytes a parameter
   */
  readonly weightsSize?: Size;

  /**
   * Whether the files are only given to accounts that accepted a licence.
   * @default false
   */
  readonly gated?: boolean;

  /**
   * Whether the model reads images.
   * @default false
   */
  readonly vision?: boolean;
}

/** What a config.json does not say. */
export interface ModelConfigOptions {
  /**
   * Whether the files are only given to accounts that accepted a licence.
   * @default false
   */
  readonly gated?: boolean;

  /**
   * Size of the weight files. The parameters derived from config.json are compared with it.
   * @default - the parameters at the bits that config.json says
   */
  readonly weightsSize?: Size;
}

/**
 * What a model is: its name on Hugging Face and the numbers that decide how it can be split.
 *
 * @example
 *   Model.of('google/gemma-3-1b-it');                               // from the catalogue
 *   Model.fromConfigJson('acme/llama', readFileSync('config.json', 'utf8')); // any other, from its config.json
 *   Model.custom('acme/tiny-llama', { layers: 22, ... });           // or from the numbers alone
 */
export class Model {
  /**
   * Look up a model of the catalogue. docs/models.md lists them.
   * @param name repository on Hugging Face, `organisation/model`
   * @throws when the catalogue does not know it; the message names the nearest one
   */
  public static of(name: string): Model {
    return new Model(shapeOf(name));
  }

  /**
   * Describe a model by its Hugging Face config.json, of any architecture whose layers are transformer layers. Parameters
   * are derived from it.
   * @param name what `vllm serve` gets: a repository on Hugging Face or a path in the container
   * @param config the text of the file, or the object that it holds
   * @throws when it is not the config.json of a model that generates text; the message names the field, its value and what
   * it takes
   */
  public static fromConfigJson(name: string, config: unknown, options: ModelConfigOptions = {}): Model {
    checkName(name);
    const what = `of ${printable(name)}`;
    checkProps(`options ${what}`, options, 'an object such as { gated: true }');
    const { gated, weightsSize } = options;
    checkFlag(`gated ${what}`, gated);
    checkSize(`weightsSize ${what}`, weightsSize);
    const weightsBytes = weightsSize && bytesOf(weightsSize);
    return new Model(
      readConfig(name, typeof config === 'string' ? parse(name, config) : config, { gated, weightsBytes }),
    );
  }

  /**
   * Describe a model by its numbers alone. All of its layers count as alike: prefer `fromConfigJson`.
   * @param name what `vllm serve` gets: a repository on Hugging Face or a path in the container
   * @param props the numbers of its config.json
   * @throws when a number is none that a model can have
   */
  public static custom(name: string, props: ModelProps): Model {
    checkName(name);
    const shown = printable(name);
    checkProps(`numbers of ${shown}`, props, "an object such as { architecture: 'LlamaForCausalLM', layers: 32, ... }");
    checkArchitecture(shown, props.architecture);
    checkFlag(`tiedEmbeddings of ${shown}`, props.tiedEmbeddings);
    checkFlag(`gated of ${shown}`, props.gated);
    checkFlag(`vision of ${shown}`, props.vision);
    checkSize(`weightsSize of ${shown}`, props.weightsSize);
    const layers = checkInteger(`layers of ${shown}`, props.layers, 1, 1000);
    const hiddenSize = checkInteger(`hidden size of ${shown}`, props.hiddenSize, 1, 1_000_000);
    const attentionHeads = checkInteger(`attention heads of ${shown}`, props.attentionHeads, 1, 10_000);
    const keyValueHeads = checkInteger(`key and value heads of ${shown}`, props.keyValueHeads, 1, attentionHeads);
    if (attentionHeads % keyValueHeads !== 0) {
      throw new Error(
        `key and value heads of ${shown} are ${keyValueHeads}; it takes a number that divides its ${attentionHeads} attention heads`,
      );
    }
    if (props.headSize === undefined && hiddenSize % attentionHeads !== 0) {
      throw new Error(
        `hidden size of ${shown} is ${hiddenSize}, no multiple of its ${attentionHeads} attention heads; give headSize (head_dim)`,
      );
    }
    if (props.slidingWindowPattern !== undefined && props.slidingWindow === undefined) {
      throw new Error(`slidingWindowPattern of ${shown} is given without slidingWindow; give both, or neither`);
    }
    const optional = (what: string, value: number | undefined, max: number) =>
      value === undefined ? undefined : checkInteger(`${what} of ${shown}`, value, 1, max);
    const weightsBytes = props.weightsSize && bytesOf(props.weightsSize);
    if (weightsBytes === 0) {
      throw new Error(`weightsSize of ${shown} is 0; leave it out for two bytes a parameter`);
    }
    return new Model(
      customShape({
        name,
        architecture: props.architecture,
        layers,
        hiddenSize,
        attentionHeads,
        keyValueHeads,
        headSize: optional('head size', props.headSize, 100_000) ?? hiddenSize / attentionHeads,
        parameters: checkInteger(`parameters of ${shown}`, props.parameters, 1, Number.MAX_SAFE_INTEGER),
        vocabularySize: checkInteger(`vocabulary size of ${shown}`, props.vocabularySize, 1, 100_000_000),
        tiedEmbeddings: props.tiedEmbeddings ?? false,
        contextLength: checkInteger(`context length of ${shown}`, props.contextLength, 1, Number.MAX_SAFE_INTEGER),
        slidingWindow: optional('sliding window', props.slidingWindow, Number.MAX_SAFE_INTEGER),
        slidingWindowPattern: optional('sliding window pattern', props.slidingWindowPattern, 1000),
        weightsBytes,
        gated: props.gated ?? false,
        vision: props.vision ?? false,
      }),
    );
  }

  /** What `vllm serve` gets: a repository on Hugging Face, or a path in the container. */
  public readonly name: string;
  /** The model's class, as in config.json. */
  public readonly architecture: string;
  /** Transformer layers. */
  public readonly layers: number;
  /** Width of the hidden state. */
  public readonly hiddenSize: number;
  /** Attention heads of a layer. */
  public readonly attentionHeads: number;
  /** Key and value heads of a layer that keeps all tokens; 1 where one latent stands for all heads (DeepSeek). */
  public readonly keyValueHeads: number;
  /** Size of one key or value head; the width of the latent where one stands for all heads. */
  public readonly headSize: number;
  /** All parameters. */
  public readonly parameters: number;
  /** Tokens of the vocabulary. */
  public readonly vocabularySize: number;
  /** Size of the weights on disk. */
  public readonly weightsSize: Size;
  /** Longest context in tokens. */
  public readonly contextLength: number;
  /** Whether a licence must be accepted, by a person, before a token opens the files. */
  public readonly gated: boolean;
  /** Whether the model reads images or sound. */
  public readonly vision: boolean;

  /**
   * All that the planner needs.
   * @internal
   */
  public readonly _shape: ModelShape;

  private constructor(shape: ModelShape) {
    this._shape = shape;
    this.name = shape.name;
    this.architecture = shape.architecture;
    this.layers = shape.layers;
    this.hiddenSize = shape.hiddenSize;
    this.attentionHeads = shape.attentionHeads;
    this.keyValueHeads = shape.keyValue.heads;
    this.headSize = shape.keyValue.headSize;
    this.parameters = shape.parameters.total;
    this.vocabularySize = shape.vocabularySize;
    this.weightsSize = Size.kibibytes(Math.ceil(shape.weightsBytes / 1024));
    this.contextLength = shape.contextLength;
    this.gated = shape.gated;
    this.vision = shape.multimodal;
  }

  /** The page on which a person accepts the licence of a gated model, with the account that the token belongs to. */
  public get licencePage(): string {
    return `https://huggingface.co/${this.name}`;
  }
}

/** Longer than any repository, and than the paths of models. */
const LONGEST_NAME = 300;

function checkName(name: string): void {
  if (typeof name !== 'string' || !/^[^\s-]\S*$/.test(name) || hasHidden(name)) {
    throw new Error(
      `model name is ${typeof name === 'string' ? `'${printable(name)}'` : name === null ? 'null' : `of type ${typeof name}`}; ` +
        "it takes a repository ('organisation/model') or a path, without spaces and control characters",
    );
  }
  if (name.length > LONGEST_NAME) {
    throw new Error(
      `model name has ${name.length} characters ('${printable(name)}'); it takes at most ${LONGEST_NAME} characters`,
    );
  }
}

function checkArchitecture(model: string, architecture: unknown): void {
  if (typeof architecture !== 'string' || !/^\w{1,200}$/.test(architecture)) {
    throw new Error(
      `architecture of ${model} is ${show(architecture)}; it takes the name of a class such as 'LlamaForCausalLM'`,
    );
  }
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // The engine quotes the text.
    const reason = printable((error as Error).message, 200);
    throw new Error(`config.json of ${printable(name)} is no JSON (${reason}); it takes the text of the file`, {
      cause: error,
    });
  }
}
