import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { didYouMean } from '../../common/nearest';
import { GIBI, MEBI } from '../../common/numbers';
import { compareVersions } from '../../common/versions';
import { NEWEST_RELEASE, OLDEST_RELEASE } from '../../engine/releases';
import { releaseOf, VllmVersion } from '../../engine/version';
import { KV_CACHE_DTYPES, podsOf } from '../../fit/defaults';
import type { PlanInput } from '../../fit/plan-input';
import { headsProblem } from '../../fit/split';
import type { NodeSpec, SystemPodSpec } from '../../hardware/node-spec';
import { instanceTypes, nodeOf } from '../../hardware/nodes';
import { DEFAULT_SYSTEM_PODS } from '../../hardware/system-pods';
import { modelNames, shapeOf } from '../../model/catalogue';
import { readConfig } from '../../model/config';
import type { ModelShape } from '../../model/shape';
import { WrongInput } from '../terminal';
import { nameByConfig, readConfigFile } from './config-file';
import type { Arguments } from './options';
import { bytes, humanInteger, integer, integers, millicores, word } from './values';

/** What a command line asks for. */
export interface Request {
  readonly input: PlanInput;
  /** Whether `--max-model-len=auto` was given: the longest request that the cache serves is still to be found. */
  readonly longest: boolean;
  readonly output: 'table' | 'json';
  readonly explain: boolean;
}

const TEBI = 1024 * GIBI;
const TOKENS = { min: 1, max: 1e9 };
const COUNT = { min: 1, max: 1024 };
const MEMORY = { min: MEBI, max: 1024 * TEBI, range: 'whole bytes from 1Mi to 1024Ti', hint: 'such as 20Gi' };
const CORES = { min: 1, max: 4_096_000, range: 'whole thousandths of a core up to 4096', hint: 'such as 6 or 5500m' };

/** Reads what a command line means. `known`: the model, when it was read before; a pipe cannot be read twice. */
export function requestOf({ flags, words }: Arguments, known?: ModelShape): Request {
  const given = <T>(name: string, read: (flag: string, text: string) => T): T | undefined => {
    const text = flags.get(name);
    return text === undefined ? undefined : read(name, text);
  };
  const tokens = (hint: string) => (flag: string, text: string) => humanInteger(flag, text, { ...TOKENS, hint });
  const count = (hint: string) => (flag: string, text: string) => integer(flag, text, { ...COUNT, hint });

  const node = nodeNamed(flags.get('--node'));
  const model = known ?? modelOf(words, flags.get('--config'));
  const replicas = given('--replicas', count('1 for a single engine')) ?? 1;
  const sizes = parallelSizes(model, node, {
    pipeline: given('-pp', count('1 for no pipeline')),
    tensor: given('-tp', count('1 for none')),
    nodes: given('--nodes', (flag, text) => integer(flag, text, { min: 1, max: 10_000, hint: 'those that there are' })),
    replicas,
  });
  const longest = /^(auto|-1)$/i.test(flags.get('--max-model-len')?.trim() ?? '');
  const settings = {
    maxModelLen: longest ? undefined : given('--max-model-len', tokens('or auto for the longest that fits')),
    maxNumBatchedTokens: given('--max-num-batched-tokens', tokens('such as 256')),
    maxNumSeqs: given('--max-num-seqs', (flag, text) =>
      integer(flag, text, { min: 1, max: 65_536, hint: 'such as 128' }),
    ),
    kvCacheMemory: given('--kv-cache-memory-bytes', (flag, text) =>
      humanInteger(flag, text, { min: 1, max: MEMORY.max, hint: 'such as 4294967296 or 4G for 4 GiB' }),
    ),
    blockSize: given('--block-size', (flag, text) => integer(flag, text, { min: 1, max: 65_536, hint: 'such as 128' })),
    dtype: given('--dtype', (flag, text) => word(flag, text, DTYPES)),
    kvCacheDtype: given('--kv-cache-dtype', (flag, text) => word(flag, text, CACHE_DTYPES)),
    hybridKvCacheManager: given('--disable-hybrid-kv-cache-manager', () => false),
    layerPartition: given('--layer-partition', (flag, text) => integers(flag, text, 'one for each stage: 14,12')),
    cpu: given('--cpu', (flag, text) => millicores(flag, text, CORES)),
    memory: given('--memory', (flag, text) => bytes(flag, text, MEMORY)),
    threads: given('--threads', (flag, text) =>
      integer(flag, text, { min: 1, max: 4096, hint: 'one less than the CPU' }),
    ),
    systemPods: systemPods(
      given('--system-cpu', (flag, text) => millicores(flag, text, { ...CORES, min: 0, hint: 'such as 500m' })),
      given('--system-memory', (flag, text) =>
        bytes(flag, text, { ...MEMORY, min: 0, range: 'whole bytes up to 1024Ti', hint: 'such as 1500Mi' }),
      ),
    ),
  };
  return {
    input: {
      model,
      node,
      vllm: vllmOf(flags.get('--vllm'), flags.get('--like')),
      ...sizes,
      ...settings,
      ...(replicas > 1 && { replicas }),
      ...(flags.has('--enforce-eager') && { skipsWarmUp: true }),
    },
    longest,
    output: given('--output', (flag, text) => word(flag, text, { table: 'table', json: 'json' } as const)) ?? 'table',
    explain: flags.has('--explain'),
  };
}

/** vLLM's names for number types; `auto` is bfloat16 wherever it may be. */
const DTYPES = {
  auto: undefined,
  bfloat16: 'bfloat16',
  float16: 'float16',
  half: 'float16',
  float32: 'float32',
  float: 'float32',
} as const;
const CACHE_DTYPES = Object.fromEntries(KV_CACHE_DTYPES.map((name) => [name, name]));

function nodeNamed(name: string | undefined): NodeSpec {
  if (name === undefined) {
    throw new WrongInput(
      '--node is missing: the instance type to plan for, such as m7g.2xlarge (docs/nodes.md lists them)',
    );
  }
  if (!instanceTypes().includes(name)) {
    throw new WrongInput(
      `--node is '${name.slice(0, 100)}', which is not known${didYouMean(name.slice(0, 100), instanceTypes())} ` +
        `(docs/nodes.md lists the ${instanceTypes().length} that are)`,
    );
  }
  return nodeOf(name);
}

function modelOf(words: readonly string[], config: string | undefined): ModelShape {
  const [name, ...more] = words;
  if (more.length > 0) {
    throw new WrongInput(`there is one model too many: '${name}', '${more.join("', '")}'`);
  }
  if (config !== undefined) {
    const file = readConfigFile(config);
    const known = name !== undefined && modelNames().includes(name);
    return inWords(() =>
      readConfig(name ?? nameByConfig(config, file), file, known ? { gated: shapeOf(name).gated } : {}),
    );
  }
  if (name === undefined) {
    throw new WrongInput(
      'the model is missing: name one, such as google/gemma-3-1b-it, or give its config.json: --config FILE',
    );
  }
  const file = join(name, 'config.json');
  if (!modelNames().includes(name) && existsSync(file)) {
    throw new WrongInput(`'${name}' is a folder; give the file in it: --config ${file}`);
  }
  return inWords(() => shapeOf(name));
}

/** What another part says of input that it cannot take. */
function inWords<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    // Anything but a plain Error is a fault of the program.
    if (error instanceof Error && error.constructor === Error) {
      throw new WrongInput(error.message);
    }
    throw error;
  }
}

function vllmOf(version = NEWEST_RELEASE, like: string | undefined): PlanInput['vllm'] {
  const release = inWords(() => releaseOf(version));
  if (compareVersions(release, OLDEST_RELEASE) < 0) {
    throw new WrongInput(`--vllm is ${version}; it takes ${OLDEST_RELEASE} or newer`);
  }
  if (compareVersions(release, NEWEST_RELEASE) > 0 && like === undefined) {
    throw new WrongInput(
      `--vllm is ${version}, newer than ${NEWEST_RELEASE}, the newest that is known; say which one it behaves like: ` +
        `--like ${NEWEST_RELEASE}`,
    );
  }
  if (like !== undefined && compareVersions(release, NEWEST_RELEASE) <= 0) {
    throw new WrongInput(`--like is ${like}, but vLLM ${version} is known itself; leave --like out`);
  }
  if (
    like !== undefined &&
    compareVersions(
      inWords(() => releaseOf(like)),
      OLDEST_RELEASE,
    ) < 0
  ) {
    throw new WrongInput(`--like is ${like}; it takes ${OLDEST_RELEASE} or newer`);
  }
  const { version: own, judgedAs } = inWords(() => VllmVersion.of(version, like === undefined ? {} : { like }));
  return { version: own, judgedAs };
}

interface Sizes {
  readonly pipeline: number | undefined;
  readonly tensor: number | undefined;
  readonly nodes: number | undefined;
  readonly replicas: number;
}

/**
 * How the model is split. Sizes that were given count, and the one that was not is 1 as in vLLM. Where none was, the nodes
 * decide: a stage each, and on GPUs all those of a node share its layers.
 */
function parallelSizes(
  model: ModelShape,
  node: NodeSpec,
  { pipeline, tensor, nodes, replicas }: Sizes,
): Pick<PlanInput, 'pipelineParallelSize' | 'tensorParallelSize' | 'nodes'> {
  if (nodes !== undefined && nodes % replicas !== 0 && pipeline === undefined && tensor === undefined) {
    throw new WrongInput(
      `--nodes is ${nodes}, which ${replicas} replicas cannot share evenly; give -pp, or other numbers`,
    );
  }
  const sizes =
    pipeline === undefined && tensor === undefined
      ? sizesFor(model, node, (nodes ?? replicas) / replicas)
      : { pipelineParallelSize: pipeline ?? 1, tensorParallelSize: tensor ?? 1 };
  const pods = podsOf({ model, node, vllm: { version: '', judgedAs: '' }, ...sizes }) * replicas;
  if (nodes !== undefined && nodes > pods) {
    const { pipelineParallelSize, tensorParallelSize } = sizes;
    const of = replicas === 1 ? '' : ` and ${replicas} replicas`;
    throw new WrongInput(
      `--nodes is ${nodes}, but -pp ${pipelineParallelSize} and -tp ${tensorParallelSize}${of} run on ${pods}; ` +
        `take --nodes ${pods}, or a larger split`,
    );
  }
  return { ...sizes, nodes: nodes ?? pods };
}

function sizesFor(
  model: ModelShape,
  { accelerator }: NodeSpec,
  nodes: number,
): { pipelineParallelSize: number; tensorParallelSize: number } {
  if (accelerator === undefined) {
    const whole = model.noPipeline !== undefined && headsProblem(model, nodes) === undefined;
    return whole
      ? { pipelineParallelSize: 1, tensorParallelSize: nodes }
      : { pipelineParallelSize: nodes, tensorParallelSize: 1 };
  }
  const { count } = accelerator;
  const tensorParallelSize = Array.from({ length: count }, (_, i) => count - i).find(
    (size) => count % size === 0 && headsProblem(model, size) === undefined,
  )!;
  // Where the heads do not go round, more stages fill the nodes.
  return { pipelineParallelSize: nodes === 1 ? 1 : (nodes * count) / tensorParallelSize, tensorParallelSize };
}

/** Requests that are on the node already, in place of those of the pods that are counted by default; these stay as pods. */
function systemPods(cpuMillis: number | undefined, memory: number | undefined): SystemPodSpec[] | undefined {
  if (cpuMillis === undefined && memory === undefined) {
    return undefined;
  }
  const [first, ...others] = DEFAULT_SYSTEM_PODS.map((pod) => ({
    ...pod,
    ...(cpuMillis !== undefined && { cpuMillis: 0 }),
    ...(memory !== undefined && { memory: 0 }),
  }));
  return [
    { ...first!, ...(cpuMillis !== undefined && { cpuMillis }), ...(memory !== undefined && { memory }) },
    ...others,
  ];
}
