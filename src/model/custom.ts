import { printable } from '../common/printable';
import type { LayerKind, LayerParameters, ModelShape } from './shape';

/** What a person says of a model that has no config.json at hand. */
export interface CustomNumbers {
  readonly name: string;
  readonly architecture: string;
  readonly layers: number;
  readonly hiddenSize: number;
  readonly attentionHeads: number;
  readonly keyValueHeads: number;
  readonly headSize: number;
  readonly parameters: number;
  readonly vocabularySize: number;
  readonly tiedEmbeddings: boolean;
  readonly contextLength: number;
  readonly slidingWindow?: number;
  readonly slidingWindowPattern?: number;
  readonly weightsBytes?: number;
  readonly gated: boolean;
  readonly vision: boolean;
}

const BITS = 16;

/** Makes the shape of a model from the few numbers that a person gives: its layers are alike. */
export function customShape(numbers: CustomNumbers): ModelShape {
  const { name, layers, hiddenSize, headSize, keyValueHeads, parameters: total, vocabularySize } = numbers;
  const embedding = vocabularySize * hiddenSize;
  const head = numbers.tiedEmbeddings ? 0 : embedding;
  const each = Math.floor((total - embedding - head) / layers);
  if (each < 1) {
    throw new Error(
      `parameters of ${printable(name)} are ${total}; its embedding alone has ${embedding + head} ` +
        `(vocabularySize times hiddenSize${head > 0 ? ', and as many for the output head' : ''}), which leaves none for layers`,
    );
  }
  const keyValue = Math.min(2 * hiddenSize * keyValueHeads * headSize, each);
  const layer: LayerParameters = { linear: each - keyValue, keyValue, experts: 0, replicated: 0 };
  const outside = embedding + head + (total - embedding - head - each * layers);
  return {
    name,
    architecture: numbers.architecture,
    modelType: 'custom',
    layers,
    hiddenSize,
    attentionHeads: numbers.attentionHeads,
    keyValue: { heads: keyValueHeads, headSize },
    ...kindsOf(numbers),
    vocabularySize,
    tiedEmbeddings: numbers.tiedEmbeddings,
    contextLength: numbers.contextLength,
    activeParameters: each * layers + (head || embedding),
    sharedKeyValueLayers: 0,
    multimodal: numbers.vision,
    weights: formatOf(numbers.weightsBytes, each * layers, outside),
    parameters: {
      total,
      embedding,
      head,
      layers: new Array<LayerParameters>(layers).fill(layer),
      towers: 0,
      other: outside - embedding - head,
    },
    weightsBytes: numbers.weightsBytes ?? (total * BITS) / 8,
    gated: numbers.gated,
    provenance: { verified: false, notes: ['its numbers were given by hand; all layers count as alike'] },
  };
}

function kindsOf({ layers, slidingWindow, slidingWindowPattern, contextLength }: CustomNumbers) {
  const isSliding = slidingWindow !== undefined && slidingWindow < contextLength;
  const layerKinds = Array.from({ length: layers }, (_, i): LayerKind => {
    const isFull = !isSliding || (slidingWindowPattern !== undefined && (i + 1) % slidingWindowPattern === 0);
    return isFull ? 'full' : 'sliding';
  });
  return { layerKinds, ...(layerKinds.includes('sliding') && { window: slidingWindow }) };
}

/** Spreads a given size over the layers, the rest at 16 bits. */
function formatOf(weightsBytes: number | undefined, inLayers: number, outside: number): ModelShape['weights'] {
  if (weightsBytes === undefined) return { name: 'bfloat16', bits: BITS, quantized: 'none', otherBits: BITS };
  const bits = (weightsBytes * 8 - outside * BITS) / inLayers;
  // A size that is two bytes a parameter, or four, says that nothing is quantized.
  if ([16, 32].some((whole) => Math.abs((weightsBytes * 8) / ((inLayers + outside) * whole) - 1) < 0.01)) {
    return { name: 'bfloat16', bits: BITS, quantized: 'none', otherBits: BITS };
  }
  // A size that the embedding alone exceeds: every parameter is as small as the others.
  return {
    name: 'other',
    bits: bits > 0 ? bits : (weightsBytes * 8) / (inLayers + outside),
    quantized: 'linear',
    otherBits: BITS,
  };
}
