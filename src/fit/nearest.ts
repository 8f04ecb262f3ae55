import { instanceTypes, nodeOf } from '../hardware/nodes';
import type { NodeSpec } from '../hardware/node-spec';
import { podsOf } from './defaults';
import { type PlanInput, without } from './plan-input';
import type { Alternative } from './plan-types';
import { GIBI } from './units';

interface Candidate extends Alternative {
  readonly input: PlanInput;
}

const MAX_SHOWN = 4;
/** More nodes than this is no nearer configuration. */
const MAX_STAGES = 32;

/**
 * Configurations near the one asked for that fit, nearest first: one change alone, and where none is enough larger nodes and
 * more of them together. Of each kind of change the smallest that fits.
 */
export function nearest(input: PlanInput, fits: (input: PlanInput) => boolean): Alternative[] {
  const firstThatFits = (candidates: Iterable<Candidate>): Candidate[] => {
    for (const candidate of candidates) {
      if (fits(candidate.input)) {
        return [candidate];
      }
    }
    return [];
  };
  const searches = [
    () => kindsOfChange(input).flatMap(firstThatFits),
    () => moreAndLarger(input).flatMap(firstThatFits).slice(0, 1),
    // The sizes that were given may be what stands in the way of every node.
    () =>
      planned(input).flatMap((free) =>
        alsoWithout(free, moreAndLarger(free.input, true).flatMap(firstThatFits).slice(0, 1)),
      ),
    () => firstThatFits(gpuNodes(input)),
  ];
  for (const search of searches) {
    const found = search();
    if (found.length > 0) {
      return found.slice(0, MAX_SHOWN).map((candidate) => alternative(input, candidate));
    }
  }
  return [];
}

/** The change as flags that are enough: nodes and a partition are for the split that they were given with. */
function alternative(input: PlanInput, { change, flags, without: left, input: changed }: Candidate): Alternative {
  const names = new Set([...flags.map((flag) => flag.split('=', 1)[0]!), ...left]);
  const stale = [
    ...(input.nodes !== undefined && changed.nodes === undefined && !names.has('--nodes') ? ['--nodes'] : []),
    ...(input.layerPartition !== undefined && changed.layerPartition === undefined ? ['--layer-partition'] : []),
  ];
  return { change, flags, without: [...new Set([...left, ...stale])] };
}

/** A change on top of another one. */
function alsoWithout({ change, without: left }: Candidate, found: readonly Candidate[]): Candidate[] {
  return found.map((candidate) => ({
    ...candidate,
    change: `${candidate.change}, with ${change}`,
    without: [...candidate.without, ...left],
  }));
}

function kindsOfChange(input: PlanInput): Candidate[][] {
  return [
    enoughNodes(input),
    settingsAsPlanned(input),
    shorterModelLen(input),
    fewerBatchedTokens(input),
    fewerSequences(input),
    otherProcessors(input),
    otherTensorParallelSize(input),
    moreNodes(input),
    fewerNodes(input),
    largerNodes(input),
  ];
}

/** The flags of the command behind the sizes that can be left to the plan. */
const FLAGS: Readonly<Partial<Record<keyof PlanInput, string>>> = {
  blockSize: '--block-size',
  dtype: '--dtype',
  kvCacheDtype: '--kv-cache-dtype',
  layerPartition: '--layer-partition',
  kvCacheMemory: '--kv-cache-memory-bytes',
  threads: '--threads',
  cpu: '--cpu',
  memory: '--memory',
  maxNumSeqs: '--max-num-seqs',
  maxNumBatchedTokens: '--max-num-batched-tokens',
};

/** Sizes that were given, left to the plan. */
function settingsAsPlanned(input: PlanInput): Candidate[] {
  const one = (names: readonly (keyof PlanInput)[], change: string): Candidate[] => {
    const given = names.filter((name) => input[name] !== undefined);
    const left = given.flatMap((name) => FLAGS[name] ?? []);
    return given.length === 0 ? [] : [{ input: without(input, ...given), change, flags: [], without: left }];
  };
  return [
    ...one(['blockSize'], 'the planned block size'),
    ...one(['maxNumSeqs'], "vLLM's own number of sequences"),
    ...one(['dtype'], 'bfloat16'),
    ...one(['kvCacheDtype'], 'a KV cache in the type of the model'),
    ...one(['layerPartition'], "vLLM's own split of the layers"),
    ...one(['kvCacheMemory'], 'a KV cache of the planned size'),
    ...one(['threads'], 'the planned threads'),
    ...one(['cpu'], 'the planned CPU'),
    ...one(['memory', 'sharedMemory'], 'the planned memory'),
    ...one(['ephemeralStorage'], 'the planned disk'),
    ...planned(input),
  ];
}

const SIZES = [
  'blockSize',
  'kvCacheMemory',
  'cpu',
  'threads',
  'memory',
  'sharedMemory',
  'ephemeralStorage',
] as const satisfies readonly (keyof PlanInput)[];

/** All sizes left to the plan. */
function planned(input: PlanInput): Candidate[] {
  const given = SIZES.filter((name) => input[name] !== undefined);
  return given.length === 0
    ? []
    : [
        {
          input: without(input, ...given),
          change: 'the planned sizes in place of those given',
          flags: [],
          without: given.flatMap((name) => (FLAGS as Partial<Record<string, string>>)[name] ?? []),
        },
      ];
}

/** As many nodes as the pods need. */
function enoughNodes(input: PlanInput): Candidate[] {
  const nodes = nodesFor(input);
  return input.nodes === undefined || input.nodes >= nodes
    ? []
    : [
        {
          input: without(input, 'nodes'),
          change: nodesText(nodes, input.node),
          flags: [`--nodes=${nodes}`],
          without: [],
        },
      ];
}

function shorterModelLen(input: PlanInput): Candidate[] {
  const { contextLength } = input.model;
  const given = input.maxModelLen ?? 4096;
  const lengths = [contextLength, 65_536, 32_768, 16_384, 8192, 4096, 2048, 1024, 512].filter(
    (length) => length < given && length <= contextLength,
  );
  return lengths.map((maxModelLen) => ({
    input: { ...input, maxModelLen },
    change: `requests of up to ${maxModelLen} tokens`,
    flags: [`--max-model-len=${maxModelLen}`],
    without: [],
  }));
}

function fewerBatchedTokens(input: PlanInput): Candidate[] {
  return [512, 256]
    .filter((tokens) => tokens < (input.maxNumBatchedTokens ?? (input.isCommandLine === true ? Infinity : 0)))
    .map((maxNumBatchedTokens) => ({
      input: { ...input, maxNumBatchedTokens },
      change: `${maxNumBatchedTokens} batched tokens`,
      flags: [`--max-num-batched-tokens=${maxNumBatchedTokens}`],
      without: [],
    }));
}

/** The warm-up of the sampler takes room for each of them. */
function fewerSequences(input: PlanInput): Candidate[] {
  return [64, 32, 16]
    .filter((maxNumSeqs) => maxNumSeqs < (input.maxNumSeqs ?? 128))
    .map((maxNumSeqs) => ({
      input: { ...input, maxNumSeqs },
      change: `${maxNumSeqs} requests at once`,
      flags: [`--max-num-seqs=${maxNumSeqs}`],
      without: [],
    }));
}

/** Nodes of the same size with cores that know more formats. */
function otherProcessors(input: PlanInput): Candidate[] {
  const [, kind, , size] = /^([a-z])(\d[a-z-]*)\.(.+)$/.exec(input.node.name) ?? [];
  return ['7i', '7a']
    .map((generation) => `${kind}${generation}.${size}`)
    .filter((name) => name !== input.node.name && instanceTypes().includes(name))
    .map((name) => ({ input: { ...input, node: nodeOf(name) }, change: name, flags: [`--node=${name}`], without: [] }));
}

/** The smallest node of GPUs that holds the model whole, for what no core can run. */
function gpuNodes(input: PlanInput): Candidate[] {
  if (input.node.accelerator !== undefined) {
    return [];
  }
  return instanceTypes()
    .filter((name) => /^(g|p)\d/.test(name))
    .map(nodeOf)
    .filter((node) => node.accelerator?.bf16 === true)
    .sort((a, b) => sizeOf(a) - sizeOf(b) || a.cpus - b.cpus)
    .map((node) => {
      const tensorParallelSize = node.accelerator!.count;
      const free = without(input, 'nodes', 'layerPartition', ...SIZES, 'maxNumBatchedTokens');
      return {
        input: { ...free, node, pipelineParallelSize: 1, tensorParallelSize },
        change: `${node.name} (${tensorParallelSize} GPUs of ${Math.round(node.accelerator!.memory / GIBI)} GiB)`,
        flags: [`--node=${node.name}`, '-pp=1', `-tp=${tensorParallelSize}`],
        without: [...SIZES, 'maxNumBatchedTokens' as const].flatMap((name) =>
          input[name] === undefined ? [] : ((FLAGS as Partial<Record<string, string>>)[name] ?? []),
        ),
      };
    });
}

function otherTensorParallelSize(input: PlanInput): Candidate[] {
  const sizes = [8, 4, 2, 1].filter((size) => size < input.tensorParallelSize);
  return sizes.map((tensorParallelSize) => ({
    input: without({ ...input, tensorParallelSize }, 'nodes'),
    change: `a tensor-parallel size of ${tensorParallelSize}`,
    flags: [`-tp=${tensorParallelSize}`],
    without: [],
  }));
}

/** More stages. A partition is for one number of them, and given nodes are for the old one. */
function* moreNodesOf(input: PlanInput, node: NodeSpec): Generator<Candidate> {
  const rest = without(input, 'layerPartition', 'nodes');
  for (let stages = 1; stages <= Math.min(MAX_STAGES, input.model.layers); stages++) {
    if (stages > 1 && input.model.noPipeline !== undefined) {
      return;
    }
    if (stages === input.pipelineParallelSize && node === input.node) {
      continue;
    }
    const candidate = { ...rest, node, pipelineParallelSize: stages };
    const nodes = nodesFor(candidate);
    yield {
      input: candidate,
      change: nodesText(nodes, node),
      flags: [
        ...(node === input.node ? [] : [`--node=${node.name}`]),
        `--nodes=${nodes}`,
        `-pp=${stages}`,
        ...(input.tensorParallelSize > 1 ? [`-tp=${input.tensorParallelSize}`] : []),
      ],
      without: [],
    };
  }
}

function moreNodes(input: PlanInput): Candidate[] {
  return [...moreNodesOf(input, input.node)].filter(
    (candidate) => candidate.input.pipelineParallelSize > input.pipelineParallelSize,
  );
}

/** Fewer stages, the most of them first. */
function fewerNodes(input: PlanInput): Candidate[] {
  return [...moreNodesOf(input, input.node)]
    .filter((candidate) => candidate.input.pipelineParallelSize < input.pipelineParallelSize)
    .reverse();
}

function largerNodes(input: PlanInput): Candidate[] {
  return larger(input.node).map((node) => ({
    input: { ...input, node },
    change: `${node.name} (${node.cpus} vCPU, ${Math.round(node.memory / GIBI)} GiB)`,
    flags: [`--node=${node.name}`],
    without: [],
  }));
}

function nodesFor(input: PlanInput): number {
  return podsOf(input) * (input.replicas ?? 1);
}

function nodesText(nodes: number, node: NodeSpec): string {
  return `${nodes} ${nodes === 1 ? 'node' : 'nodes'} of ${node.name}`;
}

/** Larger nodes with more of them: the cheapest way for a model that no single change makes fit. */
function moreAndLarger(input: PlanInput, withThis = false): Generator<Candidate>[] {
  return [...(withThis ? [input.node] : []), ...larger(input.node)].map((node) => moreNodesOf(input, node));
}

/** Instances with more memory: of the same family, and of the same generation with more memory a vCPU. */
function larger(node: NodeSpec): NodeSpec[] {
  const family = /^([a-z]+)(\d[a-z-]*)\./.exec(node.name);
  if (family === null) {
    return [];
  }
  const related = (name: string): boolean =>
    node.accelerator === undefined
      ? name.startsWith(`${family[1]}${family[2]}.`) || (/^[cm]$/.test(family[1]!) && name.startsWith(`r${family[2]}.`))
      : /^(g|p)\d/.test(name);
  return instanceTypes()
    .filter(related)
    .map(nodeOf)
    .filter(
      (other) => sizeOf(other) > sizeOf(node) && (other.accelerator === undefined) === (node.accelerator === undefined),
    )
    .sort((a, b) => sizeOf(a) - sizeOf(b) || a.cpus - b.cpus);
}

function sizeOf({ accelerator, memory }: NodeSpec): number {
  return accelerator === undefined ? memory : accelerator.count * accelerator.memory;
}
