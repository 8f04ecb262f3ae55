import { kvFormulaWord } from './kv-formula';
import { isReferenceLatent, pipelineBatchedTokens, vllmDefaults } from './defaults';
import { concurrencyText, kvCacheCapacity } from './kv-cache';
import type { PlanFinding, PlannedRank, Speed } from './plan-types';
import { fullestOf, isTight } from './problems';
import type { Settled } from './settle';
import { coresText, countText, GIBI, parametersText, sizeText } from './units';
import type { PlanWarningId } from './warning-ids';

/** What the article's pods asked for. */
const REFERENCE_POD = { cpuMillis: 6000, memory: 20 * GIBI } as const;

interface PlanWarning extends PlanFinding {
  readonly id: PlanWarningId;
}

/** What `alone` says of the whole model on one such node; none when there is one node, or it does not fit. */
export function warnings(
  settled: Settled,
  ranks: readonly PlannedRank[],
  speed: Speed,
  alone: { readonly speed: Speed } | undefined,
): PlanFinding[] {
  // What a pod could do better is not said of one that is killed while it loads.
  const isKilled = ranks.some(({ memory }) => memory.peak > memory.limit);
  return [
    ...(alone === undefined ? [] : [splitNotNeeded(settled, speed, alone.speed)]),
    ...formulaWarnings(settled),
    ...memoryWarnings(settled, ranks),
    ...processorWarnings(settled),
    ...(isKilled ? [] : podSizeWarnings(settled)),
    ...parallelWarnings(settled),
    ...(isKilled ? [] : cacheWarnings(settled)),
    ...blockWarnings(settled),
    ...batchWarnings(settled, speed),
    ...(settled.input.notCounted ?? []).map((argument): PlanWarning => ({
      id: 'fit/not-counted',
      what: `'${argument}' changes the engine, and the plan does not count with it`,
      why: 'memory, cache and speed are those of an engine without it',
      fix: 'leave room for it, and read memory and cache size off the first start',
    })),
  ];
}

function splitNotNeeded({ input }: Settled, speed: Speed, alone: Speed): PlanWarning {
  const rate = ({ decodeTokensPerSecond: { estimate } }: Speed): string => estimate.toPrecision(2);
  return {
    id: 'fit/split-not-needed',
    what: `${input.model.name} fits whole on one ${input.node.name}: about ${rate(alone)} tokens/s there, ${rate(speed)} split`,
    why: 'a split is for what no node holds; each stage adds a hop to every token, and the stages of one request wait for each other',
    fix: 'take one node (-pp 1 -tp 1), and replicas for more users',
  };
}

function formulaWarnings({ kv, input, partition }: Settled): PlanWarning[] {
  if (kv !== undefined || partition.length === 0) {
    return [];
  }
  const states = input.model.layerKinds.includes('state');
  return [
    {
      id: 'fit/kv-formula-withheld',
      what: states
        ? `no cache numbers for ${input.model.name}: some of its layers keep a state instead of keys and values`
        : `no cache numbers for vLLM ${input.vllm.version}: ${kvFormulaWord(input.vllm.judgedAs)}`,
      why: 'a number nobody measured would be a guess, and the cache decides whether vLLM starts',
      fix: states
        ? 'read the cache size off the first start'
        : 'take 0.31.0 or 0.32.0, or read the cache size off the first start',
    },
  ];
}

function memoryWarnings(
  { settings, free, memoryAtMost, input, backend }: Settled,
  ranks: readonly PlannedRank[],
): PlanWarning[] {
  const found: PlanWarning[] = [];
  const fullest = fullestOf(ranks);
  if (backend === 'cpu' && fullest !== undefined && isTight(fullest)) {
    found.push({
      id: 'fit/memory-tight',
      what: `rank ${fullest.rank} reaches about ${sizeText(fullest.memory.peak)} of its ${sizeText(fullest.memory.limit)}`,
      why: 'the formula was within 3 % of what was measured, on x86 and for models up to 1.2 B parameters; a limit stands better 10 % above it',
      fix: 'raise memory, or give a smaller KV cache',
    });
  }
  if (settings.memoryBytes > free.memoryBytes && settings.memoryBytes <= memoryAtMost) {
    found.push({
      id: 'fit/node-memory-tight',
      what: `memory is ${sizeText(settings.memoryBytes)}; ${input.node.name} is sure to have ${sizeText(free.memoryBytes)} for it, and at most ${sizeText(memoryAtMost)}`,
      why: 'the kernel shows less than the nominal memory, by 3 to 7.5 %',
      fix: `take at most ${sizeText(free.memoryBytes)}, or read status.allocatable of a running node`,
    });
  }
  if (input.model.provenance.approximate === true) {
    found.push({
      id: 'fit/parameters-approximate',
      what: `the ${parametersText(input.model.parameters.total)} parameters of ${input.model.name} are an approximation: ${input.model.provenance.notes[0] ?? 'its build is not known here'}`,
      why: 'memory, cache and speed follow from them',
      fix: 'compare with the size of its files before you pay for nodes',
    });
  }
  if (!input.model.provenance.verified) {
    found.push({
      id: 'fit/parameters-unverified',
      what: `the ${parametersText(input.model.parameters.total)} parameters of ${input.model.name} are derived from its config.json alone`,
      why: 'no published file size was at hand to compare them with',
      fix: 'compare with the size of the repository before you pay for nodes',
    });
  }
  return found;
}

function processorWarnings({ input, backend }: Settled): PlanWarning[] {
  if (backend !== 'cpu') {
    return [];
  }
  const { node, model } = input;
  const { isa, name, architecture } = node.processor;
  const found: PlanWarning[] = [];
  if (!isa.bf16) {
    found.push({
      id: 'fit/no-bf16',
      what: `${name} (${node.name}) does not compute bf16 in hardware`,
      why:
        architecture === 'arm64'
          ? 'the published arm64 image may end with SIGILL there (not verified), and prefill is slow at best'
          : 'prefill runs at a fraction of the speed',
      fix:
        architecture === 'arm64'
          ? 'take Graviton3 or newer (m7g)'
          : 'take Sapphire Rapids (m7i) or Zen 4 (m7a) and newer',
    });
  }
  if (architecture === 'amd64' && !isa.avx512) {
    found.push({
      id: 'fit/no-avx512',
      what: `${name} (${node.name}) has no AVX-512`,
      why: 'with AVX2 alone vLLM offers a limited set of features',
      fix: 'take an Intel node, or AMD from Zen 4 on (m7a)',
    });
  }
  if (node.numaNodes > 1) {
    found.push({
      id: 'fit/several-numa-nodes',
      what: `${node.name} has ${node.numaNodes} NUMA nodes, and a rank binds its memory to one of them`,
      why: 'threads on the other cores read all weights over the link between the sockets',
      fix: 'take a node of one socket, or run one rank for each NUMA node',
    });
  }
  if (architecture === 'arm64' && ['awq', 'gptq', 'int8', 'int4'].includes(model.weights.name)) {
    found.push({
      id: 'fit/quantization-on-arm',
      what: `the weights of ${model.name} are ${model.weights.name}, and ${node.name} is arm64`,
      why: 'the CPU documentation of vLLM lists this format for x86, not for Arm (documented, not run)',
      fix: 'take an x86 node, or a repository with bfloat16 weights',
    });
  }
  return found;
}

function podSizeWarnings({ input: { node }, backend }: Settled): PlanWarning[] {
  const { cpuMillis, memory } = node.allocatable;
  return backend !== 'cpu' || (cpuMillis >= REFERENCE_POD.cpuMillis && memory >= REFERENCE_POD.memory)
    ? []
    : [
        {
          id: 'fit/below-reference-pod',
          what: `the reference's pod asks for 6 CPU and 20 GiB; ${node.name} leaves ${coresText(cpuMillis)} and ${sizeText(memory)} to pods`,
          why: 'smaller pods than that were never run: this plan lowers the request, the cache and the threads, and decode slows with them',
          fix: 'try one real request before you rely on it, or take an m7g.2xlarge',
        },
      ];
}

function parallelWarnings({ input, backend, settings }: Settled): PlanWarning[] {
  const { model, tensorParallelSize } = input;
  const found: PlanWarning[] = [];
  if (model.latentSize === undefined && tensorParallelSize > model.keyValue.heads) {
    found.push({
      id: 'fit/key-value-heads-replicated',
      what: `${model.name} has ${model.keyValue.heads} key and value heads for ${tensorParallelSize} tensor-parallel ranks`,
      why: 'each rank keeps a copy of a head, so the cache of a token is not divided any further',
      fix: `take a tensor-parallel size of at most ${model.keyValue.heads}, and pipeline stages for the rest`,
    });
  }
  if (backend === 'cpu' && tensorParallelSize > 1) {
    found.push({
      id: 'fit/tensor-parallel-over-network',
      what: `each layer of ${model.name} is spread over ${tensorParallelSize} nodes`,
      why: 'on CPU a rank is a pod on a node of its own: two exchanges a layer go over the network for every token',
      fix: 'take pipeline stages (-pp) between nodes',
    });
  }
  if (backend === 'cpu' && settings.threads > 1 && settings.threads * 1000 === settings.cpuMillis) {
    found.push({
      id: 'fit/threads-throttled',
      what: `${settings.threads} threads under a CPU limit of ${coresText(settings.cpuMillis)}`,
      why: 'API server, engine core and communication need a core beside them; throttling made the slow mode of a pipeline 1.8 times slower',
      fix: `take ${settings.threads - 1} threads`,
    });
  }
  return found;
}

function cacheWarnings({ kv, settings, input }: Settled): PlanWarning[] {
  if (kv === undefined) {
    return [];
  }
  const { concurrency, fits } = kvCacheCapacity(kv.layout, settings.maxModelLen, settings.kvCacheMemoryBytes);
  if (!fits || concurrency >= 2) {
    return [];
  }
  const { maxNumBatchedTokens } = vllmDefaults(input, settings.maxModelLen);
  const smaller = settings.maxNumBatchedTokens > 256 && input.model.layerKinds.includes('sliding');
  return [
    {
      id: 'fit/one-request-at-a-time',
      what: `the cache holds ${concurrencyText(concurrency)} requests of ${countText(settings.maxModelLen)} tokens`,
      why: 'a second long request waits until the first one is done',
      fix:
        `give a larger KV cache, or a smaller max-model-len` +
        (smaller
          ? `, or fewer batched tokens than ${Math.min(maxNumBatchedTokens, settings.maxNumBatchedTokens)}`
          : ''),
    },
  ];
}

function blockWarnings({ kv, settings, input }: Settled): PlanWarning[] {
  const asked = input.blockSize ?? settings.blockSize;
  const taken = kv?.layout.blockSizes ?? [settings.blockSize];
  const isRounded = asked % 32 !== 0 && taken.length > 0 && taken.every((size) => size % 32 === 0);
  if (!isRounded && asked === settings.blockSize) {
    return [];
  }
  return [
    {
      id: 'fit/block-size-changed',
      what: `block-size is ${asked}; vLLM takes ${[...new Set(taken)].join(' and ')}`,
      why: isRounded
        ? 'layers with a window get a multiple of 32, and the others follow'
        : 'the CPU kernel of latent attention knows one block size',
      fix: 'leave it out',
    },
  ];
}

/** A command line whose cache size is given is taken as it stands. */
function batchWarnings({ input, settings, backend }: Settled, speed: Speed): PlanWarning[] {
  const isLeftToVllm = input.maxNumBatchedTokens === undefined && !settings.planned.includes('maxNumBatchedTokens');
  if (
    backend !== 'cpu' ||
    input.pipelineParallelSize === 1 ||
    !isLeftToVllm ||
    isReferenceLatent(input.model, input.node)
  ) {
    return [];
  }
  const planned = pipelineBatchedTokens(input.model);
  const seconds = (tokens: number): string =>
    `${((speed.fullBatchSeconds * tokens) / settings.maxNumBatchedTokens).toPrecision(2)} s`;
  return [
    {
      id: 'fit/batched-tokens-default',
      what: `without --max-num-batched-tokens vLLM takes ${settings.maxNumBatchedTokens}, and a step of them takes ${seconds(settings.maxNumBatchedTokens)}`,
      why: `all other answers stop for that long while a prompt is read; with ${planned} it is ${seconds(planned)}, and layers with a window leave room for more requests`,
      fix: `take --max-num-batched-tokens ${planned}, as a VllmPipelineGroup renders it`,
    },
  ];
}
