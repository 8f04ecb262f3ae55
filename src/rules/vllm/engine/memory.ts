import { MEMORY_BAND, peakOf } from '../../../fit/memory';
import { rankMemory } from '../../../fit/settle';
import { sizeText } from '../../../fit/units';
import { rankWeights } from '../../../fit/weights';
import type { Severity } from '../../finding';
import { cacheBytes, type EngineAt, holds, isCpu, localRanks, memoryLimit } from './engines';
import { type EnginePlan, planOf } from './plans';

/** Why the memory limit of an engine on CPU is too low. */
export interface MemoryLack {
  readonly what: string;
  readonly severity: Severity;
  readonly fix?: string;
}

/** What a CPU rank surely holds against the limit of its container; nothing when it fits, or is not known. */
export function memoryLack(at: EngineAt): MemoryLack | undefined {
  const limit = memoryLimit(at);
  if (limit === undefined || !isCpu(at)) {
    return undefined;
  }
  const written = at.engine.resources.limits.get('memory')!.text;
  const ranks = localRanks(at) ?? 1;
  const cache = cacheBytes(at);
  const times = ranks === 1 ? '' : `${ranks} times `;
  if (cache !== undefined && cache * ranks >= limit) {
    return {
      what: `the KV cache takes ${times}${sizeText(cache)}, and the memory limit is ${written}`,
      severity: 'error',
    };
  }
  const plan = planOf(at);
  return plan && lackOfPlan(at, plan, { limit, written, cache: cache ?? 0 });
}

function lackOfPlan(
  at: EngineAt,
  { model, settled, isAsStored }: EnginePlan,
  { limit, written, cache }: { limit: number; written: string; cache: number },
): MemoryLack | undefined {
  const isTextOnly = at.engine.command.isSet('--language-model-only') !== false;
  // Each pod of the role, by the ranks in it; the fullest decides.
  let fullest: { weights: number; peak: number; ranks: number } | undefined;
  for (const ranks of podsOf(at, settled.ranks)) {
    const weights = ranks.reduce((sum, rank) => {
      const { layers, embeddings, towers } = rankWeights(model, rank, settled.dtypeBits, 'gpu');
      return sum + layers + embeddings + (isTextOnly ? 0 : towers);
    }, 0);
    const peak = ranks.reduce((sum, rank) => {
      const { maxNumSeqs, maxNumBatchedTokens } = settled.settings;
      const parts = rankMemory(settled.input, rank, {
        backend: 'cpu',
        kvCache: cache,
        maxNumSeqs,
        maxNumBatchedTokens,
      });
      return sum + peakOf(parts) - (isTextOnly ? parts.towers : 0);
    }, 0);
    if (fullest === undefined || peak > fullest.peak) {
      fullest = { weights, peak, ranks: ranks.length };
    }
  }
  if (fullest === undefined || !isAsStored) {
    return undefined;
  }
  const { weights, peak, ranks } = fullest;
  const kv = cache === 0 ? '' : ` and ${sizeText(cache * ranks)} of KV cache`;
  const smaller = cache === 0 ? { fix: 'raise the limit, or split the model over more nodes' } : {};
  if (weights + cache * ranks > limit) {
    return {
      ...smaller,
      what: `${model.name} has ${sizeText(weights)} of weights in the pod${kv}; the memory limit is ${written}`,
      severity: 'error',
    };
  }
  const words =
    `${model.name} ${cache === 0 ? 'even without a KV cache' : `with ${sizeText(cache)} of KV cache`} takes about ${sizeText(peak)} at its highest point; ` +
    `the memory limit is ${written}`;
  // The formula was measured with dense models in 16 bits, whole layers and one rank a pod.
  const isMeasured =
    ranks === 1 &&
    settled.dtypeBits === 16 &&
    model.weights.quantized === 'none' &&
    model.experts === undefined &&
    model.latentSize === undefined &&
    settled.input.tensorParallelSize === 1;
  const isBeyond = peak * (1 - MEMORY_BAND) > limit;
  if (!isBeyond && !(isMeasured && peak > limit)) {
    return undefined;
  }
  const isOfRelease = holds('kvNumbers', at);
  const severity = isOfRelease === undefined ? 'note' : isBeyond && isMeasured && isOfRelease ? 'error' : 'warning';
  return { ...smaller, what: words, severity };
}

/** The ranks of the pods that a role stands for, pod by pod. */
function podsOf<Rank>({ pod, settings }: EngineAt, ranks: readonly Rank[]): (readonly Rank[])[] {
  const nodes = settings.nnodes.value ?? 1;
  const perPod = ranks.length / nodes;
  if (!Number.isSafeInteger(perPod)) {
    return [];
  }
  const { value } = settings.nodeRank;
  const [first, last] =
    value === 'worker-index' ? [pod.indices.lowest, Math.min(pod.indices.highest, nodes - 1)] : [value, value];
  if (first === undefined || last === undefined || !Number.isSafeInteger(first) || !Number.isSafeInteger(last)) {
    return [];
  }
  const pods: (readonly Rank[])[] = [];
  for (let node = Math.max(0, first); node <= Math.min(last, nodes - 1); node++) {
    pods.push(ranks.slice(node * perPod, (node + 1) * perPod));
  }
  return pods;
}
