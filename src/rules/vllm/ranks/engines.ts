import { compareVersions } from '../../../common/versions';
import type {
  Container,
  EngineCommand,
  EngineContainer,
  EngineGroup,
  EngineSettings,
  ImageReference,
  Reading,
  RolePod,
} from '../../../manifest/index';
import { dig, get, listOf } from '../../../manifest/index';
import { holdsIn } from '../../../engine/releases';
import type { Severity } from '../../finding';
import type { Report, Rule, RuleInput } from '../../rule';
import { listed } from '../../words';

/** One engine of a deployment: the container, its pod, and the group that the pod is part of. */
export interface Engine {
  readonly group: EngineGroup;
  readonly pod: RolePod;
  readonly engine: EngineContainer;
}

/** An engine whose command line was read. */
export interface Rank extends Engine {
  readonly settings: EngineSettings;
  readonly command: EngineCommand;
}

/** Every container that runs vLLM, Ray nodes and unread commands included; a template for both roles gives two. */
export function enginesOf({ manifests }: RuleInput): readonly Engine[] {
  return membersOf(manifests).engines;
}

/** Every server of vLLM whose command line was read; not one of which it is not known whether it runs at all. */
export function ranksOf({ manifests }: RuleInput): readonly Rank[] {
  return membersOf(manifests).ranks;
}

/** Leader and worker of one engine; where a pod has several, those with the same name belong together. */
export function pairsOf({ manifests }: RuleInput): readonly Pair[] {
  return membersOf(manifests).pairs;
}

interface Pair {
  readonly leader: Rank;
  readonly worker: Rank;
}

interface Members {
  readonly engines: readonly Engine[];
  readonly ranks: readonly Rank[];
  readonly pairs: readonly Pair[];
}

/** Made once for a bundle, since many rules go over them. */
const members = new WeakMap<Reading, Members>();

function membersOf(manifests: Reading): Members {
  let known = members.get(manifests);
  if (known === undefined) {
    const { groups } = manifests;
    const engines = groups.flatMap((group) =>
      group.pods.flatMap((pod) => pod.engines.map((engine): Engine => ({ group, pod, engine }))),
    );
    known = {
      engines,
      ranks: engines.flatMap(({ group, pod, engine }) => rankOf(group, pod, engine) ?? []),
      pairs: groups.flatMap((group) => [...pairsOfGroup(group)]),
    };
    members.set(manifests, known);
  }
  return known;
}

function rankOf(group: EngineGroup, pod: RolePod, engine: EngineContainer): Rank | undefined {
  const { settings, command } = engine;
  return settings === undefined || command.maybe !== undefined ? undefined : { group, pod, engine, settings, command };
}

function* pairsOfGroup(group: EngineGroup): Iterable<Pair> {
  if (group.worker === undefined) {
    return;
  }
  const ranksIn = (pod: RolePod): Rank[] => pod.engines.flatMap((engine) => rankOf(group, pod, engine) ?? []);
  const [leaders, workers] = [ranksIn(group.leader), ranksIn(group.worker)];
  for (const [i, leader] of leaders.entries()) {
    const worker =
      leaders.length === 1 && workers.length === 1
        ? workers[i]
        : workers.find(({ engine }) => engine.name !== undefined && engine.name === leader.engine.name);
    if (worker !== undefined) {
      yield { leader, worker };
    }
  }
}

/** What the engine computes on, as far as image and resources say; `undefined` when they do not. */
export function platformOf({
  image,
  resources,
  environment,
  command,
}: EngineContainer): 'cpu' | 'gpu' | 'other' | undefined {
  const { backend } = image ?? {};
  if (backend !== undefined) {
    return backend === 'cuda' ? 'gpu' : backend;
  }
  if ([...resources.limits.keys()].some((name) => DEVICE.test(name))) {
    return 'gpu';
  }
  // Nobody gives a GPU the variables of the CPU build.
  const names = [...environment.variables.map(({ name }) => name), ...command.variables.keys()];
  return names.some((name) => name.startsWith('VLLM_CPU_')) ? 'cpu' : undefined;
}

const DEVICE = /^(nvidia\.com\/(gpu|mig-.+)|amd\.com\/gpu)$/;

/** GPUs that a container gets; `undefined` when it asks for none in a way that can be counted. */
export function devicesOf({ resources, raw }: Container): number | undefined {
  // Claims hand out devices that nobody can count from here.
  if (listOf(dig(raw, 'resources', 'claims')).length > 0) {
    return undefined;
  }
  const count = [...resources.limits]
    .filter(([name]) => DEVICE.test(name))
    .reduce((all, [, quantity]) => all + quantity.value, 0);
  return count > 0 && Number.isSafeInteger(count) ? count : undefined;
}

/** Whether ranks come about in a way that is not counted here: Ray places them, or each is started from outside. */
export function isPlacedElsewhere({ settings, command }: Rank): boolean {
  const executor = settings.executor.value;
  return (
    (executor === undefined ? settings.executor.isGiven : executor !== 'mp' && executor !== 'uni') ||
    settings.dataParallelBackend.value !== 'mp' ||
    command.isSet('--prefill-context-parallel-size') !== false
  );
}

/** Ranks that run in each pod; `undefined` when that is not known. */
export function localRanksOf(rank: Rank): number | undefined {
  const { settings } = rank;
  const { nnodes, worldSize, pipelineParallelSize, tensorParallelSize, dataParallelSize } = settings;
  const [pp, tp] = [pipelineParallelSize.value, tensorParallelSize.value];
  if (nnodes.value === undefined || pp === undefined || tp === undefined || isPlacedElsewhere(rank)) {
    return undefined;
  }
  if (nnodes.value > 1) {
    return worldSize === undefined || worldSize % nnodes.value !== 0 ? undefined : worldSize / nnodes.value;
  }
  const engines = localEnginesOf(settings, dataParallelSize.value);
  return engines === undefined ? undefined : engines * pp * tp;
}

/** Data-parallel engines of a pod. */
function localEnginesOf(
  { dataParallelSizeLocal, dataParallelRank, dataParallelStartRank, dataParallelExternalLb, headless }: EngineSettings,
  size: number | undefined,
): number | undefined {
  if (size === 1) {
    return 1;
  }
  if (dataParallelSizeLocal.isGiven) {
    return dataParallelSizeLocal.value;
  }
  if (dataParallelRank.isGiven || dataParallelExternalLb.value === true) {
    return 1;
  }
  return dataParallelStartRank.isGiven || headless.value !== false ? undefined : size;
}

/** Whether engines of the pods are copies of each other (data parallel) rather than parts of one. */
export function isDataParallel({ settings, command }: Rank): boolean {
  return (
    settings.dataParallelSize.value !== 1 ||
    settings.dataParallelHybridLb.value !== false ||
    settings.dataParallelExternalLb.value !== false ||
    settings.dataParallelRank.isGiven ||
    settings.dataParallelSizeLocal.isGiven ||
    command.isSet('--data-parallel-multi-port-external-lb') !== false
  );
}

/** Whether no HTTP server runs: without API servers it is headless as well. `undefined` when that is not known. */
export function isHeadless({ settings, command }: Rank): boolean | undefined {
  const isCounted = command.flag('--api-server-count') !== undefined;
  const count = command.number('--api-server-count');
  if (settings.headless.value === true || (count !== undefined && count < 1)) {
    return true;
  }
  return isCounted && count === undefined ? undefined : settings.headless.value;
}

/** Whether it is surely part of an engine over several pods by the `mp` executor. */
export function isMultiNode({ settings }: Rank): boolean {
  const { nnodes, executor } = settings;
  return (
    nnodes.value !== undefined &&
    nnodes.value > 1 &&
    (executor.value === undefined ? !executor.isGiven : executor.value === 'mp')
  );
}

/** Whether it is surely a rank above 0 of an engine over several pods. */
export function isFollower(rank: Rank): boolean {
  const { pod, settings } = rank;
  const { nodeRank } = settings;
  const isAbove = nodeRank.value === 'worker-index' || (nodeRank.value !== undefined && nodeRank.value > 0);
  return (
    isMultiNode(rank) && pod.role !== 'leader' && (isAbove || (pod.role === 'worker' && nodeRank.value === undefined))
  );
}

/** Whether leader and worker are told different sizes of the engine: what follows from that is not said twice. */
export function hasSizeDrift({ group }: Engine): boolean {
  return [...pairsOfGroup(group)].some(({ leader, worker }) =>
    (['nnodes', 'pipelineParallelSize', 'tensorParallelSize', 'dataParallelSize'] as const).some(
      (name) =>
        leader.settings[name].value !== undefined &&
        worker.settings[name].value !== undefined &&
        leader.settings[name].value !== worker.settings[name].value,
    ),
  );
}

/** Whether the number of nodes is not that of the pods, where each pod is a node. */
export function isWrongNodeCount(rank: Rank): boolean {
  const { group, pod, settings } = rank;
  const { size } = group;
  const nnodes = settings.nnodes.value;
  if (group.kind !== 'LeaderWorkerSet' || size === undefined || nnodes === undefined || nnodes === size) {
    return false;
  }
  if (nnodes === 1) {
    return !settings.nnodes.isGiven && isMeantForNodes(rank);
  }
  // Fewer nodes than pods are right where a script makes several engines of one group: it then reckons the ranks.
  const workers = pod.role === 'worker' ? [settings] : (group.worker?.engines ?? []).map((each) => each.settings);
  return nnodes > size || workers.some((worker) => worker?.nodeRank.value !== undefined);
}

/** Whether other flags for an engine over several pods are there, for which --nnodes was forgotten. */
function isMeantForNodes(rank: Rank): boolean {
  const { masterAddr, nodeRank, executor } = rank.settings;
  const isWanted = masterAddr.isGiven || nodeRank.isGiven;
  return (
    isWanted && !isDataParallel(rank) && (executor.value === undefined ? !executor.isGiven : executor.value === 'mp')
  );
}

/** Whether something holds in the release of an image; `undefined` when the image does not say which it is. */
export function holdsFor(
  span: { readonly since?: string; readonly until?: string },
  image: ImageReference | undefined,
): boolean | undefined {
  return image?.version === undefined ? undefined : holdsIn(span, image.version);
}

/** Less weight where the release is not known. */
export function weakened(isKnown: boolean): { severity?: Severity } {
  return isKnown ? {} : { severity: 'note' };
}

/** Whether an image is older than a release; `undefined` when it does not say. */
export function isOlder(image: ImageReference | undefined, release: string): boolean | undefined {
  return image?.version === undefined ? undefined : compareVersions(image.version, release) < 0;
}

/** A check that says once what it finds for both roles of a shared template. */
export function once(check: Rule['check']): Rule['check'] {
  return function* (input) {
    const said = new Map<Report['object'], Set<string>>();
    for (const report of check(input)) {
      const of = said.get(report.object) ?? new Set();
      said.set(report.object, of);
      const key = `${report.path} ${report.what}`;
      if (!of.has(key)) {
        of.add(key);
        yield report;
      }
    }
  };
}

/** A check that says once for an object what is wrong, and put right, in several of its places: at the first, with the others. */
export function oncePerObject(check: Rule['check']): Rule['check'] {
  return function* (input) {
    const found = new Map<Report['object'], Map<string, { report: Report; paths: Set<string> }>>();
    for (const report of check(input)) {
      const of = found.get(report.object) ?? new Map<string, { report: Report; paths: Set<string> }>();
      found.set(report.object, of);
      const key = JSON.stringify([report.what, report.fix]);
      const known = of.get(key) ?? { report, paths: new Set() };
      of.set(key, known);
      known.paths.add(report.path);
    }
    for (const { report, paths } of [...found.values()].flatMap((of) => [...of.values()])) {
      const [, ...others] = paths;
      yield others.length === 0 ? report : { ...report, what: `${report.what}; the same at ${listed(others)}` };
    }
  };
}

/** The image in a sentence. */
export function imageWords(image: ImageReference | undefined): string {
  return image?.version === undefined ? `the image ${image?.text ?? '(none)'}` : `vLLM ${image.version}`;
}

/** Everything that command and args of a container say, for what is looked for by word alone. */
export function wordsOf({ raw }: Container): string {
  return [...listOf(get(raw, 'command')), ...listOf(get(raw, 'args'))]
    .filter((word) => typeof word === 'string')
    .join(' ');
}

/** JSON path of a container's `env` where it has one, or of the container. */
export function environmentPathOf({ raw, path }: Container): string {
  return listOf(get(raw, 'env')).length > 0 ? `${path}.env` : path;
}
