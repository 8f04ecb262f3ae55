import { batchedTokensChoices, longPrompt } from './batched-tokens';
import { podsOf } from './defaults';
import { disk } from './disk';
import { bytesPerTokenAndLayer, concurrencyText, kvCacheCapacity, longestModelLen } from './kv-cache';
import { GATES } from '../engine/gates';
import { holdsIn } from '../engine/releases';
import { kvFormula } from './kv-formula';
import { GPU_MEMORY, peakOf } from './memory';
import { nearest } from './nearest';
import { parallelism } from './parallelism';
import { pipelineBatches } from './pipeline-batches';
import { type PlanInput, without } from './plan-input';
import type {
  Alternative,
  Plan,
  PlanFinding,
  PlannedKvCache,
  PlannedModel,
  PlannedNodes,
  PlannedRank,
  Speed,
} from './plan-types';
import { problems } from './problems';
import { podsThatFit, surge } from './room';
import { largestCache, rankMemory, type Settled, settle, startOf } from './settle';
import { speed } from './speed';
import { MEBI, roundDown } from './units';
import { warnings } from './warnings';
import { wire } from './wire';

/** The numbers of a plan, and what stands against them. */
export interface Judged {
  readonly settled: Settled;
  readonly ranks: readonly PlannedRank[];
  readonly found: readonly PlanFinding[];
}

/** Works out the numbers that a group is rendered with, and whether they can work: all that a synthesis needs. */
export function judge(input: PlanInput): Judged {
  const settled = settle(input);
  const ranks = settled.ranks.map((rank) => plannedRank(settled, rank));
  return { settled, ranks, found: problems(settled, ranks) };
}

/**
 * What a model needs on given nodes, and what it does there. Pure: the same input gives the same plan.
 *
 * What vLLM or Kubernetes would refuse is a problem of the plan, never an exception.
 */
export function planGroup(input: PlanInput): Plan {
  return describe(judge(input));
}

/** Configurations near one that does not fit, which do, and which the caller takes. */
export function nearestOf(input: PlanInput, takes: (candidate: PlanInput) => boolean = () => true): Alternative[] {
  // Said apart, since no number of nodes mends it, and thousands of them would be tried.
  const isTooLong = ({ maxModelLen, model }: PlanInput): boolean => (maxModelLen ?? 0) > model.contextLength;
  return nearest(
    input,
    (candidate) => !isTooLong(candidate) && takes(candidate) && judge(candidate).found.length === 0,
  );
}

/** All that a plan says. */
export function describe({ settled, ranks, found }: Judged): Plan {
  const { input, settings } = settled;
  const { model } = input;
  const formula = kvFormula(input.vllm.judgedAs);
  const rate = speed(settled.speedInput);
  const isSplit = settled.pods > 1 && ranks.length > 0;
  const alone = isSplit ? aloneOnOneNode(input) : undefined;
  const pod = { cpuMillis: settings.cpuMillis, memoryBytes: settings.memoryBytes };
  const extrapolated = extrapolations(settled);
  return {
    schemaVersion: 1,
    fits: found.length === 0,
    problems: found,
    warnings: warnings(settled, ranks, rate, alone),
    nearest: found.length === 0 ? [] : nearestOf(input),
    model: plannedModel(input),
    nodes: plannedNodes(settled),
    vllm: { ...input.vllm, kvCacheFormula: formula === undefined ? 'withheld' : 'measured' },
    parallelism: parallelism(settled, isSplit ? alone !== undefined : null, found.length === 0),
    settings,
    kvCache: plannedCache(settled),
    ranks,
    wire:
      settled.backend === 'cpu' && input.pipelineParallelSize > 1 && input.tensorParallelSize === 1
        ? wire(model.hiddenSize, settled.dtypeBits / 8)
        : null,
    speed: rate,
    batchedTokens: ranks.length === 0 ? [] : batchedTokensChoices(settled),
    longPromptTokens: longPrompt(settled),
    pipelineBatches:
      settled.backend === 'cpu' && input.pipelineParallelSize === 2 && ranks.length > 0
        ? pipelineBatches(rate.decodeTokensPerSecond)
        : [],
    startup: {
      downloadBytes: model.weightsBytes,
      downloadSeconds: settled.downloadSeconds,
      loadSeconds: settled.loadSeconds,
    },
    disk: disk(model, settings.ephemeralStorageBytes, input.weightsOnNode === true),
    surge: surge(settled.pods, input.replicas ?? 1, settled.free, pod, settled.backend === 'gpu'),
    basis: extrapolated.length === 0 ? 'measured' : 'extrapolated',
    extrapolatedFrom: extrapolated,
  };
}

/** The whole model on one such node, with what was said for every rank; none when that does not fit. */
function aloneOnOneNode(input: PlanInput): { readonly speed: Speed } | undefined {
  const gpus = input.node.accelerator?.count ?? 1;
  const tensorParallelSize = gpus === 1 ? 1 : Math.min(gpus, input.tensorParallelSize);
  const single: PlanInput = {
    ...without(input, 'layerPartition', 'nodes'),
    pipelineParallelSize: 1,
    tensorParallelSize,
  };
  const { settled, found } = judge(single);
  return podsOf(single) === 1 && found.length === 0 ? { speed: speed(settled.speedInput) } : undefined;
}

function plannedRank(settled: Settled, rank: Settled['ranks'][number]): PlannedRank {
  const { input, settings, backend, kv, speedInput } = settled;
  const { maxNumSeqs, maxNumBatchedTokens } = settings;
  const parts = rankMemory(input, rank, {
    backend,
    kvCache: settings.kvCacheMemoryBytes,
    maxNumSeqs,
    maxNumBatchedTokens,
  });
  const limit =
    backend === 'cpu' ? settings.memoryBytes : Math.floor(GPU_MEMORY.utilization * input.node.accelerator!.memory);
  const whole = Object.fromEntries(
    Object.entries(parts).map(([name, bytes]: [string, number]) => [name, Math.round(bytes)]),
  );
  return {
    rank: rank.rank,
    role: rank.rank === 0 ? 'leader' : 'worker',
    stage: rank.stage,
    firstLayer: rank.firstLayer,
    lastLayer: rank.lastLayer,
    layers: rank.lastLayer - rank.firstLayer + 1,
    memory: { ...(whole as unknown as typeof parts), peak: Math.round(peakOf(parts)), limit },
    kvCacheBytesPerBlock: kv?.layout.bytesPerBlock[rank.stage] ?? null,
    startupCpuSeconds: startOf(rank, speedInput, { maxNumSeqs, maxNumBatchedTokens }).cpu,
  };
}

function plannedModel({ model }: PlanInput): PlannedModel {
  const layerKinds: Record<string, number> = {};
  for (const kind of model.layerKinds) {
    layerKinds[kind] = (layerKinds[kind] ?? 0) + 1;
  }
  return {
    name: model.name,
    architecture: model.architecture,
    layers: model.layers,
    layerKinds,
    slidingWindow: model.window ?? null,
    hiddenSize: model.hiddenSize,
    attentionHeads: model.attentionHeads,
    keyValueHeads: model.keyValue.heads,
    headSize: model.keyValue.headSize,
    vocabularySize: model.vocabularySize,
    tiedEmbeddings: model.tiedEmbeddings,
    contextLength: model.contextLength,
    parameters: model.parameters.total,
    parametersVerified: model.provenance.verified,
    weightFormat: model.weights.name,
    weightsBytes: model.weightsBytes,
    multimodal: model.multimodal,
    gated: model.gated,
    notes: model.provenance.notes,
  };
}

function plannedNodes({ input, nodes, free, systemPods, settings }: Settled): PlannedNodes {
  const { node } = input;
  return {
    name: node.name,
    count: nodes,
    cpus: node.cpus,
    memoryBytes: node.memory,
    architecture: node.architecture,
    processor: node.processor.name,
    bf16: node.processor.isa.bf16,
    avx512: node.processor.isa.avx512,
    amx: node.processor.isa.amx,
    numaNodes: node.numaNodes,
    gpus: node.accelerator?.count ?? 0,
    gpu: node.accelerator?.name ?? null,
    gpuMemoryBytes: node.accelerator?.memory ?? null,
    allocatable: {
      cpuMillis: node.allocatable.cpuMillis,
      memoryBytes: node.allocatable.memory,
      pods: node.allocatable.pods,
    },
    systemPods,
    free,
    podsPerNode: podsThatFit(free, { cpuMillis: settings.cpuMillis, memoryBytes: settings.memoryBytes }),
  };
}

function plannedCache(settled: Settled): PlannedKvCache | null {
  const { kv, settings, input, backend, ranks } = settled;
  if (kv === undefined) {
    return null;
  }
  const { maxModelLen, kvCacheMemoryBytes, memoryBytes, maxNumSeqs, maxNumBatchedTokens } = settings;
  const { blocks, concurrency, tokens } = kvCacheCapacity(kv.layout, maxModelLen, kvCacheMemoryBytes);
  const limit = backend === 'cpu' ? memoryBytes : GPU_MEMORY.utilization * input.node.accelerator!.memory;
  const peak = (kvCache: number): number =>
    Math.max(
      ...ranks.map((rank) => peakOf(rankMemory(input, rank, { backend, kvCache, maxNumSeqs, maxNumBatchedTokens }))),
    );
  // Pages of /dev/shm are inside the limit of a pod as well.
  const beside = backend === 'cpu' ? memoryBytes - settings.sharedMemoryBytes - MEBI : Infinity;
  const bytesPerToken = ranks.map(({ firstLayer, lastLayer }) =>
    input.model.layerKinds
      .slice(firstLayer, Math.min(lastLayer + 1, input.model.layers - input.model.sharedKeyValueLayers))
      .reduce(
        (sum, kind) =>
          sum + bytesPerTokenAndLayer(input.model, kind, input.tensorParallelSize, kv.input.bytesPerNumber),
        0,
      ),
  );
  return {
    tokens,
    concurrency,
    concurrencyLogged: concurrencyText(concurrency),
    blocks,
    blocksPerRequest: kv.layout.blocksPerRequest,
    groups: kv.layout.groups,
    minimumBytes: Math.max(...kv.layout.minimumBytes),
    largestBytes: Math.max(0, roundDown(Math.min(largestCache(limit, peak), beside), MEBI)),
    longestModelLen: longestModelLen(kv.input, kvCacheMemoryBytes, input.model.contextLength),
    bytesPerToken: Math.max(...bytesPerToken),
  };
}

/** What of this was never measured, for a person. */
function extrapolations({ input, backend, dtypeBits, settings }: Settled): string[] {
  const { model, node, vllm } = input;
  if (backend === 'gpu') {
    return ['GPUs: nothing was measured on one'];
  }
  return [
    ...(node.architecture === 'arm64'
      ? ['arm64: memory was measured on x86, where weights may be packed differently']
      : []),
    ...(node.processor.isa.amx
      ? ['AMX: it packs small matrices in another way than the cores that were measured']
      : []),
    ...(node.architecture === 'amd64' && !(node.processor.isa.avx512 && node.processor.isa.bf16)
      ? ['no bf16 in AVX-512: memory was measured on cores that have it']
      : []),
    ...(input.pipelineParallelSize > 2 ? ['more than two stages: memory was measured with one and two'] : []),
    ...(input.tensorParallelSize > 1 ? ['tensor parallelism: memory was measured with whole layers'] : []),
    ...(model.experts === undefined ? [] : ['mixture of experts: memory was measured with dense models']),
    ...(model.latentSize === undefined ? [] : ['latent attention (MLA): memory was measured with ordinary attention']),
    ...(model.weights.quantized === 'none' ? [] : [`${model.weights.name} weights: memory was measured with bfloat16`]),
    ...(model.tiedEmbeddings ? [] : ['a head of its own: memory was measured with tied embeddings']),
    ...(settings.kvCacheDtype.startsWith('fp8') ? ['a cache in fp8: memory was measured with bfloat16'] : []),
    ...(settings.maxNumBatchedTokens > 4096 ? ['batched tokens: memory was measured with up to 4096'] : []),
    ...(dtypeBits === 16 ? [] : ['float32: memory was measured with bfloat16']),
    ...(model.parameters.towers > 0 ? ['vision or audio tower: memory was measured with text models'] : []),
    ...(model.parameters.total > 1.5e9 ? ['size: the largest model measured has 1.2 B parameters'] : []),
    ...(holdsIn(GATES.kvNumbers, vllm.judgedAs)
      ? []
      : [`vLLM ${vllm.version}: memory was measured on 0.31.0 and 0.32.0`]),
    ...(vllm.version === vllm.judgedAs ? [] : [`vLLM ${vllm.version} is taken for ${vllm.judgedAs}`]),
  ];
}
