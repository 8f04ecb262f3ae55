import { Size } from 'cdk8s';
import { didYouMean } from '../common/nearest';
import { bytesOf, checkInteger } from '../common/numbers';
import { CATALOGUE } from './catalogue';

/** bfloat16 and float16, on disk and in memory. */
export const BYTES_PER_PARAMETER = 2;

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

  /** Key and value heads of a layer: `num_key_value_heads`. */
  readonly keyValueHeads: number;

  /** All parameters, embeddings and vision tower included. */
  readonly parameters: number;

  /** Longest context in tokens: `max_position_embeddings`. */
  readonly contextLength: number;

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

/**
 * What a model is: its name on Hugging Face and the numbers that decide how it can be split.
 *
 * @example
 *   Model.of('google/gemma-3-1b-it');                       // from the catalogue
 *   Model.custom('acme/tiny-llama', { layers: 22, ... });   // any other, from its config.json
 */
export class Model {
  /**
   * Look up a model of the catalogue.
   * @param name repository on Hugging Face, `organisation/model`
   * @throws when the catalogue does not know it; the message names the nearest one
   */
  public static of(name: string): Model {
    const entry = Object.hasOwn(CATALOGUE, name) ? CATALOGUE[name] : undefined;
    if (!entry) {
      throw new Error(
        `model '${name}' is not in the catalogue${didYouMean(name, Object.keys(CATALOGUE))} ` +
          `(known: ${Object.keys(CATALOGUE).join(', ')}; for any other use Model.custom with the numbers of its config.json)`,
      );
    }
    return new Model(name, entry);
  }

  /**
   * Describe a model that the catalogue does not know.
   * @param name what `vllm serve` gets: a repository on Hugging Face or a path in the container
   * @param props the numbers of its config.json
   */
  public static custom(name: string, props: ModelProps): Model {
    return new Model(name, props);
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
  /** Key and value heads of a layer. */
  public readonly keyValueHeads: number;
  /** All parameters. */
  public readonly parameters: number;
  /** Size of the weights, on disk and in memory. */
  public readonly weightsSize: Size;
  /** Longest context in tokens. */
  public readonly contextLength: number;
  /** Whether a licence must be accepted, by a person, before a token opens the files. */
  public readonly gated: boolean;
  /** Whether the model reads images. */
  public readonly vision: boolean;

  private readonly givenWeightsSize?: Size;

  private constructor(name: string, props: ModelProps) {
    if (!/^[^\s-][^\s]*$/.test(name)) {
      throw new Error(
        `model name is '${name}'; it takes a repository ('organisation/model') or a path, without spaces`,
      );
    }
    this.name = name;
    this.architecture = props.architecture;
    this.layers = checkInteger(`layers of ${name}`, props.layers, 1, 10_000);
    this.hiddenSize = checkInteger(`hidden size of ${name}`, props.hiddenSize, 1, 1_000_000);
    this.attentionHeads = checkInteger(`attention heads of ${name}`, props.attentionHeads, 1, 10_000);
    this.keyValueHeads = checkInteger(`key and value heads of ${name}`, props.keyValueHeads, 1, props.attentionHeads);
    this.parameters = checkInteger(`parameters of ${name}`, props.parameters, 1, Number.MAX_SAFE_INTEGER);
    this.givenWeightsSize = props.weightsSize;
    this.weightsSize = props.weightsSize ?? Size.kibibytes(Math.ceil((this.parameters * BYTES_PER_PARAMETER) / 1024));
    if (bytesOf(this.weightsSize) < 1) {
      throw new Error(`weightsSize of ${name} is 0; leave it out for two bytes a parameter`);
    }
    this.contextLength = checkInteger(`context length of ${name}`, props.contextLength, 1, Number.MAX_SAFE_INTEGER);
    this.gated = props.gated ?? false;
    this.vision = props.vision ?? false;
  }

  /**
   * Bytes of the weights once they are loaded; quantized ones stay as they are.
   * @internal
   */
  public _weightsInMemory(bytesPerParameter: number): number {
    return this.givenWeightsSize ? bytesOf(this.givenWeightsSize) : this.parameters * bytesPerParameter;
  }

  /** The page on which a person accepts the licence of a gated model, with the account that the token belongs to. */
  public get licencePage(): string {
    return `https://huggingface.co/${this.name}`;
  }
}
