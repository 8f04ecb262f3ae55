import { serveFlags } from '../../../engine/flags';
import { DEFAULT_MASTER_PORT } from '../../../engine/server';
import { type EngineCommand, type FlagUse, jsonOf, numberOf, Text } from '../../../manifest/index';
import { type Rank, platformOf } from './engines';

/** Flags that are for one rank, or that each node has by right of its own. */
const OF_EACH_NODE = new Set([
  ...['--node-rank', '--headless', '--master-addr', '--config', '--help', '--hf-token', '--model', '--download-dir'],
  ...['--data-parallel-rank', '--data-parallel-start-rank', '--data-parallel-size-local', '--data-parallel-address'],
  ...['--data-parallel-hybrid-lb', '--data-parallel-external-lb', '--data-parallel-multi-port-external-lb'],
  ...['--device-ids', '--numa-bind', '--numa-bind-nodes', '--numa-bind-cpus', '--shutdown-timeout', '--grpc'],
  ...['--load-format', '--model-loader-extra-config', '--safetensors-load-strategy', '--use-tqdm-on-load'],
  ...['--safetensors-prefetch-block-size', '--safetensors-prefetch-num-threads', '--pt-load-map-location'],
  ...['--max-parallel-loading-workers', '--ignore-patterns', '--log-level', '--logging-config', '--jit-monitor-mode'],
  ...['--jit-monitor-verbose', '--fail-on-environ-validation', '--ray-workers-use-nsight', '--profiler-config'],
  ...['--distributed-timeout-seconds', '--cpu-distributed-timeout-seconds', '--renderer-num-workers'],
]);

/** Flags that the server or the scheduler reads, which the leader alone has. */
const OF_THE_LEADER = new Set([
  ...['--served-model-name', '--reasoning-parser', '--reasoning-parser-plugin', '--reasoning-config'],
  ...['--tool-parser-plugin', '--generation-config', '--override-generation-config', '--max-logprobs'],
  ...['--allowed-local-media-path', '--allowed-media-domains', '--media-io-kwargs', '--interleave-mm-strings'],
  ...['--mm-processor-cache-gb', '--mm-processor-cache-type', '--mm-shm-cache-max-object-size-mb'],
  ...['--scheduling-policy', '--scheduler-cls', '--scheduler-reserve-full-isl', '--stream-interval'],
  ...['--otlp-traces-endpoint', '--collect-detailed-traces', '--kv-cache-metrics', '--kv-cache-metrics-sample'],
  ...['--show-hidden-metrics-for-version', '--enable-logging-iteration-details', '--custom-histogram-buckets'],
  ...['--long-prefill-token-threshold', '--long-prefill-token-threshold-adaptive', '--max-num-partial-prefills'],
  ...['--max-long-partial-prefills', '--prefix-caching-hash-algo', '--enable-mfu-metrics', '--cudagraph-metrics'],
  ...['--max-num-queued-reqs', '--max-num-queued-tokens', '--watermark', '--watermark-config', '--kv-events-config'],
  ...[
    '--disable-chunked-mm-input',
    '--aggregate-engine-logging',
    '--io-processor-plugin',
    '--structured-outputs-config',
  ],
]);

/** Flags that may differ, as a run with two sizes showed: the smallest rank counts for all. */
export const SMALLEST_COUNTS = new Set(['--gpu-memory-utilization', '--kv-cache-memory-bytes']);

/** What vLLM takes by itself. Source: vllm/engine/arg_utils.py and vllm/config of 0.28.0 to 0.32.0. */
const DEFAULTS: Readonly<Record<string, string>> = {
  '--pipeline-parallel-size': '1',
  '--tensor-parallel-size': '1',
  '--data-parallel-size': '1',
  '--prefill-context-parallel-size': '1',
  '--decode-context-parallel-size': '1',
  '--nnodes': '1',
  '--master-port': String(DEFAULT_MASTER_PORT),
  '--data-parallel-rpc-port': '29550',
  '--data-parallel-backend': 'mp',
  // Ranks on several nodes meet by nothing else.
  '--distributed-executor-backend': 'mp',
  '--dtype': 'auto',
  '--kv-cache-dtype': 'auto',
  '--tokenizer-mode': 'auto',
  '--config-format': 'auto',
  '--model-impl': 'auto',
  '--runner': 'auto',
  '--convert': 'auto',
  '--lora-dtype': 'auto',
  '--max-lora-rank': '16',
  '--max-loras': '1',
  '--optimization-level': '2',
  '--all2all-backend': 'allgather_reducescatter',
  '--cpu-offload-gb': '0',
};

/** Flags whose default depends on the machine, on the model or on the release: one alone says nothing. */
const OPEN_DEFAULTS = new Set(['--block-size', '--seed', '--tokenizer', '--max-logprobs', '--mm-encoder-tp-mode']);

/** Switches that are on when nothing turns them off. */
const ON_BY_DEFAULT = new Set(['--enable-prefix-caching', '--enable-chunked-prefill', '--async-scheduling']);

/** A flag in which two ranks differ. */
export interface Drift {
  readonly name: string;
  readonly leader: string;
  readonly worker: string;
  /** Where the worker says it; where it would. */
  readonly path: string;
}

/** The flags that shape the engine and are surely not the same for leader and worker. */
export function* driftsOf(leader: Rank, worker: Rank): Iterable<Drift> {
  if (looksUnsplit(leader.command) || looksUnsplit(worker.command)) {
    return;
  }
  const [ofLeader, ofWorker] = [usesByName(leader.command), usesByName(worker.command)];
  const names = new Set([...ofLeader.keys(), ...ofWorker.keys()]);
  const isEager = [leader, worker].every(({ settings }) => settings.compilationMode.value === 0);
  for (const name of names) {
    const isFree = OF_EACH_NODE.has(name) || OF_THE_LEADER.has(name) || serveFlags().get(name)?.serverOnly === true;
    // Mode 0 has several names.
    const isSameMode = isEager && ['--enforce-eager', '--compilation-config', '--optimization-level'].includes(name);
    if (isFree || isSameMode) {
      continue;
    }
    const ours = valueOf(leader.command, name, ofLeader.get(name));
    const theirs = valueOf(worker.command, name, ofWorker.get(name));
    if (isSame(name, ours, theirs, leader) === false) {
      yield { name, leader: ours.words, worker: theirs.words, path: theirs.path ?? worker.command.path };
    }
  }
}

interface Value {
  readonly kind: 'absent' | 'unknown' | 'switch' | 'json' | 'text';
  readonly words: string;
  readonly path?: string;
  readonly texts?: readonly Text[];
  readonly json?: string;
}

/** Several flags in one word: the parser sees one, and nothing of the others can be compared. */
function looksUnsplit({ flags, unknownFlags, strays, model }: EngineCommand): boolean {
  const isMany = (value: string | undefined): boolean => value !== undefined && /\s--?[A-Za-z]/.test(value);
  return (
    flags.some(({ value, name }) => isMany(value) && !/-(args|template|config|kwargs)$/.test(name)) ||
    [...strays, ...(model ? [model] : [])].some(({ text }) => text.start.startsWith('-')) ||
    unknownFlags.some(({ spelling, value }) => /\s/.test(spelling) || isMany(value))
  );
}

/** A reference that nothing fills: what it should have been is not known. */
export function isUnfilled(text: Text): boolean {
  return text.pieces.some((piece) => typeof piece === 'string' && /[$`]/.test(piece));
}

/** Uses of each flag, those of the keys of its JSON included. */
function usesByName({ flags }: EngineCommand): ReadonlyMap<string, readonly FlagUse[]> {
  const uses = new Map<string, FlagUse[]>();
  for (const use of flags) {
    const name = use.name.split('.', 1)[0]!;
    const known = uses.get(name);
    if (known) {
      known.push(use);
    } else {
      uses.set(name, [use]);
    }
  }
  return uses;
}

function valueOf(command: EngineCommand, name: string, uses: readonly FlagUse[] = []): Value {
  const last = uses.at(-1);
  if (last === undefined) {
    const kind = command.isComplete ? 'absent' : 'unknown';
    return { kind, words: 'not given' };
  }
  const { path } = last;
  const isJson = uses.some((use) => use.name !== name || use.value?.trimStart().startsWith('{') === true);
  if (isJson) {
    const json = canonical(jsonOf(uses, name)?.value);
    return json === undefined ? { kind: 'unknown', words: '', path } : { kind: 'json', words: json, json, path };
  }
  if (last.problem !== undefined || last.words.some(({ maySplit }) => maySplit !== undefined)) {
    return { kind: 'unknown', words: '', path };
  }
  if (last.words.length === 0) {
    return { kind: 'switch', words: last.value === 'true' ? 'on' : 'off', path, texts: [last.text] };
  }
  const texts = last.words.map(({ text }) => text);
  if (texts.some(isUnfilled)) {
    return { kind: 'unknown', words: '', path };
  }
  return { kind: 'text', words: texts.join(' '), path, texts };
}

function isSame(name: string, ours: Value, theirs: Value, rank: Rank): boolean | undefined {
  if (ours.kind === 'unknown' || theirs.kind === 'unknown') {
    return undefined;
  }
  if (ours.kind === 'absent' || theirs.kind === 'absent') {
    return isDefault(name, ours.kind === 'absent' ? theirs : ours, rank);
  }
  if (ours.json !== undefined || theirs.json !== undefined) {
    return ours.json === undefined || theirs.json === undefined ? undefined : ours.json === theirs.json;
  }
  const [left, right] = [ours.texts!, theirs.texts!];
  if (left.length !== right.length) {
    return [...left, ...right].every(({ value }) => value !== undefined) ? false : undefined;
  }
  const same = left.map((text, i) => {
    const [a, b] = [text.value, right[i]!.value];
    const numbers = [a, b].map((value) => (value === undefined ? undefined : numberOf(value, name)));
    return numbers[0] !== undefined && numbers[1] !== undefined
      ? numbers[0] === numbers[1]
      : a !== undefined && b !== undefined && a.trim().toLowerCase() === b.trim().toLowerCase()
        ? true
        : text.sameAs(right[i]!);
  });
  return same.includes(false) ? false : same.every((each) => each === true) ? true : undefined;
}

/** Whether a value that one rank is given is what the other takes by itself. */
function isDefault(name: string, { kind, texts, json }: Value, { engine }: Rank): boolean | undefined {
  if (OPEN_DEFAULTS.has(name)) {
    return undefined;
  }
  if (json !== undefined) {
    return json === '{}' ? true : false;
  }
  const value = texts![0]!.value;
  if (kind === 'switch') {
    const isOn = ON_BY_DEFAULT.has(name);
    // Asynchronous scheduling is off on CPU, whatever is asked for.
    const isOpen = name === '--async-scheduling' && platformOf(engine) !== 'gpu';
    return isOpen || (isOn && value === 'true') ? undefined : !isOn && value === 'false';
  }
  const byDefault = Object.hasOwn(DEFAULTS, name) ? DEFAULTS[name]! : undefined;
  return value === undefined ? undefined : byDefault === undefined ? false : value.trim() === byDefault;
}

/** JSON in one form, whatever the order of its keys; nothing when a part of it is not known. */
function canonical(value: unknown): string | undefined {
  try {
    let isKnown = value !== undefined;
    const text = JSON.stringify(value, (_, each: unknown) => {
      isKnown &&= !(each instanceof Text);
      return typeof each === 'object' && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
        : each;
    });
    return isKnown ? text : undefined;
  } catch {
    return undefined;
  }
}
