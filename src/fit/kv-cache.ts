import type { KeyValueShape, LayerKind, ModelShape } from '../model/shape';
import { stagesOf } from './split';

/** What decides the size of the KV cache; names as on the command line of `vllm serve`. */
export interface KvCacheInput {
  readonly model: ModelShape;
  /** Layers of each pipeline stage. */
  readonly partition: readonly number[];
  readonly tensorParallelSize: number;
  /** Tokens of a block. */
  readonly blockSize: number;
  /** Bytes of one number in the cache. */
  readonly bytesPerNumber: number;
  readonly maxModelLen: number;
  /** Tokens that may be scheduled and not yet settled: those of one step, times the steps that run at once. */
  readonly inFlightTokens: number;
  /** Which release's rules hold; the newest ones unless said. */
  readonly rules?: KvCacheRules;
  /** Whether sliding layers may let go of what left their window (`--disable-hybrid-kv-cache-manager` turns it off). */
  readonly hybrid: boolean;
}

/** What the releases do not have in common. */
export interface KvCacheRules {
  /** Whether the smallest cache has one block more than a request takes: the one that stands for "no block". */
  readonly keepsNullBlock: boolean;
  /** Whether sliding layers take blocks of a multiple of 32 tokens, whatever was asked for. */
  readonly roundsSlidingBlocks: boolean;
  /** Whether the logged tokens are those that fit, or the blocks shared out among the groups. */
  readonly logsConcurrency: boolean;
}

export const NEWEST_RULES: KvCacheRules = { keepsNullBlock: true, roundsSlidingBlocks: true, logsConcurrency: true };

/** How layers share blocks, and what one block and one request of full length take. None of it knows a cache size. */
export interface KvCacheLayout {
  /** Groups of layers that share a table of blocks. */
  readonly groups: number;
  /** Tokens of a block in each group. The CPU backend starts only if all are multiples of 32, or 16 for a latent. */
  readonly blockSizes: readonly number[];
  /** Bytes of one block on each pipeline stage. */
  readonly bytesPerBlock: readonly number[];
  /** Blocks that one request of `maxModelLen` tokens takes, over all groups. */
  readonly blocksPerRequest: number;
  /** Smallest cache of each stage that vLLM accepts: one request, and the block that stands for "no block". */
  readonly minimumBytes: readonly number[];
  readonly rules: KvCacheRules;
}

/** What a cache of a given size holds, as vLLM logs it. */
export interface KvCacheCapacity {
  /** `num_gpu_blocks`: the smallest over all ranks counts for all. */
  readonly blocks: number;
  /** Requests of full length that fit at once: `Maximum concurrency`. */
  readonly concurrency: number;
  /** `CPU KV cache size` in tokens: the concurrency times the length. */
  readonly tokens: number;
  /** Whether one request of full length fits on every rank. */
  readonly fits: boolean;
}

/** Layers that keep the same number of tokens with pages of the same size. */
interface Bucket {
  readonly kind: LayerKind;
  readonly blockSize: number;
  readonly layers: readonly number[];
  /** Bytes of one token in one layer. */
  readonly bytesPerToken: number;
}

interface Group {
  readonly kind: LayerKind;
  readonly blockSize: number;
  /** Bytes of one block in each layer. */
  readonly pages: ReadonlyMap<number, number>;
}

/**
 * How vLLM lays out the cache. Source: `get_kv_cache_groups`, `_get_kv_cache_groups_uniform_page_size` and
 * `max_admission_blocks_per_request` of vllm/v1/core/kv_cache_utils.py and kv_cache_interface.py, 0.31.0 and 0.32.0;
 * every number compared with what these releases logged and their code answers (test/fixtures/kv-vectors*.tsv).
 */
export function kvCacheLayout(input: KvCacheInput): KvCacheLayout {
  const { partition, rules = NEWEST_RULES } = input;
  const groups = groupsOf(input);
  const blocksPerRequest = groups.reduce((sum, group) => sum + blocksOf(group, input, input.maxModelLen), 0);
  const bytesPerBlock = stagesOf(partition).map(({ first, last }) => {
    const bytesOf = ({ pages }: Group): number => {
      let bytes = 0;
      for (let layer = first; layer <= last; layer++) {
        bytes += pages.get(layer) ?? 0;
      }
      return bytes;
    };
    return Math.max(...groups.map(bytesOf));
  });
  return {
    groups: groups.length,
    blockSizes: groups.map((group) => group.blockSize),
    bytesPerBlock,
    blocksPerRequest,
    minimumBytes: bytesPerBlock.map((bytes) => (blocksPerRequest + Number(rules.keepsNullBlock)) * bytes),
    rules,
  };
}

/** What a cache of `bytes` on every rank holds. */
export function kvCacheCapacity(layout: KvCacheLayout, maxModelLen: number, bytes: number): KvCacheCapacity {
  const blocks = Math.min(...layout.bytesPerBlock.map((perBlock) => Math.floor(bytes / perBlock)));
  const concurrency = blocks / layout.blocksPerRequest;
  return {
    blocks,
    concurrency,
    tokens: layout.rules.logsConcurrency
      ? Math.floor(concurrency * maxModelLen)
      : Math.floor(blocks / layout.groups) * Math.min(...layout.blockSizes),
    fits: layout.minimumBytes.every((minimum) => minimum <= bytes),
  };
}

/** The concurrency as vLLM logs it. Python rounds a tie to the even digit, JavaScript up: 1.125 is 1.12 there. */
export function concurrencyText(concurrency: number): string {
  const towardsEven = concurrency % 0.5 === 0.125 ? 0.001 : 0;
  return (concurrency - towardsEven).toFixed(2);
}

/** The longest request, up to `upTo` tokens, that a cache of `bytes` on every rank serves; 0 when it serves none. */
export function longestModelLen(input: KvCacheInput, bytes: number, upTo: number): number {
  const fits = (maxModelLen: number): boolean =>
    kvCacheLayout({ ...input, maxModelLen }).minimumBytes.every((minimum) => minimum <= bytes);
  let [low, high] = [0, upTo];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/** Bytes that one token takes in one layer, on one tensor-parallel rank. */
export function bytesPerTokenAndLayer(
  model: ModelShape,
  kind: LayerKind,
  tensorParallelSize: number,
  bytesPerNumber: number,
): number {
  if (model.latentSize !== undefined) {
    // One latent for all heads, whole on every rank.
    return model.latentSize * bytesPerNumber;
  }
  const shape: KeyValueShape = (kind === 'full' ? undefined : model.slidingKeyValue) ?? model.keyValue;
  // A rank holds at least one head: with more ranks than heads there are copies.
  return 2 * Math.max(1, Math.floor(shape.heads / tensorParallelSize)) * shape.headSize * bytesPerNumber;
}

function groupsOf(input: KvCacheInput): Group[] {
  const { blockSize, hybrid } = input;
  const buckets = bucketsOf(input);
  if (!hybrid && buckets.some(({ kind }) => kind === 'full')) {
    // Every layer counts as one that keeps every token; there is one group, and each layer has pages of its own size.
    const pages = buckets.flatMap(({ layers, bytesPerToken }) =>
      layers.map((layer): [number, number] => [layer, bytesPerToken * blockSize]),
    );
    return [{ kind: 'full', blockSize, pages: new Map(pages) }];
  }
  // Pages of one size for all: layers with smaller ones get longer blocks, or padding where that does not divide.
  const page = Math.max(...buckets.map((bucket) => bucket.bytesPerToken * bucket.blockSize));
  const blockSizeOf = (bucket: Bucket): number =>
    page % (bucket.bytesPerToken * bucket.blockSize) === 0 ? page / bucket.bytesPerToken : bucket.blockSize;
  const counts = buckets.map(({ layers }) => layers.length);
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)];
  // Groups of equal size; a little padding is taken for fewer of them.
  const size = most < fewest * 1.5 ? most : fewest;
  return buckets.flatMap((bucket) => {
    const number = Math.ceil(bucket.layers.length / size);
    // Dealt out in turn, so that each pipeline stage gets its share of every group.
    return Array.from({ length: number }, (_, i): Group => ({
      kind: bucket.kind,
      blockSize: blockSizeOf(bucket),
      pages: new Map(bucket.layers.filter((_layer, position) => position % number === i).map((layer) => [layer, page])),
    }));
  });
}

function bucketsOf(input: KvCacheInput): Bucket[] {
  const { model, tensorParallelSize, blockSize, bytesPerNumber, rules = NEWEST_RULES } = input;
  const byKind = new Map<LayerKind, number[]>();
  // Layers that read the cache of an earlier one have none of their own.
  model.layerKinds.slice(0, model.layers - model.sharedKeyValueLayers).forEach((kind, layer) => {
    byKind.set(kind, [...(byKind.get(kind) ?? []), layer]);
  });
  return [...byKind].map(([kind, layers]) => ({
    kind,
    // Sliding layers take what the CPU backend can work with, whatever was asked for.
    blockSize: kind === 'sliding' && rules.roundsSlidingBlocks ? Math.max(32, blockSize - (blockSize % 32)) : blockSize,
    layers,
    bytesPerToken: bytesPerTokenAndLayer(model, kind, tensorParallelSize, bytesPerNumber),
  }));
}

/** Blocks that one request of `maxModelLen` tokens holds at once in a group. */
function blocksOf({ kind, blockSize }: Group, { model, inFlightTokens }: KvCacheInput, maxModelLen: number): number {
  const window = model.window ?? maxModelLen;
  switch (kind) {
    case 'sliding':
      // The window may begin within a block, hence one more.
      return Math.ceil(Math.min(window - 1 + inFlightTokens, maxModelLen) / blockSize) + 1;
    case 'chunked':
      return Math.ceil(Math.min(window + inFlightTokens, maxModelLen) / blockSize);
    default:
      return Math.ceil(maxModelLen / blockSize);
  }
}
