import { expect } from 'vitest';
import { sumOfLayer } from '../../src/model/parameters';
import type { ModelShape } from '../../src/model/shape';

/** What is true of every shape. */
export function expectSane(shape: ModelShape): void {
  const { parameters, layers, layerKinds } = shape;
  const { embedding, head, towers, other, total } = parameters;
  expect(layerKinds).toHaveLength(layers);
  expect(parameters.layers).toHaveLength(layers);
  const sum = parameters.layers.reduce((all, layer) => all + sumOfLayer(layer), embedding + head + towers + other);
  expect(sum).toBe(total);
  const numbers = [
    ...parameters.layers.flatMap(({ linear, keyValue, experts, replicated }) => [
      linear,
      keyValue,
      experts,
      replicated,
    ]),
    ...[embedding, head, towers, other, total, shape.activeParameters, shape.weightsBytes, shape.contextLength],
    ...[shape.vocabularySize, shape.keyValue.heads, shape.keyValue.headSize, shape.sharedKeyValueLayers],
  ];
  expect(numbers.filter((number) => !Number.isSafeInteger(number) || number < 0)).toEqual([]);
  expect(layerKinds.some((kind) => kind === 'sliding' || kind === 'chunked')).toBe(shape.window !== undefined);
  expect(shape.attentionHeads % shape.keyValue.heads).toBe(0);
  expect(shape.weights.bits).toBeGreaterThan(0);
}
