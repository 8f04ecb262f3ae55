import { concurrencyText } from '../../fit/kv-cache';
import type { Explanation } from '../../fit/explanation';
import type { PlanInput } from '../../fit/plan-input';
import type {
  BatchedTokensChoice,
  Estimate,
  Plan,
  PlanFinding,
  PlannedNodes,
  PlannedRank,
  RankMemory,
  Room,
} from '../../fit/plan-types';
import { coresText, countText, GIBI, parametersText, sizeText } from '../../fit/units';
import { printable } from '../terminal';
import type { Suggestion } from './alternatives';
import { explanationLines } from './explanation';
import { bar, columns, commandLines, labelled, type Segment, wrap } from './layout';
import { settingsLines } from './settings-table';

/** What the table says beyond the plan. */
export interface TableOptions {
  /** Flags of vLLM that were given and change nothing here. */
  readonly ignored: readonly string[];
  readonly input: PlanInput;
  /** Whether the length of requests was left to the cache. */
  readonly longest: boolean;
  readonly nearest: readonly Suggestion[];
  readonly explanation: readonly Explanation[] | undefined;
  readonly colour: boolean;
}

/** The plan for a person, in 80 columns: what decides first, the rest below. */
export function table(plan: Plan, options: TableOptions): string {
  const answer = [verdict(plan), plan.fits ? [] : nearestLines(options.nearest), head(plan, options.input)];
  // A split that is impossible has no ranks, and nothing that could be said of their speed and start.
  const numbers = [
    memory(plan),
    kvCache(plan, options.longest),
    speed(plan),
    findings('Worth knowing', plan.warnings),
    batchedTokens(plan),
    pipelineBatches(plan),
    wire(plan),
    start(plan),
    settingsLines(plan, options.input, options.longest),
    basis(plan),
    options.ignored.length === 0 ? [] : ['Not needed for a plan', ...wrap([...new Set(options.ignored)].join(', '))],
    options.explanation === undefined ? [] : explanationLines(options.explanation),
  ];
  const sections = plan.ranks.length === 0 ? answer : [...answer, ...numbers];
  const text = sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map(printable).join('\n'))
    .join('\n\n');
  return `${options.colour ? coloured(text) : text}\n`;
}

/** The verdict, titles and labels stand out: of all lines these alone begin at the left. */
function coloured(text: string): string {
  const bold = (words: string): string => `\u001b[1m${words}\u001b[0m`;
  return text
    .replace(/^(fits|does not fit)/, (words) => `\u001b[1;${words === 'fits' ? 32 : 31}m${words}\u001b[0m`)
    .replace(/^(?:Model|Nodes|Split)(?= {3})|^(?!Model {3}|Nodes {3}|Split {3})[A-Z].*$/gm, bold);
}

function verdict({ fits, problems, model, nodes, vllm }: Plan): string[] {
  const unknown =
    fits && vllm.kvCacheFormula === 'withheld'
      ? `, as far as memory goes: the cache of vLLM ${vllm.version} is not known`
      : '';
  const what = `${fits ? 'fits' : 'does not fit'}: ${model.name} on ${nodes.count} x ${nodes.name}, vLLM ${vllm.version}${unknown}`;
  return [...wrap(what, 0, 2), ...problems.flatMap((problem) => ['', ...finding(problem)])];
}

function findings(title: string, list: readonly PlanFinding[]): string[] {
  return list.length === 0 ? [] : [title, ...list.flatMap(finding)];
}

function finding({ id, what, why, fix }: PlanFinding): string[] {
  return [...wrap(`- ${what} (${id})`, 2, 4), ...wrap(`why: ${why}`, 4, 9), ...wrap(`fix: ${fix}`, 4, 9)];
}

function nearestLines(nearest: readonly Suggestion[]): string[] {
  return nearest.length === 0
    ? ['Nearest that fit', '  none was found; mend what is said above first']
    : [
        'Nearest that fit',
        ...nearest.flatMap(({ change, command }) => [
          ...wrap(`- ${change}`, 2, 4),
          ...(command === undefined ? [] : commandLines(command)),
        ]),
      ];
}

function head({ model, nodes, parallelism }: Plan, { node }: PlanInput): string[] {
  const kinds = Object.entries(model.layerKinds).map(([kind, count]) =>
    kind === 'sliding' || kind === 'chunked'
      ? `${count} ${kind} over ${countText(model.slidingWindow ?? 0)} tokens`
      : `${count} ${kind}`,
  );
  const facts = [
    model.architecture,
    `${model.layers} layers${kinds.length > 1 ? ` (${kinds.join(', ')})` : ''}`,
    `${parametersText(model.parameters)} parameters${model.parametersVerified ? '' : ' (unverified)'}`,
    `${model.weightFormat}, ${sizeText(model.weightsBytes)} of files`,
    ...(model.multimodal ? ['reads images or sound'] : []),
    ...(model.gated ? ['gated'] : []),
  ];
  const { pipelineParallelSize: pp, tensorParallelSize: tp, why } = parallelism;
  const split = `-pp ${pp}${tp > 1 ? ` -tp ${tp}` : ''}`;
  return [
    ...labelled('Model', facts.join(', ')),
    ...labelled('Nodes', nodeFacts(nodes, node.accelerator?.name)),
    ...labelled('Split', [split, ...why].join('; ')),
  ];
}

function nodeFacts(nodes: PlannedNodes, gpu: string | undefined): string {
  const { allocatable, free, gpus, gpuMemoryBytes } = nodes;
  const room = ({ cpuMillis, memoryBytes }: Room): string => `${coresText(cpuMillis)} CPU and ${sizeText(memoryBytes)}`;
  const facts = [
    `${nodes.processor}${gpus === 0 && !nodes.bf16 ? ' (no bf16)' : ''}`,
    `${nodes.cpus} vCPU`,
    sizeText(nodes.memoryBytes),
    ...(gpus > 0 ? [`${gpus} x ${gpu} of ${sizeText(gpuMemoryBytes ?? 0)}`] : []),
  ];
  return (
    `${nodes.count} x ${nodes.name}: ${facts.join(', ')}; pods can have ${room(allocatable)}, ` +
    `of which those of the system leave ${room(free)}`
  );
}

interface Part {
  readonly part: keyof RankMemory;
  readonly mark: string;
  readonly name: string;
  /** Title of its column. */
  readonly column: string;
}

const PARTS: readonly Part[] = [
  { part: 'runtime', mark: 'R', name: 'runtime', column: 'runtime' },
  { part: 'layers', mark: 'L', name: 'layers', column: 'weights' },
  { part: 'embeddings', mark: 'E', name: 'embedding and head', column: 'embed' },
  { part: 'towers', mark: 'T', name: 'towers', column: 'towers' },
  { part: 'kvCache', mark: 'K', name: 'KV cache', column: 'cache' },
  { part: 'sampler', mark: 'S', name: "sampler's warm-up", column: 'sampler' },
  { part: 'slack', mark: 'x', name: 'slack', column: 'slack' },
];
const BAR_WIDTH = 44;

/** Ranks that follow each other and are filled alike. */
interface AlikeRanks {
  readonly first: PlannedRank;
  readonly last: PlannedRank;
}

function alike(ranks: readonly PlannedRank[]): AlikeRanks[] {
  const key = ({ memory, layers }: PlannedRank): string => JSON.stringify([memory, layers]);
  const found: AlikeRanks[] = [];
  for (const rank of ranks) {
    const before = found.at(-1);
    if (before !== undefined && key(before.first) === key(rank)) {
      found[found.length - 1] = { first: before.first, last: rank };
    } else {
      found.push({ first: rank, last: rank });
    }
  }
  return found;
}

const MAX_ROWS = 12;

function memory({ ranks, nodes, settings }: Plan): string[] {
  const all = alike(ranks);
  if (all.length === 0) {
    return [];
  }
  const shown = all.slice(0, MAX_ROWS);
  const label = ({ first, last }: AlikeRanks): string =>
    first === last ? `rank ${first.rank}` : `ranks ${first.rank}-${last.rank}`;
  const width = Math.max(...shown.map((group) => label(group).length)) + 2;
  const parts = PARTS.filter(({ part }) => shown.some(({ first }) => first.memory[part] >= 0.005 * GIBI));
  const bars = shown.map((group) => {
    const { peak, limit } = group.first.memory;
    const segments = parts.map(({ part, mark }): Segment => ({ mark, amount: group.first.memory[part] }));
    const over = peak > limit;
    // Where it is too much, the bar goes as far as the need, and a line stands where the limit is.
    const text = bar(segments, Math.max(peak, limit), BAR_WIDTH);
    const at = Math.min(BAR_WIDTH - 1, Math.round((limit / peak) * BAR_WIDTH));
    const marked = over ? `${text.slice(0, at)}|${text.slice(at + 1)}` : text;
    return `  ${label(group).padEnd(width)}${marked}  ${gib(peak)} of ${gib(limit)} GiB`;
  });
  const isOver = shown.some(({ first }) => first.memory.peak > first.memory.limit);
  const free = bars.some((line) => line.includes('..'));
  const legend = [
    ...parts.map(({ mark, name }) => `${mark} ${name}`),
    ...(free ? ['. free'] : []),
    ...(isOver ? ['| limit'] : []),
  ].join(', ');
  const pageCache = Math.max(...ranks.map((rank) => rank.memory.pageCache));
  const numbers = [
    ['GiB', 'layers', ...parts.map(({ column }) => column)],
    ...shown.map((group) => [
      label(group),
      group.first.stage === group.last.stage
        ? `${group.first.firstLayer}-${group.first.lastLayer}`
        : `${group.first.layers} each`,
      ...parts.map(({ part }) => gib(group.first.memory[part])),
    ]),
  ];
  return [
    nodes.gpus > 0 ? "Memory of a rank's GPU at its highest point" : "Memory of a rank's pod at its highest point",
    ...bars,
    ...wrap(legend),
    ...columns(numbers, [0]),
    ...(all.length > shown.length ? [`  and ${all.length - shown.length} more kinds of ranks (-o json has all)`] : []),
    ...(pageCache > 0 && !isOver
      ? wrap(
          `Beside it the kernel keeps up to ${sizeText(Math.min(pageCache, settings.memoryBytes))} of weight files as page ` +
            'cache while there is room; it counts to the pod and gives way.',
        )
      : []),
  ];
}

function kvCache({ kvCache: cache, settings }: Plan, longest: boolean): string[] {
  if (cache === null) {
    return [];
  }
  const { maxModelLen, kvCacheMemoryBytes, blockSize } = settings;
  return [
    `KV cache of a rank: ${sizeText(kvCacheMemoryBytes)}`,
    ...wrap(
      `${countText(cache.tokens)} tokens: ${concurrencyText(cache.concurrency)} requests of ${countText(maxModelLen)} tokens ` +
        `at once${longest ? ' (auto: the longest that it serves)' : ''}; ${countText(cache.blocks)} blocks of ${blockSize} tokens in ` +
        `${cache.groups} ${cache.groups === 1 ? 'group' : 'groups'}, ${countText(cache.blocksPerRequest)} a request`,
      2,
    ),
    ...wrap(
      `at least ${exactSize(cache.minimumBytes)} for this length` +
        (cache.largestBytes < cache.minimumBytes
          ? `, and the limit leaves ${cache.largestBytes === 0 ? 'no room for any' : sizeText(cache.largestBytes)}`
          : `, at most ${sizeText(cache.largestBytes)} within the limit; ` +
            `longest request that it serves: ${countText(cache.longestModelLen)} tokens`),
      2,
    ),
  ];
}

function speed({ speed: { decodeTokensPerSecond, prefillTokensPerSecond, basis: from } }: Plan): string[] {
  return [
    'Speed for one user',
    ...wrap(
      `about ${rate(decodeTokensPerSecond)} tokens/s; reads a prompt at about ${rate(prefillTokensPerSecond)} tokens/s (${from})`,
      2,
    ),
  ];
}

function rate({ low, estimate, high }: Estimate): string {
  return `${short(estimate)} (${short(low)} to ${short(high)})`;
}

const MARKS: Readonly<Record<BatchedTokensChoice['marks'][number], string>> = {
  planned: 'planned',
  given: 'given',
  'vllm-default': 'default',
};

function batchedTokens({ batchedTokens: choices, longPromptTokens, nodes, settings }: Plan): string[] {
  const cache = choices.some(({ concurrency }) => concurrency !== null);
  return [
    'Batched tokens: what their number does',
    ...columns(
      [
        ['', 'tokens', 'freeze', 'first token', ...(cache ? ['requests'] : []), 'peak GiB', 'start', ''],
        ...choices.map((choice) => [
          choice.maxNumBatchedTokens === settings.maxNumBatchedTokens ? '*' : '',
          countText(choice.maxNumBatchedTokens),
          seconds(choice.freezeSeconds),
          seconds(choice.firstTokenSeconds),
          ...(cache ? [choice.concurrency === null ? '-' : concurrencyText(choice.concurrency)] : []),
          gib(choice.peakBytes),
          `${countText(Math.round(choice.startupCpuSeconds))} s`,
          choice.marks.map((mark) => MARKS[mark]).join(' = '),
        ]),
      ],
      [0, cache ? 7 : 6],
      0,
    ),
    ...wrap(
      `freeze: how long all other answers pause while a prompt of ${countText(longPromptTokens)} tokens is read, a step at a time; ` +
        `first token: of that prompt${cache ? '; requests: of full length at once' : ''}; start: ${nodes.gpus > 0 ? '' : 'CPU '}seconds of the slowest rank; default: of vLLM`,
    ),
  ];
}

function pipelineBatches({ pipelineBatches: batches, settings }: Plan): string[] {
  if (batches.length === 0) {
    return [];
  }
  return [
    'Pipeline batches: tokens/s of all users together',
    ...columns(
      [
        ['users', 'one batch', 'two batches', 'better'],
        ...batches.map(({ users, oneBatchTokensPerSecond, twoBatchTokensPerSecond, better }) => [
          String(users),
          rate(oneBatchTokensPerSecond),
          rate(twoBatchTokensPerSecond),
          better,
        ]),
      ],
      [3],
    ),
    ...wrap(
      `Curves measured on two stages, scaled by the speed of one stream. Requests that run sit in one batch or in two, from when they arrive until they end. Prompts that arrive together and ` +
        `exceed ${countText(settings.maxNumBatchedTokens)} tokens make two for certain; else a race of milliseconds decides. ` +
        `Which it is, while no prompt is read: tokens a step, vllm:num_requests_running of them in one batch, half as many in two:`,
    ),
    '    rate(vllm:iteration_tokens_total_sum[1m])',
    '      / rate(vllm:iteration_tokens_total_count[1m])',
  ];
}

function wire({ wire: between }: Plan): string[] {
  if (between === null) {
    return [];
  }
  const { bytesPerPromptToken, bytesPerGeneratedToken, forwardPerGeneratedToken, backwardPerGeneratedToken } = between;
  return [
    'Bytes between two stages',
    ...wrap(
      `${countText(bytesPerPromptToken)} for each prompt token that no cache has; ${countText(bytesPerGeneratedToken)} for each ` +
        `generated one (${countText(forwardPerGeneratedToken)} forth, ${countText(backwardPerGeneratedToken)} back); ` +
        `${countText(between.backwardPerRequest)} back for each request`,
    ),
  ];
}

function start({ startup, settings, disk, surge }: Plan): string[] {
  return [
    'Start, disk and rollout',
    ...wrap(
      `${sizeText(startup.downloadBytes)} to download in ${seconds(startup.downloadSeconds)}, then ` +
        `${seconds(startup.loadSeconds)} to ready; ${minutes(settings.startupBudgetSeconds)} before a start counts as failed. A step ` +
        `may take ${countText(settings.stepTimeoutSeconds)} s, requests may stall for ${countText(settings.stallTimeoutSeconds)} s.`,
    ),
    ...wrap(
      `Root volume of ${sizeText(disk.rootVolumeBytes)}: image up to ${sizeText(disk.imageBytes)}, weights ` +
        `${sizeText(disk.weightsBytes)}, ${sizeText(settings.ephemeralStorageBytes)} for the pod.`,
    ),
    ...wrap(
      `A rollout with one group more takes ${surge.nodesDuringRollout} nodes in place of ${surge.nodes}; without them its pods ` +
        `stay Pending: "${surge.pendingReason}"`,
    ),
  ];
}

function basis({ basis: of, extrapolatedFrom, model }: Plan): string[] {
  return [
    ...(of === 'measured'
      ? ['Memory and cache of such ranks were measured.']
      : ['Extrapolated', ...extrapolatedFrom.flatMap((from) => wrap(`- ${from}`, 2, 4))]),
    ...(model.notes.length === 0
      ? []
      : ['Not certain of the model', ...model.notes.flatMap((note) => wrap(`- ${note}`, 2, 4))]),
  ];
}

function gib(bytes: number): string {
  const value = bytes / GIBI;
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** A size, with its bytes where they decide whether vLLM starts. */
function exactSize(bytes: number): string {
  return `${sizeText(bytes)} (${countText(bytes)} bytes)`;
}

/** Two digits of an estimate, and no more than it knows. */
function short(value: number): string {
  if (value >= 100) {
    return countText(Number(value.toPrecision(2)));
  }
  return value >= 10 ? value.toFixed(0) : value.toPrecision(2);
}

function seconds(value: number): string {
  if (value < 0.1) {
    return `${(value * 1000).toPrecision(2)} ms`;
  }
  return value >= 120 ? minutes(value) : value >= 10 ? `${value.toFixed(0)} s` : `${value.toPrecision(2)} s`;
}

function minutes(value: number): string {
  const whole = Math.round(value / 60);
  return whole >= 120 ? `${(value / 3600).toFixed(1)} h` : `${whole} min`;
}
