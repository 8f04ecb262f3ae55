/**
 * What a layer keeps of the tokens it has read. `full`: every token; `sliding`: those of a window; `chunked`: those of the
 * current chunk (Llama 4); `state`: a state of fixed size instead of tokens (Mamba, linear attention).
 */
export type LayerKind = 'full' | 'sliding' | 'chunked' | 'state';

/** Keys and values of one layer. */
export interface KeyValueShape {
  /** Key and value heads: `num_key_value_heads`. */
  readonly heads: number;
  /** Size of one head: `head_dim`. */
  readonly headSize: number;
  /**
   * Whether one matrix makes keys and values (`attention_k_eq_v` of Gemma 4). vLLM loads it twice, and keeps both all the
   * same, since each has a norm of its own.
   */
  readonly keysOnly?: boolean;
}

/** How weights are stored, on disk and in memory. */
export interface WeightFormat {
  /** What people call it. */
  readonly name:
    'bfloat16' | 'float16' | 'float32' | 'fp8' | 'int8' | 'awq' | 'gptq' | 'mxfp4' | 'nvfp4' | 'int4' | 'other';
  /** The method that quantized them, as config.json names it (`quant_method`); none when nothing is quantized. */
  readonly method?: string;
  /** Bits of one parameter of a quantized matrix, scales and zero points included. 16 or 32 when nothing is quantized. */
  readonly bits: number;
  /** Which matrices are quantized; embeddings, heads, norms and routers never are. */
  readonly quantized: 'none' | 'linear' | 'experts';
  /** Bits of a parameter that is not quantized: `torch_dtype`. */
  readonly otherBits: 16 | 32;
}

/** Parameters of one layer, by how tensor parallelism deals them out. */
export interface LayerParameters {
  /** Query and output projections, dense feed-forward: divided by the tensor-parallel size. */
  readonly linear: number;
  /**
   * Key and value projections: divided until one head is left on a rank, copies beyond that. Of latent attention what every
   * rank holds whole, its one latent being one head.
   */
  readonly keyValue: number;
  /** Matrices of routed and shared experts: divided like `linear`. */
  readonly experts: number;
  /** Norms, routers, biases that every rank holds whole. */
  readonly replicated: number;
}

/** Parameters of a model, derived from its shape. */
export interface ParameterCounts {
  /** All of them, everything below included once (a tied head counts with the embedding). */
  readonly total: number;
  /** Token embedding: vocabulary times hidden size. */
  readonly embedding: number;
  /** Output head; 0 when it is the embedding. */
  readonly head: number;
  /** Each transformer layer. */
  readonly layers: readonly LayerParameters[];
  /** Vision and audio towers with their projectors; an estimate where the config does not say enough. */
  readonly towers: number;
  /** Final norm, learned positions and whatever else stands outside of layers. */
  readonly other: number;
}

/** Where the numbers of a model come from, and how far they can be trusted. */
export interface Provenance {
  /** Whether the parameter count was compared with the size of the published files. */
  readonly verified: boolean;
  /**
   * Whether the parameters are an approximation: of a kind of model that is not known, of towers or of a quantization that the
   * file does not describe. Files and memory may then differ from what is planned by more than a few percent.
   */
  readonly approximate?: boolean;
  /** What is not certain, for a person; empty when nothing is. */
  readonly notes: readonly string[];
}

/**
 * A model as the planner sees it: plain numbers, read from a Hugging Face config.json. The words are those of that file
 * where it has some.
 */
export interface ModelShape {
  /** What `vllm serve` gets: a repository on Hugging Face, or a path in the container. */
  readonly name: string;
  /** `architectures[0]`. */
  readonly architecture: string;
  /** `model_type` of the text model. */
  readonly modelType: string;
  /** `num_hidden_layers`. */
  readonly layers: number;
  /** `hidden_size`. */
  readonly hiddenSize: number;
  /** `num_attention_heads`. */
  readonly attentionHeads: number;
  /**
   * Keys and values of the layers that keep every token (of all layers, unless `slidingKeyValue` says otherwise). One head of
   * no size where no layer has attention (`layerKinds` are `state` alone: Mamba).
   */
  readonly keyValue: KeyValueShape;
  /** Keys and values of sliding layers, where they differ (Gemma 4). */
  readonly slidingKeyValue?: KeyValueShape;
  /**
   * Width of the one latent that is kept instead of keys and values (MLA): `kv_lora_rank + qk_rope_head_dim`. `keyValue` is
   * then one head of that width.
   */
  readonly latentSize?: number;
  /** Kind of each layer, first layer first. A layer of feed-forward alone (Nemotron H) counts as a state. */
  readonly layerKinds: readonly LayerKind[];
  /** Tokens of the window, or of the chunk; none when no layer has one. */
  readonly window?: number;
  /** `vocab_size`. */
  readonly vocabularySize: number;
  /** `tie_word_embeddings`: the output head is the embedding. */
  readonly tiedEmbeddings: boolean;
  /** `max_position_embeddings`. */
  readonly contextLength: number;
  /** Experts of a layer; none in a dense model. */
  readonly experts?: { readonly routed: number; readonly active: number };
  /** Parameters that one token passes through: of its layers, the final norm and the output head. */
  readonly activeParameters: number;
  /** Last layers that read the keys and values of earlier ones (`num_kv_shared_layers`); pipelines cannot split them. */
  readonly sharedKeyValueLayers: number;
  /** Why vLLM cannot split this model into pipeline stages; none when it can. */
  readonly noPipeline?: string;
  /** Why vLLM refuses the model whatever the split; none when it does not. */
  readonly refused?: string;
  /** First release of vLLM that refuses it for that; all do when there is none. */
  readonly refusedSince?: string;
  /** Whether the model reads images or sound. */
  readonly multimodal: boolean;
  readonly weights: WeightFormat;
  readonly parameters: ParameterCounts;
  /** Bytes of the weight files, when somebody gave them; else the parameters at their bits, and drafts beside them. */
  readonly weightsBytes: number;
  /** Whether a person must accept a licence before a token opens the files. */
  readonly gated: boolean;
  readonly provenance: Provenance;
}
