import { type Arguments, type FlagUse, keyOf, readArguments, type UnknownFlag } from './arguments';
import { expand } from './expand';
import type { ImageReference } from './image';
import { releaseToReadWith } from './image';
import type { Environment } from './environment';
import { get, listOf } from './json';
import { type RangeOf } from './shell/condition';
import { runScript, type Started } from './shell/run';
import { ShellError } from './shell/syntax';
import { type Gap, Text, type Word } from './text';

/** How a Ray cluster comes about before, or instead of, the engine. */
export interface RayBootstrap {
  readonly role: 'head' | 'worker';
  /** `script`: multi-node-serving.sh; `cluster`: run_cluster.sh; `ray`: `ray start`. */
  readonly by: 'script' | 'cluster' | 'ray';
  /** The script as it is called. */
  readonly script?: string;
  readonly words: readonly Word[];
  /** Where a worker finds the head. */
  readonly address?: Text;
  /** Pods that the head waits for. */
  readonly clusterSize?: Text;
  readonly path: string;
}

/**
 * What a container runs of vLLM. `serve`: `vllm serve`; `module`: `python -m vllm.entrypoints.openai.api_server`, which
 * ignores `--headless`; `ray-worker`: a Ray node alone; `unreadable`: something, but `why` it is not known.
 */
export type CommandForm = 'serve' | 'module' | 'ray-worker' | 'unreadable';

/** The command of a container that runs vLLM. */
export class EngineCommand {
  public readonly form: CommandForm;
  /** JSON path of `command`, or of `args` where they hold the flags. */
  public readonly path: string;
  /** Why it is `unreadable`. */
  public readonly why?: string;
  /** Why it may not be what runs: a condition in a script that is not known. */
  public readonly maybe?: string;
  /** Whether a shell reads the line. */
  public readonly isShell: boolean;
  /** Whether the image's own entrypoint is what runs. */
  public readonly isEntrypoint: boolean;
  public readonly ray?: RayBootstrap;
  /** Variables that the shell line sets for the program. */
  public readonly variables: ReadonlyMap<string, Text>;
  /** Every use of a flag, in its order. */
  public readonly flags: readonly FlagUse[];
  public readonly unknownFlags: readonly UnknownFlag[];
  /** Words that vLLM refuses: neither flag, nor value, nor the model. */
  public readonly strays: readonly Word[];
  /** What may hide flags. */
  public readonly hidden: readonly Gap[];
  /** Whether all flags are seen, so that one that is not there is not set. */
  public readonly isComplete: boolean;
  /** The positional model. */
  public readonly model?: Word;
  /** The release whose flags it was read with. */
  public readonly release: string;
  private readonly byName = new Map<string, FlagUse[]>();
  private readonly keys = new Map<string, FlagUse | undefined>();

  public constructor(
    props: Partial<EngineCommand> & { form: CommandForm; path: string; words: readonly Word[]; image?: ImageReference },
  ) {
    const { release, isKnown } = releaseToReadWith(props.image);
    const isServer = props.form === 'serve' || props.form === 'module';
    const read: Arguments = isServer
      ? readArguments(props.words, release, isKnown)
      : { uses: [], unknown: [], strays: [], hidden: [] };
    this.form = props.form;
    this.path = props.path;
    this.why = props.why;
    this.maybe = props.maybe;
    this.isShell = props.isShell ?? false;
    this.isEntrypoint = props.isEntrypoint ?? false;
    this.ray = props.ray;
    this.variables = props.variables ?? new Map<string, Text>();
    this.flags = read.uses;
    this.unknownFlags = read.unknown;
    this.strays = read.strays;
    this.model = read.model;
    this.release = release;
    for (const use of read.uses) {
      const known = this.byName.get(use.name);
      if (known) {
        known.push(use);
      } else {
        this.byName.set(use.name, [use]);
      }
    }
    const config = this.flag('--config');
    this.hidden = [
      ...read.hidden.map(({ word, why }) => ({ path: word.path, what: `the word ${word.text.toString()}`, why })),
      ...(config
        ? [{ path: config.path, what: 'the flags in the file of --config', why: 'the file is in the container' }]
        : []),
    ];
    this.isComplete = isServer && this.hidden.length === 0 && this.maybe === undefined;
  }

  /** The use of a flag that counts, the last one, by its long name; `--compilation-config.mode` names a key of its JSON. */
  public flag(name: string): FlagUse | undefined {
    if (!name.includes('.')) {
      return this.byName.get(name)?.at(-1);
    }
    const long = name.startsWith('-cc.') ? `--compilation-config${name.slice(3)}` : name;
    if (!this.keys.has(long)) {
      const dot = long.indexOf('.');
      this.keys.set(long, keyOf(this.flags, long.slice(0, dot), long.slice(dot + 1).split('.')));
    }
    return this.keys.get(long);
  }

  /** Whether a flag is there in any way; `undefined` when it is not seen and may be hidden. */
  public isSet(name: string): boolean | undefined {
    return this.flag(name) !== undefined || (this.isComplete ? false : undefined);
  }

  /** Whether a switch is on; `undefined` when that is not known. A switch that is not there is off. */
  public isOn(name: string): boolean | undefined {
    const use = this.flag(name);
    return use === undefined
      ? this.isComplete
        ? false
        : undefined
      : use.value === undefined
        ? undefined
        : use.value === 'true';
  }

  /** The number that a flag gives; `undefined` when it is not there or no number. `16K` is 16384 where vLLM takes that. */
  public number(name: string): number | undefined {
    const use = this.flag(name);
    return use?.value === undefined ? undefined : numberOf(use.value, use.name);
  }
}

/** Flags whose numbers may end in k, M and the like. Source: _compute_kwargs in vllm/engine/arg_utils.py, 0.32.0. */
const HUMAN = new Set([
  ...['--max-model-len', '--max-num-batched-tokens', '--max-num-scheduled-tokens', '--kv-cache-memory-bytes'],
  ...['--safetensors-prefetch-block-size', '--max-num-queued-tokens'],
]);

/** A number as vLLM reads it for a flag. Source: human_readable_int in vllm/utils/argparse_utils.py. */
export function numberOf(value: string, flag: string): number | undefined {
  const text = value.trim();
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text)) {
    return Number(text);
  }
  if (!HUMAN.has(flag)) {
    return undefined;
  }
  if (flag === '--max-model-len' && text.toLowerCase() === 'auto') {
    return -1;
  }
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)([kKmMgGtT])$/.exec(text) ?? [];
  const power = 'kmgt'.indexOf(unit.toLowerCase()) + 1;
  if (unit === '' || (unit !== unit.toLowerCase() && digits.includes('.'))) {
    return undefined;
  }
  return Math.trunc(Number(digits) * (unit === unit.toLowerCase() ? 1000 : 1024) ** power);
}

/** What the words of a container are read with. */
export interface CommandSurroundings {
  readonly environment: Environment;
  readonly image?: ImageReference;
  readonly rangeOf: RangeOf;
}

/** A reference in command, args or env that nothing defines. */
export interface Unresolved {
  readonly name: string;
  readonly path: string;
  /** In a shell line `$(name)` is a command, so a small name is meant as one. */
  readonly isShell: boolean;
}

/** What a container runs: the engine's command, if it is one, and references that nothing defines. */
export function readCommand(
  container: unknown,
  path: string,
  around: CommandSurroundings,
): { command?: EngineCommand; unresolved: Unresolved[]; unread: Gap[] } {
  const unread: Gap[] = [];
  const unresolved: { name: string; path: string }[] = [];
  const read = (key: string) =>
    readWords(get(container, key), `${path}.${key}`, around.environment, unresolved, unread);
  const [command, args] = [read('command'), read('args')];
  const isEntrypoint = command.length === 0;
  const holder = args.length > 0 ? `${path}.args` : isEntrypoint ? path : `${path}.command`;
  const entrypoint = isEntrypoint && around.image?.hasServeEntrypoint === true;
  const words = entrypoint ? [word('vllm', path), word('serve', path), ...args] : [...command, ...args];
  const found = new Finder(around, holder).find(words);
  const isShell = found.isShell;
  return {
    ...(found.command && { command: found.command(entrypoint) }),
    unresolved: unresolved.map((each) => ({ ...each, isShell })),
    unread,
  };
}

function word(text: string, path: string): Word {
  return { text: Text.of(text), path };
}

function readWords(
  raw: unknown,
  path: string,
  environment: Environment,
  unresolved: { name: string; path: string }[],
  unread: Gap[],
): Word[] {
  if (raw !== undefined && raw !== null && !Array.isArray(raw)) {
    unread.push({
      path,
      what: 'the words of the command',
      why: 'they are no list, and the API server takes nothing else',
    });
  }
  return listOf(raw).map((entry, i) => {
    const at = `${path}[${i}]`;
    if (typeof entry === 'string') {
      const expanded = expand(entry, environment.lookUp);
      unresolved.push(...expanded.unresolved.map((name) => ({ name, path: at })));
      return { text: expanded.text, path: at };
    }
    const why = `it is of type ${entry === null ? 'null' : Array.isArray(entry) ? 'array' : typeof entry}, and the API server takes a text alone`;
    unread.push({ path: at, what: 'a word of the command', why });
    return {
      text: typeof entry === 'number' || typeof entry === 'boolean' ? Text.of(String(entry)) : Text.hole({ why }),
      path: at,
    };
  });
}

interface Found {
  readonly command?: (isEntrypoint: boolean) => EngineCommand;
  readonly isShell: boolean;
}

const SHELL = /^(?:.*\/)?(?:ba|da|a|z|k)?sh$/;
const PYTHON = /^(?:.*\/)?python[\d.]*$/;
const SCRIPT = /(?:^|\/)multi-node-serving\.sh$/;
const CLUSTER = /(?:^|\/)run_cluster\.sh$/;
const SERVER_MODULE = /^vllm\.entrypoints\.(openai\.)?api_server$/;
const MAIN_MODULE = /^vllm(\.entrypoints\.cli\.main)?$/;
/** Whether a text has to do with vLLM, when nothing of it could be read. */
function isAboutEngine(text: string): boolean {
  const names = ['vllm.entrypoints', 'multi-node-serving.sh', 'run_cluster.sh'];
  return (text.includes('vllm') && text.includes('serve')) || names.some((name) => text.includes(name));
}
const DEEPEST_SHELL = 5;

/** What a list of words comes to, once programs that only start another one are taken off. */
type Program =
  | { readonly kind: 'server'; readonly form: 'serve' | 'module'; readonly words: readonly Word[] }
  | { readonly kind: 'ray'; readonly ray: RayBootstrap }
  | { readonly kind: 'shell'; readonly script: Word; readonly parameters: readonly Word[] }
  | { readonly kind: 'unread'; readonly why: string }
  | { readonly kind: 'other' };

interface Candidate {
  readonly program: Extract<Program, { kind: 'server' | 'ray' | 'unread' }>;
  readonly variables: ReadonlyMap<string, Text>;
  readonly maybe?: string;
}

class Finder {
  private isShell = false;
  /** JSON path of the arguments, or of the shell line once there is one. */
  private path: string;
  private readonly candidates: Candidate[] = [];

  public constructor(
    private readonly around: CommandSurroundings,
    path: string,
  ) {
    this.path = path;
  }

  public find(words: readonly Word[]): Found {
    this.look({ words, variables: new Map() }, 0);
    const servers = this.candidates.filter(({ program }) => program.kind === 'server');
    const rays = this.candidates.filter(({ program }) => program.kind === 'ray');
    const unread = this.candidates.find(({ program }) => program.kind === 'unread');
    const { isShell, path } = this;
    const { image } = this.around;
    const ray = rays[0]?.program.kind === 'ray' ? rays[0].program.ray : undefined;
    const [server] = servers;
    if (servers.length > 1) {
      const why = 'the line starts more than one server, or which one depends on what is not known';
      return {
        isShell,
        command: () => new EngineCommand({ form: 'unreadable', path, words: [], why, isShell, ray, image }),
      };
    }
    if (server?.program.kind === 'server') {
      const { form, words: own } = server.program;
      const { variables, maybe } = server;
      return {
        isShell,
        command: (isEntrypoint) =>
          new EngineCommand({
            form,
            path,
            words: own,
            variables,
            maybe,
            isShell,
            isEntrypoint,
            ray,
            image,
          }),
      };
    }
    if (unread?.program.kind === 'unread') {
      const { why } = unread.program;
      return {
        isShell,
        command: () => new EngineCommand({ form: 'unreadable', path, words: [], why, isShell, ray, image }),
      };
    }
    if (ray !== undefined) {
      const form = ray.role === 'worker' ? 'ray-worker' : 'unreadable';
      const why = form === 'unreadable' ? 'it starts a Ray head and no server' : undefined;
      const { variables, maybe } = rays[0]!;
      return {
        isShell,
        command: () => new EngineCommand({ form, path, words: [], why, variables, maybe, isShell, ray, image }),
      };
    }
    return { isShell };
  }

  private look(started: Started, depth: number): void {
    const { variables, maybe } = started;
    const { words, own } = withoutWrappers(started.words);
    const all = new Map([...variables, ...own]);
    const program = this.programOf(words);
    if (program.kind === 'other') {
      return;
    }
    if (program.kind !== 'shell') {
      this.candidates.push({ program, variables: all, ...(maybe !== undefined && { maybe }) });
      return;
    }
    const { script, parameters } = program;
    this.isShell = true;
    this.path = script.path;
    try {
      if (depth >= DEEPEST_SHELL) {
        throw new ShellError('its shells are nested too deeply');
      }
      const lookUp = (name: string) => all.get(name) ?? this.around.environment.lookUp(name);
      for (const each of runScript(script.text, {
        path: script.path,
        lookUp,
        rangeOf: this.around.rangeOf,
        parameters,
      })) {
        this.look({ ...each, variables: new Map([...all, ...each.variables]), maybe: each.maybe ?? maybe }, depth + 1);
      }
    } catch (error) {
      if (!(error instanceof ShellError)) {
        throw error;
      }
      if (isAboutEngine([script.text, ...parameters.map(({ text }) => text)].join(' '))) {
        this.candidates.push({
          program: { kind: 'unread', why: `the shell line is beyond what is read: ${error.message}` },
          variables: all,
        });
      }
    }
  }

  private programOf(words: readonly Word[]): Program {
    const [first, second, third] = words.map(({ text }) => text.value);
    if (first === undefined) {
      return words.length > 0 && this.around.image?.isVllm === true && words[0]!.maySplit !== undefined
        ? { kind: 'unread', why: words[0]!.maySplit }
        : { kind: 'other' };
    }
    const name = first.slice(first.lastIndexOf('/') + 1);
    if (name === 'vllm') {
      return second === 'serve' ? { kind: 'server', form: 'serve', words: words.slice(2) } : { kind: 'other' };
    }
    if (PYTHON.test(first)) {
      return pythonProgram(words.slice(1));
    }
    if (SCRIPT.test(first) || CLUSTER.test(first)) {
      return rayScript(words);
    }
    if (name === 'ray' && second === 'start') {
      return rayStart(words);
    }
    if (name === 'ray' && second === 'symmetric-run') {
      return { kind: 'unread', why: 'ray symmetric-run decides on the pod which of them serves' };
    }
    if (name === 'eval' && isAboutEngine(words.map(({ text }) => text.toString()).join(' '))) {
      return { kind: 'unread', why: 'eval puts the line together' };
    }
    if (SHELL.test(first)) {
      const line = shellLine(words.slice(1));
      if (line === undefined) {
        return second !== undefined && (SCRIPT.test(second) || CLUSTER.test(second)) && third !== undefined
          ? rayScript(words.slice(1))
          : this.scriptFile(second);
      }
      return line;
    }
    if (/\.(sh|bash)$/.test(name)) {
      return this.scriptFile(first);
    }
    return startsServer(words) ? { kind: 'unread', why: `what ${first} makes of it is not known` } : { kind: 'other' };
  }

  /** A script in a file is not seen; in an image of vLLM it may well start the engine. */
  private scriptFile(file: string | undefined): Program {
    return file !== undefined && this.around.image?.isVllm === true
      ? { kind: 'unread', why: `the script ${file} is in the container` }
      : { kind: 'other' };
  }
}

/** Whether a server's command line stands among the words of another program. */
function startsServer(words: readonly Word[]): boolean {
  const values = words.map(({ text }) => text.value ?? '');
  return values.some(
    (value, i) => (/(?:^|\/)vllm$/.test(value) && values[i + 1] === 'serve') || SERVER_MODULE.test(value),
  );
}

/** `sh -c LINE name args…`, with options in any form. */
function shellLine(words: readonly Word[]): Program | undefined {
  let hasLine = false;
  let at = 0;
  for (; at < words.length; at++) {
    const option = words[at]!.text.value;
    if (option === undefined || !/^[-+][A-Za-z-]/.test(option)) {
      break;
    }
    if (!option.startsWith('--')) {
      hasLine ||= option.startsWith('-') && option.includes('c');
      at += /o$/.test(option) ? 1 : 0;
    }
  }
  const script = words[at];
  return hasLine && script !== undefined ? { kind: 'shell', script, parameters: words.slice(at + 1) } : undefined;
}

function pythonProgram(words: readonly Word[]): Program {
  let at = 0;
  while (/^-[a-zA-Z]*$/.test(words[at]?.text.value ?? '') && !['-m', '-c'].includes(words[at]!.text.value!)) {
    at += /^-[XW]$/.test(words[at]!.text.value!) ? 2 : 1;
  }
  const [option, module, sub] = words.slice(at, at + 3).map(({ text }) => text.value);
  if (option === '-m' && module !== undefined) {
    if (SERVER_MODULE.test(module)) {
      return { kind: 'server', form: 'module', words: words.slice(at + 2) };
    }
    return MAIN_MODULE.test(module) && sub === 'serve'
      ? { kind: 'server', form: 'serve', words: words.slice(at + 3) }
      : { kind: 'other' };
  }
  return option !== undefined && /vllm\/entrypoints\/(openai\/)?api_server\.py$/.test(option)
    ? { kind: 'server', form: 'module', words: words.slice(at + 1) }
    : { kind: 'other' };
}

/** `multi-node-serving.sh leader|worker --ray_…=…`, and `run_cluster.sh IMAGE ADDRESS --head|--worker …`. */
function rayScript(words: readonly Word[]): Program {
  const script = words[0]!.text.value!;
  const path = words[0]!.path;
  const values = words.slice(1).map(({ text }) => text.value);
  if (CLUSTER.test(script)) {
    const role = values.includes('--head') ? 'head' : values.includes('--worker') ? 'worker' : undefined;
    const address = words[2]?.text;
    return role === undefined
      ? { kind: 'unread', why: `${script} is neither told to be --head nor --worker` }
      : { kind: 'ray', ray: { role, by: 'cluster', script, words, path, ...(address && { address }) } };
  }
  const role = values[0] === 'leader' ? 'head' : values[0] === 'worker' ? 'worker' : undefined;
  const option = (name: string) => optionOf(words, name);
  return role === undefined
    ? { kind: 'unread', why: `${script} is neither told to be leader nor worker` }
    : {
        kind: 'ray',
        ray: {
          role,
          by: 'script',
          script,
          words,
          path,
          address: option('--ray_address'),
          clusterSize: option('--ray_cluster_size'),
        },
      };
}

function rayStart(words: readonly Word[]): Program {
  const isHead = words.some(({ text }) => text.value === '--head');
  const address = optionOf(words, '--address');
  return {
    kind: 'ray',
    ray: { role: isHead ? 'head' : 'worker', by: 'ray', words, path: words[0]!.path, ...(address && { address }) },
  };
}

function optionOf(words: readonly Word[], name: string): Text | undefined {
  const at = words.findIndex(({ text }) => text.value === name || text.start.startsWith(`${name}=`));
  const found = words[at]?.text;
  return found?.value === name ? words[at + 1]?.text : found?.after(name.length + 1);
}

/** Programs that only start another one: how many words of theirs come before it, options aside. */
const WRAPPERS: Readonly<Record<string, number>> = {
  ...{ exec: 0, nohup: 0, command: 0, time: 0, setsid: 0, tini: 0, 'dumb-init': 0, nice: 0, numactl: 0, stdbuf: 0 },
  ...{ timeout: 1, taskset: 1, uv: 1, sudo: 0, catatonit: 0 },
};
/** Their options that take a word of their own. */
const WRAPPER_VALUES = /^(-n|-u|-C|-m|-N|-i|-o|-e|-s|-k|-p|-l|--signal|--kill-after|--adjustment)$/;

function withoutWrappers(words: readonly Word[]): { words: readonly Word[]; own: ReadonlyMap<string, Text> } {
  const own = new Map<string, Text>();
  let rest = words;
  for (;;) {
    const first = rest[0]?.text.value;
    const name = first?.slice(first.lastIndexOf('/') + 1) ?? '';
    const skipped = name === 'env' ? 0 : Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
    if (skipped === undefined) {
      return { words: rest, own };
    }
    let at = 1;
    while (at < rest.length && rest[at]!.text.start.startsWith('-')) {
      const option = rest[at]!.text.value ?? '';
      at += WRAPPER_VALUES.test(option) && !(name === 'tini' && option === '-s') ? 2 : 1;
      if (option === '--') {
        break;
      }
    }
    for (; name === 'env' && at < rest.length; at++) {
      const found = /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(rest[at]!.text.start);
      if (!found) {
        break;
      }
      own.set(found[1]!, rest[at]!.text.after(found[0].length));
    }
    rest = rest.slice(at + skipped);
  }
}
