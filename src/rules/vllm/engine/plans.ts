import { remembered } from '../../../common/memo';
import { KV_CACHE_DTYPES } from '../../../fit/defaults';
import { NEWEST_RELEASE } from '../../../engine/releases';
import type { PlanInput } from '../../../fit/plan-input';
import { type Settled, settle } from '../../../fit/settle';
import { GIBI, MEBI } from '../../../fit/units';
import type { NodeSpec } from '../../../hardware/node-spec';
import { customNode } from '../../../hardware/nodes';
import type { EngineContainer } from '../../../manifest';
import type { ModelShape } from '../../../model/shape';
import { cacheBytes, type EngineAt, isArm, isCpu, nodesOf, variableAt } from './engines';
import { modelOf } from './models';

/** What the planner makes of an engine on CPU. */
export interface EnginePlan {
  readonly model: ModelShape;
  readonly settled: Settled;
  /** Whether max-model-len is left to vLLM, which then takes what fits. */
  readonly isLengthOpen: boolean;
  /** Whether the weights are stored as the catalogue says, and not converted while they load. */
  readonly isAsStored: boolean;
}

const plans = new WeakMap<EngineContainer, { readonly plan: EnginePlan | undefined }>();

/** The planner's numbers for an engine on CPU; nothing when a number that they depend on is not known. */
export function planOf(at: EngineAt): EnginePlan | undefined {
  let known = plans.get(at.engine);
  if (known === undefined) {
    known = { plan: makePlan(at) };
    plans.set(at.engine, known);
  }
  return known.plan;
}

const DTYPES = {
  auto: 'bfloat16',
  bfloat16: 'bfloat16',
  float16: 'float16',
  half: 'float16',
  float32: 'float32',
  float: 'float32',
} as const;

function makePlan(at: EngineAt): EnginePlan | undefined {
  return planWith(at, { model: modelOf(at), release: at.engine.image?.version ?? NEWEST_RELEASE });
}

/** The planner's numbers for an engine on CPU, were it to run that model on that release of vLLM. */
export function planWith(
  at: EngineAt,
  { model, release }: { readonly model: ModelShape | undefined; readonly release: string },
): EnginePlan | undefined {
  const { settings, engine } = at;
  const { pipelineParallelSize: stages, tensorParallelSize: shares, dataParallelSize } = settings;
  const dtype = settings.dtype.value ?? '';
  const kvCacheDtype = settings.kvCacheDtype.value ?? '';
  const hybridOff = engine.command.isOn('--disable-hybrid-kv-cache-manager');
  const sizes = [settings.maxModelLen, settings.maxNumSeqs, settings.maxNumBatchedTokens, settings.blockSize];
  if (
    model === undefined ||
    !isCpu(at) ||
    dataParallelSize.value !== 1 ||
    !isWithin(stages.value, 1024) ||
    !isWithin(shares.value, 1024) ||
    !Object.hasOwn(DTYPES, dtype) ||
    !(KV_CACHE_DTYPES as readonly string[]).includes(kvCacheDtype) ||
    hybridOff === undefined ||
    sizes.some(({ value, why }) => why !== undefined || !(value === undefined || value === -1 || isWithin(value, 1e9)))
  ) {
    return undefined;
  }
  const layerPartition = partitionOf(at);
  if (layerPartition === 'unknown') {
    return undefined;
  }
  const isLengthOpen = settings.maxModelLen.value === -1;
  const maxModelLen = isLengthOpen ? model.contextLength : (settings.maxModelLen.value ?? model.contextLength);
  const ranks = stages.value * shares.value;
  const maxNumSeqs = settings.maxNumSeqs.value;
  // vLLM's own default, which is not the one that this library renders.
  const maxNumBatchedTokens =
    settings.maxNumBatchedTokens.value ??
    (stages.value > 1 ? Math.min(2048 * ranks, (maxNumSeqs ?? 128 * ranks) * maxModelLen) : undefined);
  const input: PlanInput = {
    model,
    node: nodeFor(at),
    vllm: { version: release, judgedAs: release },
    pipelineParallelSize: stages.value,
    tensorParallelSize: shares.value,
    dtype: DTYPES[dtype as keyof typeof DTYPES],
    kvCacheDtype,
    hybridKvCacheManager: !hybridOff,
    maxModelLen,
    kvCacheMemory: cacheBytes(at) ?? MEBI,
    memory: 1024 * GIBI,
    cpu: 8000,
    ...(layerPartition && { layerPartition }),
    ...(maxNumSeqs !== undefined && { maxNumSeqs }),
    ...(maxNumBatchedTokens !== undefined && { maxNumBatchedTokens }),
    ...(settings.blockSize.value !== undefined && { blockSize: settings.blockSize.value }),
  };
  return {
    model,
    settled: settledOf(input),
    isLengthOpen,
    isAsStored: !settings.quantization.isGiven && settings.quantization.why === undefined,
  };
}

/** The same group in a hundred namespaces is settled once. Models and nodes are those of the catalogues, known by name. */
function settledOf(input: PlanInput): Settled {
  const key = JSON.stringify({ ...input, model: input.model.name, node: [input.node.name, input.node.architecture] });
  let settled = settledInputs.get(key);
  if (settled === undefined) {
    settled = settle(input);
    if (settledInputs.size >= MOST_INPUTS) {
      settledInputs.clear();
    }
    settledInputs.set(key, settled);
  }
  return settled;
}

const settledInputs = new Map<string, Settled>();
const MOST_INPUTS = 100;

function isWithin(value: number | undefined, most: number): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 1 && value <= most;
}

function partitionOf(at: EngineAt): readonly number[] | undefined | 'unknown' {
  const given = variableAt(at, 'VLLM_PP_LAYER_PARTITION');
  if (given === undefined) {
    return undefined;
  }
  const { value } = given.text;
  return value !== undefined && /^\d{1,4}(,\d{1,4})*$/.test(value) ? value.split(',').map(Number) : 'unknown';
}

/** The node that the labels name, or one that decides about nothing: large, and with all instructions. */
function nodeFor(at: EngineAt): NodeSpec {
  const [node, ...others] = nodesOf(at.pod) ?? [];
  return node !== undefined && others.length === 0 && node.accelerator === undefined
    ? node
    : largeNode(isArm(at) ? 'arm64' : 'amd64');
}

const LARGE = { cpus: 64, memory: 2048 * GIBI };
const largeNode = remembered((architecture) =>
  architecture === 'arm64'
    ? customNode('node', { ...LARGE, architecture })
    : customNode('node', { ...LARGE, architecture: 'amd64', avx512: true, bf16: true }),
);
