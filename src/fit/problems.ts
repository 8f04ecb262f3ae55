import { kvCacheCapacity, longestModelLen } from './kv-cache';
import { MEMORY_BAND, LIMIT_MARGIN } from './memory';
import type { PlanFinding, PlannedRank, PlannedSettings } from './plan-types';
import { refusals } from './refusals';
import { pendingReason } from './room';
import type { Settled } from './settle';
import { coresText, countText, GIBI, MEBI, sizeText } from './units';

/** Why the plan cannot work. */
export function problems(settled: Settled, ranks: readonly PlannedRank[]): PlanFinding[] {
  return [
    ...refusals(settled),
    ...nodeProblems(settled),
    ...cacheProblems(settled),
    ...memoryProblems(settled, ranks),
    ...podProblems(settled),
  ];
}

function nodeProblems({ input, nodes, pods, backend }: Settled): PlanFinding[] {
  const { pipelineParallelSize, tensorParallelSize, node } = input;
  const ranks = pipelineParallelSize * tensorParallelSize;
  const gpus = node.accelerator?.count ?? 1;
  const needed = pods * (input.replicas ?? 1);
  const found: PlanFinding[] = [];
  if (nodes < needed) {
    found.push({
      id: 'fit/nodes-not-enough',
      what: `there are ${nodes} nodes, and the pods need ${needed}`,
      why:
        backend === 'cpu'
          ? `each of the ${ranks} ranks is a pod, and the pods of a group share no node`
          : `${ranks} ranks take ${ranks} GPUs, of which a ${node.name} has ${gpus}`,
      fix: `take ${needed} nodes, or a smaller split`,
    });
  }
  if (ranks > gpus && ranks % gpus !== 0) {
    found.push({
      id: 'fit/gpus-not-divisible',
      what: `${ranks} ranks do not fill nodes of ${gpus} GPUs`,
      why: 'every pod of a group runs the same number of ranks',
      fix: `take a number of ranks that ${gpus} divides`,
    });
  }
  return found;
}

function cacheProblems({ kv, settings, input, backend }: Settled): PlanFinding[] {
  if (kv === undefined) {
    return [];
  }
  const { maxModelLen, kvCacheMemoryBytes } = settings;
  if (kvCacheCapacity(kv.layout, maxModelLen, kvCacheMemoryBytes).fits) {
    return [];
  }
  const minimum = Math.max(...kv.layout.minimumBytes);
  const stage = kv.layout.minimumBytes.indexOf(minimum);
  const longest = longestModelLen(kv.input, kvCacheMemoryBytes, Math.min(maxModelLen, input.model.contextLength));
  const keeps = kv.layout.rules.keepsNullBlock;
  return [
    {
      id: 'fit/kv-cache-too-small',
      what:
        `the KV cache of ${countText(kvCacheMemoryBytes)} bytes (${sizeText(kvCacheMemoryBytes)}) does not hold one request of ` +
        `${countText(maxModelLen)} tokens, which takes ${countText(minimum)} bytes (${sizeText(minimum)}) on ` +
        `${backend === 'cpu' ? 'rank' : 'each GPU of stage'} ${stage * (backend === 'cpu' ? input.tensorParallelSize : 1)}`,
      why:
        `vLLM refuses to start: ${countText(kv.layout.blocksPerRequest)} blocks of ${countText(kv.layout.bytesPerBlock[stage]!)} ` +
        `bytes${keeps ? ', and one block that it keeps for itself' : ''}`,
      fix:
        longest > 0
          ? `give it ${countText(minimum)} bytes, or take a max-model-len of at most ${countText(longest)}`
          : `give it ${countText(minimum)} bytes`,
    },
  ];
}

function memoryProblems({ settings, backend, input }: Settled, ranks: readonly PlannedRank[]): PlanFinding[] {
  const fullest = fullestOf(ranks);
  if (fullest === undefined || fullest.memory.peak <= fullest.memory.limit) {
    return [];
  }
  const { peak, limit } = fullest.memory;
  const onCpu = backend === 'cpu';
  const isGiven = (name: keyof PlannedSettings): boolean => !settings.planned.includes(name);
  return [
    {
      id: 'fit/memory-below-need',
      what:
        `rank ${fullest.rank} needs ${sizeText(peak)}, more than the ` +
        (onCpu
          ? `memory limit of ${sizeText(limit)}`
          : `${sizeText(limit)} that vLLM takes of one ${input.node.accelerator!.name}`),
      why: `${memoryInWords(fullest)}; ${onCpu ? 'the kernel kills the worker (exit -9, OOMKilled)' : 'CUDA runs out of memory while loading'}`,
      fix: [
        ...(isGiven('kvCacheMemoryBytes') && fullest.memory.kvCache > peak - limit ? ['give a smaller KV cache'] : []),
        ...(onCpu && isGiven('memoryBytes') ? ['raise memory'] : []),
        'take larger nodes, or split over more of them',
      ].join(', '),
    },
  ];
}

function memoryInWords({ memory }: PlannedRank): string {
  const parts: [string, number][] = [
    ['layers', memory.layers],
    ['embedding and head', memory.embeddings],
    ['towers', memory.towers],
    ['KV cache', memory.kvCache],
    ['runtime', memory.runtime],
    ['warm-up of the sampler', memory.sampler],
    ['slack', memory.slack],
  ];
  return parts
    .filter(([, bytes]) => bytes >= MEBI)
    .map(([name, bytes]) => `${name} ${sizeText(bytes)}`)
    .join(', ');
}

/** The rank that comes nearest to its limit, or exceeds it most. */
export function fullestOf(ranks: readonly PlannedRank[]): PlannedRank | undefined {
  return ranks.reduce<PlannedRank | undefined>(
    (fullest, rank) => (fullest !== undefined && fullest.memory.peak >= rank.memory.peak ? fullest : rank),
    undefined,
  );
}

/** How far a limit is from the highest point: the band of the formula, and the margin that a limit should have. */
export function isTight(rank: PlannedRank): boolean {
  return rank.memory.peak <= rank.memory.limit && rank.memory.peak * (LIMIT_MARGIN - MEMORY_BAND) > rank.memory.limit;
}

/** What a pod asks of its node, and of its own limits. */
function podProblems({ input, settings, free, memoryAtMost, nodes, systemPods, backend }: Settled): PlanFinding[] {
  const { node, model } = input;
  const { cpuMillis, memoryBytes, sharedMemoryBytes, kvCacheMemoryBytes, threads } = settings;
  const pod = { cpuMillis, memoryBytes };
  const found: PlanFinding[] = [];
  const leaves =
    `of ${node.cpus} vCPU and ${sizeText(node.memory)} the kubelet leaves ${coresText(node.allocatable.cpuMillis)} and at least ` +
    `${sizeText(node.allocatable.memory)}; pods of the system may request ${coresText(systemPods.cpuMillis)} and ` +
    `${sizeText(systemPods.memoryBytes)} of that on one node`;
  // What the scheduler will say, of all that is lacking. Memory that only some nodes have is not said to be.
  const pending = pendingReason(nodes, { ...free, memoryBytes: memoryAtMost }, pod);
  if (cpuMillis > free.cpuMillis) {
    found.push({
      id: 'fit/cpu-over-node',
      what: `cpu is ${coresText(cpuMillis)}; ${node.name} has ${coresText(free.cpuMillis)} for it`,
      why: `${leaves}: the pod stays Pending, "${pending}"`,
      fix:
        free.cpuMillis < 1000
          ? 'take a larger node'
          : `take at most ${coresText(Math.floor(free.cpuMillis / 100) * 100)}, or a larger node`,
    });
  }
  if (memoryBytes > memoryAtMost) {
    found.push({
      id: 'fit/memory-over-node',
      what: `memory is ${sizeText(memoryBytes)}; ${node.name} has ${sizeText(free.memoryBytes)} for it`,
      why: `${leaves}: the pod stays Pending, "${pending}"`,
      fix:
        free.memoryBytes < GIBI ? 'take a larger node' : `take at most ${sizeText(free.memoryBytes)}, or a larger node`,
    });
  }
  if (free.pods < 1) {
    found.push({
      id: 'fit/pods-over-node',
      what: `${node.name} takes ${node.allocatable.pods} pods, and those of the system are ${systemPods.pods}`,
      why: 'every pod takes an address of the node',
      fix: 'take a larger node',
    });
  }
  if (backend === 'cpu' && cpuMillis < 1000) {
    found.push({
      id: 'fit/cpu-too-small',
      what: `cpu is ${coresText(cpuMillis)}; a rank needs at least one whole core`,
      why: 'its threads compute all the time while a token is made',
      fix: 'take 1 or more',
    });
  } else if (backend === 'cpu' && threads * 1000 > cpuMillis) {
    found.push({
      id: 'fit/threads-over-cpu',
      what: `threads is ${threads}, more than the CPU limit of ${coresText(cpuMillis)}`,
      why: 'the pod would be throttled in every step',
      fix: `take at most ${Math.max(1, Math.floor(cpuMillis / 1000) - 1)}`,
    });
  }
  if (sharedMemoryBytes < 512 * MEBI) {
    found.push({
      id: 'fit/shared-memory-too-small',
      what: `sharedMemory is ${sizeText(sharedMemoryBytes)}`,
      why: 'the queues between the processes of a rank take some 400 MiB, and vLLM refuses to start without that room',
      fix: 'take 512 MiB or more',
    });
  }
  if (backend === 'cpu' && kvCacheMemoryBytes + sharedMemoryBytes >= memoryBytes) {
    found.push({
      id: 'fit/shared-memory-over-limit',
      what: `kvCacheMemory (${sizeText(kvCacheMemoryBytes)}) and sharedMemory (${sizeText(sharedMemoryBytes)}) leave nothing of the memory limit of ${sizeText(memoryBytes)} for the weights`,
      why: 'pages of /dev/shm count against the limit',
      fix: 'give smaller ones, raise memory, or take a larger node',
    });
  }
  if (settings.stallTimeoutSeconds <= settings.stepTimeoutSeconds) {
    const planned = settings.planned.includes('stepTimeoutSeconds') ? ', planned from a full batch' : '';
    found.push({
      id: 'fit/stall-before-step',
      what: `stallTimeout is ${settings.stallTimeoutSeconds} s and stepTimeout ${settings.stepTimeoutSeconds} s${planned}`,
      why: 'a step that may still take its time would be called a stall',
      fix: `take a stallTimeout above ${settings.stepTimeoutSeconds} s${planned === '' ? '' : ', or fewer batched tokens'}`,
    });
  }
  const files = input.weightsOutsidePod === true ? 0 : model.weightsBytes;
  if (settings.ephemeralStorageBytes < files + 1024 * MEBI) {
    found.push({
      id: 'fit/disk-too-small',
      what: `ephemeralStorage is ${sizeText(settings.ephemeralStorageBytes)}; the files of ${model.name} take ${sizeText(files)}, and a pod at least 1 GiB beside them`,
      why: 'the kubelet evicts a pod that fills its disk',
      fix: `take ${sizeText(files + 16 * 1024 * MEBI)} or more`,
    });
  }
  return found;
}
