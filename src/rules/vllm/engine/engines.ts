import { type Gate, type GateId, GATES } from '../../../engine/gates';
import { GIBI } from '../../../common/numbers';
import { holdsIn } from '../../../engine/releases';
import { instanceTypes, nodeOf } from '../../../hardware/nodes';
import type { NodeSpec } from '../../../hardware/node-spec';
import {
  dig,
  type EngineContainer,
  type EngineGroup,
  type EngineSettings,
  get,
  listOf,
  type Reading,
  type RolePod,
  type Text,
  textOf,
} from '../../../manifest';
import type { Report, Rule } from '../../rule';

/** One server of vLLM, with the pod and the object that it stands in. */
export interface EngineAt {
  readonly group: EngineGroup;
  readonly pod: RolePod;
  readonly engine: EngineContainer;
  readonly settings: EngineSettings;
}

/** What a rule finds about one engine; the object is added here. */
export type EngineReport = Omit<Report, 'object'>;

/**
 * A check that looks at each server by itself. One of which it is not known whether it runs at all is passed by, and what
 * holds for both roles of a shared template is said once.
 */
export function eachEngine(find: (at: EngineAt) => Iterable<EngineReport>): Rule['check'] {
  return function* ({ manifests }) {
    let group: EngineGroup | undefined;
    let said = new Set<string>();
    for (const at of enginesIn(manifests)) {
      for (const report of find(at)) {
        if (group !== at.group) {
          group = at.group;
          said = new Set();
        }
        const key = `${report.path} ${report.what}`;
        if (!said.has(key)) {
          said.add(key);
          yield { object: group.object, ...report };
        }
      }
    }
  };
}

/** Made once for a bundle, since many rules go over them. */
const known = new WeakMap<Reading, readonly EngineAt[]>();

function enginesIn(manifests: Reading): readonly EngineAt[] {
  let engines = known.get(manifests);
  if (engines === undefined) {
    engines = manifests.groups.flatMap((group) =>
      group.pods.flatMap((pod) =>
        pod.engines.flatMap((engine): EngineAt[] => {
          const { settings } = engine;
          return settings === undefined || engine.command.maybe !== undefined ? [] : [{ group, pod, engine, settings }];
        }),
      ),
    );
    known.set(manifests, engines);
  }
  return engines;
}

/** Names of resources that are devices to compute on. */
const DEVICE = /\/(gpu|mig-|tpu|gaudi|neuron|npu|xpu)|^(nvidia|amd|habana)\.[a-z]+\/|^gpu\./;

/**
 * What an engine computes on: by its image, else by what it asks for. Nobody gives a GPU the variables of the CPU build,
 * so they tell as well.
 */
export function backendOf({ engine }: Pick<EngineAt, 'engine'>): 'cpu' | 'cuda' | 'other' | 'gpu' | undefined {
  if (engine.image?.backend !== undefined) {
    return engine.image.backend;
  }
  const { limits, requests } = engine.resources;
  if ([...limits.keys(), ...requests.keys()].some((name) => DEVICE.test(name))) {
    return 'gpu';
  }
  const names = [...engine.environment.variables.map(({ name }) => name), ...engine.command.variables.keys()];
  return names.some((name) => name.startsWith('VLLM_CPU_')) ? 'cpu' : undefined;
}

export function isCpu(at: Pick<EngineAt, 'engine'>): boolean {
  return backendOf(at) === 'cpu';
}

/** Whether a gate holds for the release in the image; `undefined` when it depends on a release that the image does not tell. */
export function holds(gate: GateId, { engine }: Pick<EngineAt, 'engine'>): boolean | undefined {
  const { since, until } = GATES[gate] as Gate;
  const version = engine.image?.version;
  if (version === undefined) {
    return since === undefined && until === undefined ? true : undefined;
  }
  return holdsIn({ since, until }, version);
}

/** The image as people name it: `vLLM 0.31.0`, or the reference where it names no release. */
export function releaseWords({ engine }: Pick<EngineAt, 'engine'>): string {
  const { image } = engine;
  return image?.version === undefined ? `image ${image?.text ?? 'unknown'}` : `vLLM ${image.version}`;
}

/** A number of ranks that vLLM would take, and that can be counted with. */
function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 1 && value <= 4096;
}

/** Ranks in one pod; `undefined` where the flags do not tell. */
export function localRanks({ settings }: Pick<EngineAt, 'settings'>): number | undefined {
  const { pipelineParallelSize, tensorParallelSize, dataParallelSize, nnodes } = settings;
  const sizes = [pipelineParallelSize.value, tensorParallelSize.value, nnodes.value];
  if (dataParallelSize.value !== 1 || !sizes.every(isCount)) {
    return undefined;
  }
  const [stages, shares, nodes] = sizes as [number, number, number];
  const local = (stages * shares) / nodes;
  return Number.isSafeInteger(local) && local >= 1 ? local : undefined;
}

/** Values that a node must have under one of some labels, by nodeSelector and by required affinity. */
function requiredValues(pod: RolePod, labels: readonly string[]): readonly string[] | undefined {
  for (const label of labels) {
    const selected = pod.nodeSelector.get(label);
    if (selected !== undefined) {
      return [selected];
    }
  }
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const terms = listOf(dig(pod.raw, 'affinity', 'nodeAffinity', required, 'nodeSelectorTerms'));
  const values = terms.map((term) =>
    listOf(get(term, 'matchExpressions'))
      .filter((one) => get(one, 'operator') === 'In' && labels.includes(textOf(get(one, 'key')) ?? ''))
      .flatMap((one) => listOf(get(one, 'values')).flatMap((value) => textOf(value) ?? [])),
  );
  // Any of the terms suffices, so each has to name the label.
  return values.length > 0 && values.every((some) => some.length > 0) ? values.flat() : undefined;
}

/** Instance types that a pod may run on, where all that it names are known. */
export function nodesOf(pod: RolePod): readonly NodeSpec[] | undefined {
  const names = requiredValues(pod, ['node.kubernetes.io/instance-type', 'beta.kubernetes.io/instance-type']);
  try {
    return names?.map(nodeOf);
  } catch {
    return undefined;
  }
}

/** Instruction sets that the nodes of a pod may have, by their labels. */
export function nodeArchitectures(pod: RolePod): readonly string[] | undefined {
  return (
    requiredValues(pod, ['kubernetes.io/arch', 'beta.kubernetes.io/arch']) ??
    nodesOf(pod)?.map(({ architecture }) => architecture) ??
    familiesOf(pod)
  );
}

/** Instruction sets of the instance families that a pod may run on, where all that it names are known. */
function familiesOf(pod: RolePod): readonly string[] | undefined {
  const families = requiredValues(pod, ['karpenter.k8s.aws/instance-family', 'eks.amazonaws.com/instance-family']);
  const found = families?.map((family) => instanceTypes().find((type) => type.startsWith(`${family}.`)));
  return found?.every((type) => type !== undefined) ? found.map((type) => nodeOf(type).architecture) : undefined;
}

/** Whether an engine runs on arm64 for certain. */
export function isArm({ engine, pod }: EngineAt): boolean {
  const { architecture } = engine.image ?? {};
  const nodes = nodeArchitectures(pod);
  return architecture === undefined
    ? nodes !== undefined && nodes.every((each) => each === 'arm64')
    : architecture === 'arm64';
}

/** The size of the KV cache on CPU, in whole GiB. */
export const CACHE_VARIABLE = 'VLLM_CPU_KVCACHE_SPACE';

/** What an engine finds under a name; nothing where surely nothing defines it. One that may be there has no value. */
export function variableAt(
  { engine }: Pick<EngineAt, 'engine'>,
  name: string,
): { readonly text: Text; readonly path: string } | undefined {
  const own = engine.variable(name);
  const text = own === undefined ? engine.environment.lookUp(name) : undefined;
  return own ?? (text && { text, path: `${engine.path}.envFrom` });
}

/** A variable's value, where it is known. */
export function variableOf(at: Pick<EngineAt, 'engine'>, name: string): string | undefined {
  return variableAt(at, name)?.text.value;
}

/** A whole number as Python's int() takes it. */
export function pythonInteger(text: string): number | undefined {
  return /^\s*[+-]?\d+(_\d+)*\s*$/.test(text) ? Number(text.replaceAll('_', '')) : undefined;
}

/** The KV cache of a rank in bytes, where the manifest gives it; the variable beats the flag on CPU. */
export function cacheBytes(at: EngineAt): number | undefined {
  const variable = variableAt(at, CACHE_VARIABLE);
  if (variable !== undefined && variable.text.value !== '') {
    const gibibytes = pythonInteger(variable.text.value ?? '');
    return gibibytes !== undefined && gibibytes > 0 ? gibibytes * GIBI : undefined;
  }
  const bytes = at.settings.kvCacheBytes.value;
  return bytes !== undefined && bytes > 0 ? bytes : undefined;
}

/**
 * Whether every flag of an engine is seen, so that one that is not there is left at its default. Several flags in one word
 * are there for whoever wrote them.
 */
export function isReadWhole({ engine: { command } }: Pick<EngineAt, 'engine'>): boolean {
  const words = [
    ...command.strays.map(({ text }) => text.toString()),
    ...command.unknownFlags.map((use) => use.spelling),
  ];
  return command.isComplete && !words.some((word) => /\s/.test(word.trim()));
}

/** The memory limit of the engine's container. */
export function memoryLimit({ engine }: Pick<EngineAt, 'engine'>): number | undefined {
  return engine.resources.limits.get('memory')?.value;
}
