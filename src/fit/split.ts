import type { ModelShape } from '../model/shape';

type Sized = Pick<ModelShape, 'layers' | 'name'>;

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

/** What is wrong with a split: the parts of a sentence for a person. */
export interface SplitProblem {
  readonly what: string;
  readonly why: string;
  readonly fix: string;
}

/** Whether vLLM can split the layers so; by itself it splits those that do not divide. */
export function layersProblem(
  { layers, name }: Sized,
  stages: number,
  partition?: readonly number[],
): SplitProblem | undefined {
  if (layers < stages) {
    return {
      what: `pipelineParallelSize is ${stages}, but ${name} has ${layers} layers`,
      why: 'a stage needs at least one',
      fix: `take at most ${layers} stages`,
    };
  }
  if (partition === undefined) {
    return undefined;
  }
  const sum = partition.reduce((total, count) => total + Number(count), 0);
  return partition.length !== stages || sum !== layers || partition.some((n) => !Number.isSafeInteger(n) || n < 1)
    ? {
        what: `layerPartition is [${partition.join(', ')}]`,
        why: `it takes ${stages} whole numbers of 1 or more, one for each pipeline stage, that add up to the ${layers} layers of ${name} (now ${sum})`,
        fix: `take [${defaultPartition(layers, stages).join(', ')}], or leave it out`,
      }
    : undefined;
}

/**
 * Checks that the layers can be split over the pipeline stages, and gives the layers of each. What does not divide has to be
 * dealt out by name, so that nobody is surprised by the fuller stage.
 */
export function splitLayers(model: Sized, stages: number, partition?: readonly number[]): number[] {
  const { layers, name } = model;
  const problem = layersProblem(model, stages, partition);
  if (problem !== undefined) {
    throw new Error(`${problem.what}; ${problem.why}: ${problem.fix}`);
  }
  if (partition === undefined && layers % stages !== 0) {
    throw new Error(
      `the ${layers} layers of ${name} do not divide by a pipelineParallelSize of ${stages}; take a size that divides ` +
        `them, or say which stage gets how many: layerPartition: [${defaultPartition(layers, stages).join(', ')}]`,
    );
  }
  return [...(partition ?? defaultPartition(layers, stages))];
}

/** Whether the attention heads can be shared by the tensor-parallel ranks. */
export function headsProblem(model: ModelShape, tensorParallelSize: number): SplitProblem | undefined {
  if (sharesHeads(model, tensorParallelSize)) {
    return undefined;
  }
  const { name, attentionHeads, keyValue } = model;
  const sizes = Array.from({ length: attentionHeads }, (_, i) => i + 1).filter((size) => sharesHeads(model, size));
  const fix = `it takes ${sizes.join(', ')}`;
  return attentionHeads % tensorParallelSize !== 0
    ? {
        what: `the ${attentionHeads} attention heads of ${name} do not divide by a tensorParallelSize of ${tensorParallelSize}`,
        why: 'each rank computes a whole number of heads',
        fix,
      }
    : {
        what: `the ${keyValue.heads} key and value heads of ${name} cannot be shared by a tensorParallelSize of ${tensorParallelSize}`,
        why: 'neither number divides the other',
        fix,
      };
}

function sharesHeads(model: ModelShape, size: number): boolean {
  const { attentionHeads, keyValue, latentSize } = model;
  if (hasNoAttention(model)) {
    return true;
  }
  if (attentionHeads % size !== 0) {
    return false;
  }
  // A latent is whole on every rank. Fewer ranks than key and value heads share them; more ranks hold copies.
  const [more, fewer] = size >= keyValue.heads ? [size, keyValue.heads] : [keyValue.heads, size];
  return latentSize !== undefined || more % fewer === 0;
}

/** Whether every layer keeps a state alone, as in Mamba: there are no heads to share. */
export function hasNoAttention({ layerKinds }: ModelShape): boolean {
  return layerKinds.every((kind) => kind === 'state');
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
