import type { LayerKind } from '../model/shape';
import { DTYPE_BITS, kvBytesPerNumber } from './defaults';
import { type Explanation, explanation } from './explanation';
import type { KvCacheLayout } from './kv-cache';
import type { PlanInput } from './plan-input';
import type { Plan, PlannedKvCache, PlannedRank } from './plan-types';
import { type Settled, settle } from './settle';

type Kv = NonNullable<Settled['kv']>;

const KV_SOURCE = 'vllm/v1/core/kv_cache_utils.py of 0.31.0 and 0.32.0, and their logs';

/** The layers of each kind that have a cache of their own, in the order in which kinds come up. */
function layersByKind({ model }: PlanInput): Map<LayerKind, number> {
  const found = new Map<LayerKind, number>();
  for (const kind of model.layerKinds.slice(0, model.layers - model.sharedKeyValueLayers)) {
    found.set(kind, (found.get(kind) ?? 0) + 1);
  }
  return found;
}

/** How the cache is laid out, and what it holds. */
export function explainCache(plan: Plan, cache: PlannedKvCache, input: PlanInput): Explanation[] {
  // With the plan's own number of batched tokens, whoever chose it.
  const kv = settle({ ...input, maxNumBatchedTokens: plan.settings.maxNumBatchedTokens }).kv!;
  return [...layout(plan, cache, input, kv), ...capacity(plan, cache, kv.layout)];
}

function layout({ settings, ranks }: Plan, cache: PlannedKvCache, input: PlanInput, kv: Kv): Explanation[] {
  const { model, tensorParallelSize: tensor } = input;
  const { blockSize, maxModelLen, hybridKvCacheManager } = settings;
  const bytesPerNumber = kvBytesPerNumber(settings.kvCacheDtype, DTYPE_BITS[settings.dtype as keyof typeof DTYPE_BITS]);
  const kinds = layersByKind(input);
  const inOneGroup = !hybridKvCacheManager && kinds.has('full');

  const tokenOf = (kind: LayerKind): { numbers: string; bytes: number } => {
    if (model.latentSize !== undefined) {
      return { numbers: `${model.latentSize} * ${bytesPerNumber}`, bytes: model.latentSize * bytesPerNumber };
    }
    const { heads, headSize } = (kind === 'full' ? undefined : model.slidingKeyValue) ?? model.keyValue;
    const perRank = Math.max(1, Math.floor(heads / tensor));
    return {
      numbers: `2 * max(1, floor(${heads} / ${tensor})) * ${headSize} * ${bytesPerNumber}`,
      bytes: 2 * perRank * headSize * bytesPerNumber,
    };
  };
  const counts = [...kinds.values()];
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)];
  // The rule of the groups, as kvCacheLayout has it.
  const size = inOneGroup ? model.layers : most < fewest * 1.5 ? most : fewest;
  const groupsOf = (count: number): number => Math.ceil(count / size);
  const { inFlightTokens: inFlight } = kv.input;
  const { blockSizes } = kv.layout;
  const blockSizeOf = (kind: LayerKind): number => {
    let group = 0;
    for (const [other, count] of kinds) {
      if (other === kind) {
        break;
      }
      group += groupsOf(count);
    }
    return inOneGroup ? blockSize : blockSizes[group]!;
  };
  const pagesOfKinds = [...kinds.keys()].map((kind) => {
    const { numbers, bytes } = tokenOf(kind);
    return { numbers: `${numbers} * ${blockSizeOf(kind)}`, bytes: bytes * blockSizeOf(kind) };
  });
  const page = Math.max(...pagesOfKinds.map(({ bytes }) => bytes));
  const pages = [...new Set(pagesOfKinds.map(({ numbers }) => numbers))];
  const found = [
    explanation(
      'KV cache: bytes of one block in one layer (page)',
      model.latentSize === undefined
        ? 'keys and values * heads on a rank * head size * bytes of a number * tokens of a block'
        : 'latent of a token * bytes of a number * tokens of a block',
      pages.length === 1 ? pages[0]! : `max(${pages.join(', ')})`,
      page,
      'bytes',
      KV_SOURCE,
    ),
  ];

  found.push(
    explanation(
      'KV cache: groups of layers',
      inOneGroup
        ? 'without the hybrid manager all layers count as full and share one table of blocks'
        : `for each kind of layers: their number / ${size}, rounded up`,
      inOneGroup ? '1' : counts.map((count) => `ceil(${count} / ${size})`).join(' + '),
      cache.groups,
      'groups',
      KV_SOURCE,
    ),
  );

  const window = model.window ?? maxModelLen;
  const blocksOf = (kind: LayerKind): string => {
    const block = blockSizeOf(kind);
    switch (inOneGroup ? 'full' : kind) {
      case 'sliding':
        return `(ceil(min(${window} - 1 + ${inFlight}, ${maxModelLen}) / ${block}) + 1)`;
      case 'chunked':
        return `ceil(min(${window} + ${inFlight}, ${maxModelLen}) / ${block})`;
      default:
        return `ceil(${maxModelLen} / ${block})`;
    }
  };
  found.push(
    explanation(
      'KV cache: blocks of one request of full length',
      'for each group: tokens it keeps / block size, rounded up; a window keeps its tokens and those in flight, and one block more',
      inOneGroup
        ? blocksOf('full')
        : [...kinds].map(([kind, count]) => `${groupsOf(count)} * ${blocksOf(kind)}`).join(' + '),
      cache.blocksPerRequest,
      'blocks',
      KV_SOURCE,
    ),
  );

  for (const { rank, kvCacheBytesPerBlock, firstLayer, lastLayer } of distinctStages(ranks)) {
    const own = model.layerKinds.slice(firstLayer, Math.min(lastLayer + 1, model.layers - model.sharedKeyValueLayers));
    const ofKinds = [...new Set(own)].map((kind) => {
      const layers = own.filter((other) => other === kind).length;
      return `${layers} * ${tokenOf(kind).bytes * blockSize}`;
    });
    found.push(
      explanation(
        `KV cache: bytes of a block on rank ${rank}`,
        inOneGroup
          ? 'layers of the rank * their pages'
          : 'page * layers of the rank in the group that has most of them there',
        inOneGroup ? ofKinds.join(' + ') || '0' : `${page} * ${kvCacheBytesPerBlock! / page}`,
        kvCacheBytesPerBlock!,
        'bytes',
        KV_SOURCE,
      ),
    );
  }

  return found;
}

/** One rank of each pipeline stage, of stages with blocks of the same size the first. */
function distinctStages(ranks: readonly PlannedRank[]): PlannedRank[] {
  const perStage = ranks.filter(({ stage }, i) => ranks.findIndex((other) => other.stage === stage) === i);
  return perStage.filter(
    ({ kvCacheBytesPerBlock: bytes }, i) => perStage.findIndex((other) => other.kvCacheBytesPerBlock === bytes) === i,
  );
}

function capacity(
  { settings, ranks }: Plan,
  cache: PlannedKvCache,
  { rules, blockSizes }: KvCacheLayout,
): Explanation[] {
  const { kvCacheMemoryBytes, maxModelLen } = settings;
  const perBlock = distinctStages(ranks).map(({ kvCacheBytesPerBlock }) => kvCacheBytesPerBlock!);
  const fullest = Math.max(...perBlock);
  return [
    explanation(
      'KV cache: smallest that vLLM accepts',
      rules.keepsNullBlock
        ? '(blocks of one request + one that vLLM keeps for itself) * bytes of a block on the fullest rank'
        : 'blocks of one request * bytes of a block on the fullest rank',
      `${rules.keepsNullBlock ? `(${cache.blocksPerRequest} + 1)` : cache.blocksPerRequest} * ${fullest}`,
      cache.minimumBytes,
      'bytes',
      `${KV_SOURCE}; exact to the byte`,
    ),
    explanation(
      'KV cache: blocks',
      'bytes of the cache / bytes of a block, rounded down; the rank with the fewest decides',
      minOf(perBlock.map((bytes) => `floor(${kvCacheMemoryBytes} / ${bytes})`)),
      cache.blocks,
      'blocks',
      KV_SOURCE,
    ),
    explanation(
      'KV cache: requests of full length at once',
      'blocks / blocks of one request',
      `${cache.blocks} / ${cache.blocksPerRequest}`,
      cache.concurrency,
      'requests',
      'the log line "Maximum concurrency"',
    ),
    explanation(
      'KV cache: tokens',
      rules.logsConcurrency
        ? 'requests of full length * their length, rounded down'
        : 'blocks shared out among the groups * tokens of a block',
      rules.logsConcurrency
        ? `floor(${cache.blocks} / ${cache.blocksPerRequest} * ${maxModelLen})`
        : `floor(${cache.blocks} / ${cache.groups}) * ${Math.min(...blockSizes)}`,
      cache.tokens,
      'tokens',
      'the log line "KV cache size"',
    ),
  ];
}

function minOf(terms: readonly string[]): string {
  return terms.length === 1 ? terms[0]! : `min(${terms.join(', ')})`;
}
