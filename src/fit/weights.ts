import type { LayerParameters, ModelShape } from '../model/shape';
import { roundUp } from './units';

/** Where a rank stands. */
export interface RankPlace {
  /** Layers of its stage, from 0, both ends included. */
  readonly firstLayer: number;
  readonly lastLayer: number;
  readonly isFirstStage: boolean;
  readonly isLastStage: boolean;
  readonly tensorParallelSize: number;
}

/** What computes: the cores of the node, or its GPUs. */
export type Backend = 'cpu' | 'gpu';

/** Bytes of weights on a rank. */
export interface RankWeights {
  readonly layers: number;
  readonly embeddings: number;
  readonly towers: number;
}

/** vLLM pads the vocabulary to whole tiles. */
export const VOCABULARY_STEP = 64;

/**
 * Text models whose class makes the embedding (and the head) on every pipeline stage, needed there or not. Source: the
 * classes of vllm/model_executor/models of 0.32.0 that make `embed_tokens` without asking for the stage.
 */
const EMBEDDING_ON_EVERY_STAGE: ReadonlySet<string> = new Set([
  'bloom',
  'chatglm',
  'cohere',
  'cohere2',
  'dbrx',
  'falcon',
  'gemma',
  'gemma2',
  'gemma3',
  'gemma3n',
  'gemma4',
  'gemma4_unified',
  'gpt2',
  'gpt_oss',
  'gptj',
  'granitemoe',
  'granitemoehybrid',
  'granitemoeshared',
  'internlm2',
  'jamba',
  'lfm2',
  'lfm2_moe',
  'minicpm',
  'mixtral',
  'nemotron_h',
  'olmoe',
  'opt',
  'orion',
  'phimoe',
  'qwen2_moe',
  'qwen3_5',
  'qwen3_5_moe',
  'qwen3_moe',
  'qwen3_next',
  'qwen3_vl_moe',
  'stablelm',
  'zamba2',
]);

/** Rows of the embedding as vLLM holds it. */
export function paddedVocabulary({ vocabularySize }: ModelShape): number {
  return roundUp(vocabularySize, VOCABULARY_STEP);
}

/** Weights of a rank, as they lie in memory. `backend` decides about the copies of the embedding. */
export function rankWeights(model: ModelShape, place: RankPlace, dtypeBits: number, backend: Backend): RankWeights {
  const { parameters } = model;
  const plainBytes = dtypeBits / 8;
  let layers = 0;
  for (let layer = place.firstLayer; layer <= place.lastLayer; layer++) {
    layers += layerBytes(model, parameters.layers[layer]!, place.tensorParallelSize, plainBytes);
  }
  const table = (paddedVocabulary(model) * model.hiddenSize * plainBytes) / place.tensorParallelSize;
  return {
    layers: layers + (place.isLastStage ? parameters.other * plainBytes : 0),
    embeddings: table * embeddingCopies(model, place, backend),
    towers: parameters.towers * plainBytes,
  };
}

function layerBytes(
  { weights, keyValue }: ModelShape,
  layer: LayerParameters,
  tensorParallelSize: number,
  plainBytes: number,
): number {
  const quantizedBytes = weights.bits / 8;
  const linearBytes = weights.quantized === 'linear' ? quantizedBytes : plainBytes;
  const expertBytes = weights.quantized === 'none' ? plainBytes : quantizedBytes;
  return (
    (layer.linear * linearBytes) / tensorParallelSize +
    (layer.keyValue * linearBytes) / Math.min(tensorParallelSize, keyValue.heads) +
    (layer.experts * expertBytes) / tensorParallelSize +
    layer.replicated * plainBytes
  );
}

/**
 * How often the embedding lies in the memory of a rank. On CPU every matrix is repacked and the original dropped, but of
 * anything that is an embedding the original stays: the table, a packed copy that nobody uses, and for a head that is the
 * same table one more. Measured for tied models; for untied ones by the same code.
 */
export function embeddingCopies(
  model: ModelShape,
  { isFirstStage, isLastStage }: Pick<RankPlace, 'isFirstStage' | 'isLastStage'>,
  backend: Backend,
): number {
  const everyStage = EMBEDDING_ON_EVERY_STAGE.has(model.modelType.replace(/_text$/, ''));
  const hasTable = everyStage || isFirstStage;
  const hasHead = everyStage || isLastStage;
  if (backend === 'gpu') {
    return model.tiedEmbeddings ? Number(hasTable || hasHead) : Number(hasTable) + Number(hasHead);
  }
  if (model.tiedEmbeddings) {
    return hasHead ? 3 : hasTable ? 2 : 0;
  }
  return 2 * Number(hasTable) + 2 * Number(hasHead);
}
