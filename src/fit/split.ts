import type { Model } from '../model/model';

/** Which layers a pipeline stage runs, counted from 0, both ends included. */
export interface Stage {
  readonly first: number;
  readonly last: number;
}

/**
 * The split that vLLM makes by itself: equal parts, and of a remainder one layer each to the stages from the last
 * but one backwards, since the last stage also computes the logits. Source: `get_pp_indices` of vllm/distributed/utils.py.
 */
export function defaultPartition(layers: number, stages: number): number[] {
  const base = Math.floor(layers / stages);
  const counts = new Array<number>(stages).fill(base);
  for (let left = layers % stages, stage = stages - 2; left > 0; left--, stage--) {
    counts[stage]!++;
  }
  return counts;
}

/** Checks that the layers can be split over the pipeline stages, and gives the layers of each. */
export function splitLayers(model: Model, stages: number, partition?: readonly number[]): number[] {
  const { layers, name } = model;
  if (layers < stages) {
    throw new Error(`pipelineParallelSize is ${stages}, but ${name} has ${layers} layers; a stage needs at least one`);
  }
  if (partition === undefined) {
    if (layers % stages !== 0) {
      const byVllm = defaultPartition(layers, stages);
      throw new Error(
        `the ${layers} layers of ${name} do not divide by a pipelineParallelSize of ${stages}; ` +
          `take a size that divides them, or say which stage gets how many: layerPartition: [${byVllm.join(', ')}]`,
      );
    }
    return defaultPartition(layers, stages);
  }
  const sum = partition.reduce((total, count) => total + count, 0);
  if (partition.length !== stages || sum !== layers || partition.some((n) => !Number.isSafeInteger(n) || n < 1)) {
    throw new Error(
      `layerPartition is [${partition.join(', ')}]; it takes ${stages} whole numbers of 1 or more, ` +
        `one for each pipeline stage, that add up to the ${layers} layers of ${name} (now ${sum})`,
    );
  }
  return [...partition];
}

/** Checks that the attention heads can be shared by the tensor-parallel ranks. */
export function checkHeads(model: Model, tensorParallelSize: number): void {
  if (sharesHeads(model, tensorParallelSize)) {
    return;
  }
  const { name, attentionHeads, keyValueHeads } = model;
  const sizes = Array.from({ length: attentionHeads }, (_, i) => i + 1).filter((size) => sharesHeads(model, size));
  throw new Error(
    attentionHeads % tensorParallelSize !== 0
      ? `the ${attentionHeads} attention heads of ${name} do not divide by a tensorParallelSize of ` +
          `${tensorParallelSize}; it takes ${sizes.join(', ')}`
      : `the ${keyValueHeads} key and value heads of ${name} cannot be shared by a tensorParallelSize of ` +
          `${tensorParallelSize}, since neither number divides the other; it takes ${sizes.join(', ')}`,
  );
}

function sharesHeads({ attentionHeads, keyValueHeads }: Model, size: number): boolean {
  // Fewer ranks than key and value heads share them; more ranks hold copies.
  const [more, fewer] = size >= keyValueHeads ? [size, keyValueHeads] : [keyValueHeads, size];
  return attentionHeads % size === 0 && more % fewer === 0;
}

/** The stages of a partition as ranges of layers. */
export function stagesOf(partition: readonly number[]): Stage[] {
  let next = 0;
  return partition.map((count) => {
    const first = next;
    next += count;
    return { first, last: next - 1 };
  });
}
