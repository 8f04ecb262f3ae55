import type { Parallelism } from './plan-types';
import type { Settled } from './settle';
import { hasNoAttention } from './split';

/** Why this split, in sentences that a person can check. */
export function parallelism(
  { input, partition, backend, pods }: Settled,
  fitsOnOneNode: boolean | null,
  fits: boolean,
): Parallelism {
  const { pipelineParallelSize, tensorParallelSize } = input;
  return {
    pipelineParallelSize,
    tensorParallelSize,
    layersPerStage: partition,
    fitsOnOneNode,
    why: [...pipelineWords(input.model.layers, partition), ...tensorWords(), ...needWords()],
  };

  function pipelineWords(layers: number, stages: readonly number[]): string[] {
    if (stages.length < 2) {
      return stages.length === 0 ? [] : [`one stage: all ${layers} layers, and no hop between tokens`];
    }
    const even = stages.every((count) => count === stages[0]);
    return [
      `${layers} layers in ${even && stages.length > 4 ? `${stages.length} stages of ${stages[0]}` : `stages of ${stages.length > 8 ? `${Math.min(...stages)} to ${Math.max(...stages)}` : stages.join(' + ')}`}${even || input.layerPartition !== undefined ? '' : ', as even as they go'}: one hop a stage and token, ` +
        'which an ordinary network carries',
    ];
  }

  function tensorWords(): string[] {
    const { model } = input;
    const heads = model.keyValue.heads;
    if (tensorParallelSize === 1) {
      const one = heads === 1 && model.latentSize === undefined;
      return pods === 1 || backend === 'gpu'
        ? []
        : [
            one
              ? 'no tensor parallelism: with one key and value head there is nothing to share, each rank would hold a copy'
              : 'no tensor parallelism: between nodes it would exchange twice in every layer',
          ];
    }
    if (hasNoAttention(model)) {
      return [`${tensorParallelSize} ranks share the weights of every layer; there are no attention heads`];
    }
    if (model.latentSize !== undefined) {
      return [
        `each of ${tensorParallelSize} ranks keeps the whole latent cache: tensor parallelism divides the weights alone`,
      ];
    }
    return tensorParallelSize > heads
      ? [
          `${tensorParallelSize} ranks share ${heads} key and value heads: each keeps a copy, the cache is divided by ${heads}`,
        ]
      : [
          `${tensorParallelSize} ranks share the ${heads} key and value heads: weights and cache are divided by ${tensorParallelSize}`,
        ];
  }

  function needWords(): string[] {
    if (fitsOnOneNode === null || (!fitsOnOneNode && !fits)) {
      return [];
    }
    return [
      fitsOnOneNode
        ? `one ${input.node.name} would hold the whole model: the split costs speed and buys nothing`
        : `one ${input.node.name} does not hold the whole model with these settings: the split is what makes it run`,
    ];
  }
}
