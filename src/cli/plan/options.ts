import { didYouMean } from '../../common/nearest';
import { findFlag, type FlagMatch, nameOfArgument, type ServeFlag, serveFlags } from '../../engine/flags';
import { NEWEST_RELEASE } from '../../engine/releases';
import { missingValue } from '../flags';
import { WrongInput } from '../terminal';

/** A flag of `cdk8s-vllm plan`. */
export interface Option {
  /** The name that messages and commands use. */
  readonly name: string;
  /** Further names; those of `vllm serve` among them. */
  readonly aliases?: readonly string[];
  /** What stands for its value in the usage; none for a switch. */
  readonly value?: string;
  readonly help: string;
}

/** The flags by what they are about, in the order of the usage. docs/plan.md lists them. */
export const OPTIONS: Readonly<Record<string, readonly Option[]>> = {
  'What to plan': [
    { name: '--node', value: 'TYPE', help: 'EC2 instance type of the nodes' },
    {
      name: '--nodes',
      aliases: ['--nnodes', '-n'],
      value: 'N',
      help: 'nodes that there are; default: those that are needed',
    },
    { name: '--config', value: 'FILE', help: "the model's config.json; - for the standard input" },
    { name: '--vllm', value: 'VERSION', help: 'release of vLLM; default: the newest that is known' },
    { name: '--like', value: 'VERSION', help: 'known release that a newer one behaves like' },
    { name: '--replicas', value: 'N', help: 'copies of the whole; default 1' },
  ],
  'As `vllm serve` takes them': [
    { name: '-pp', aliases: ['--pipeline-parallel-size'], value: 'N', help: 'pipeline stages' },
    { name: '-tp', aliases: ['--tensor-parallel-size'], value: 'N', help: 'ranks that share each layer' },
    { name: '--max-model-len', value: 'TOKENS', help: 'longest request; auto: as long as the cache serves' },
    { name: '--kv-cache-memory-bytes', value: 'BYTES', help: 'KV cache of a rank' },
    { name: '--block-size', value: 'TOKENS', help: 'tokens of a cache block' },
    { name: '--max-num-batched-tokens', value: 'TOKENS', help: 'tokens of one step' },
    { name: '--max-num-seqs', value: 'N', help: 'requests of one step' },
    { name: '--dtype', value: 'TYPE', help: 'bfloat16, float16, float32' },
    { name: '--kv-cache-dtype', value: 'TYPE', help: 'auto, bfloat16, float16, fp8, fp8_e4m3, fp8_e5m2' },
    { name: '--disable-hybrid-kv-cache-manager', help: 'keep every token in sliding layers as well' },
    { name: '--layer-partition', value: 'N,N', help: 'layers of each stage (VLLM_PP_LAYER_PARTITION)' },
  ],
  'The pod of a rank': [
    { name: '--cpu', value: 'CPU', help: 'request and limit: 6, 5500m' },
    { name: '--memory', value: 'SIZE', help: 'memory, request and limit: 20Gi' },
    { name: '--threads', value: 'N', help: 'compute threads' },
    { name: '--system-cpu', value: 'CPU', help: 'CPU that pods on the node request already' },
    { name: '--system-memory', value: 'SIZE', help: 'memory that they request already' },
  ],
  'What to print': [
    { name: '--output', aliases: ['-o'], value: 'FORMAT', help: 'table (default) or json' },
    { name: '--explain', help: 'also each formula, with its numbers and its source' },
    { name: '--help', aliases: ['-h'], help: 'this text' },
  ],
};

/** What was given: the value of each flag by the flag's name, and what stands there without one. */
export interface Arguments {
  readonly flags: ReadonlyMap<string, string>;
  readonly words: readonly string[];
  /** Flags of vLLM that change nothing of a plan. */
  readonly ignored: readonly string[];
}

/**
 * Flags of vLLM that memory, cache and speed do not depend on, beside those of the HTTP server. A command line of `vllm serve`
 * can be pasted with them.
 */
const NEUTRAL: ReadonlySet<string> = new Set([
  '--async-scheduling',
  '--distributed-executor-backend',
  '--headless',
  '--master-addr',
  '--master-port',
  '--node-rank',
  '--revision',
  '--seed',
  '--served-model-name',
  '--shutdown-timeout',
  '--trust-remote-code',
]);
/** How the model is compiled: it decides about the warm-up alone. */
const COMPILATION: ReadonlySet<string> = new Set(['--compilation-config', '--enforce-eager', '--optimization-level']);

const BY_NAME: ReadonlyMap<string, Option> = new Map(
  Object.values(OPTIONS)
    .flat()
    .flatMap((option) => [option.name, ...(option.aliases ?? [])].map((name): [string, Option] => [name, option])),
);
/** vLLM takes the model so as well. */
const MODEL: Option = { name: '--model', value: 'MODEL', help: 'the model' };
/** So many flags are named of those that a name may mean. */
const MOST_NAMES = 4;

/**
 * Reads a command line as vLLM reads its own: underscores for hyphens, `--x y` and `--x=y`, `-pp 2` and `-pp=2`, names cut
 * short, `--no-` before a switch; the last one counts.
 */
export function readArguments(args: readonly string[]): Arguments {
  const flags = new Map<string, string>();
  const words: string[] = [];
  const ignored: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const argument = args[i]!;
    if (argument === '--') {
      words.push(...args.slice(i + 1));
      break;
    }
    if (!isFlag(argument)) {
      words.push(argument);
      continue;
    }
    const equals = argument.indexOf('=');
    const inline = equals < 0 ? undefined : argument.slice(equals + 1);
    const name = nameOfArgument(argument);
    const meaning = meaningOf(name);
    if ('vllm' in meaning) {
      const foreign = meaning.vllm;
      // The level stands right behind -O.
      const needs = foreign.takes === 'value' && inline === undefined && !/^-O./.test(argument);
      const value = needs ? args[++i] : inline;
      if (skipsWarmUp(argument, foreign.names[0]!, value)) {
        flags.set('--enforce-eager', '');
      } else {
        ignored.push(name);
      }
      continue;
    }
    const option = meaning.own;
    if (option.value === undefined) {
      if (inline !== undefined) {
        throw new WrongInput(`${name} takes no value; it is given '${inline}'`);
      }
      flags.delete(option.name);
      if (!name.startsWith('--no-')) {
        flags.set(option.name, '');
      }
      continue;
    }
    const value = inline ?? args[++i];
    // A negative number is a value; anything else that looks like a flag is one, and the value is missing.
    if (value === undefined || value === '' || (inline === undefined && isFlag(value))) {
      throw missingValue(name, option);
    }
    if (option === MODEL) {
      words.push(value);
    } else {
      flags.delete(option.name);
      flags.set(option.name, value);
    }
  }
  return { flags, words, ignored };
}

/** Whether a flag turns compilation off, and with it the warm-up on CPU. */
function skipsWarmUp(argument: string, name: string, value: string | undefined): boolean {
  if (name === '--enforce-eager') {
    return !argument.startsWith('--no-');
  }
  if (!COMPILATION.has(name)) {
    return false;
  }
  return /^-O\s*0$/.test(argument) || /^(0|none|\{[^}]*"mode"\s*:\s*(0|"none")[,}].*)$/i.test(value?.trim() ?? '');
}

/** Whether the answer is to be JSON, for errors in the rest of the line. */
export function wantsJson(args: readonly string[]): boolean {
  return args.some(
    (argument, i) =>
      /^(-o=?|--output=)json$/.test(argument) || (/^(-o|--output)$/.test(argument) && args[i + 1] === 'json'),
  );
}

function isFlag(argument: string): boolean {
  return argument.startsWith('-') && argument !== '-' && !/^-\.?\d/.test(argument);
}

/** What a name means: a flag of this command, or one of vLLM that a plan takes and does not count with. */
function meaningOf(name: string): { readonly own: Option } | { readonly vllm: ServeFlag } {
  const own = BY_NAME.get(name) ?? (name === MODEL.name ? MODEL : undefined);
  if (own !== undefined) {
    return { own };
  }
  const found = findFlag(name, NEWEST_RELEASE);
  const meant = flagsMeant(name, found);
  if (meant.size > 1) {
    const names = [...meant.values()];
    const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
    throw new WrongInput(`'${name}' may mean ${names.slice(0, MOST_NAMES).join(', ')}${more}; write it out`);
  }
  const [only] = meant.keys();
  if (only === undefined) {
    throw new WrongInput(
      found.kind === 'unknown' && found.flag !== undefined
        ? `vLLM ${NEWEST_RELEASE} has no ${found.flag.names[0]}, and plan does not count with it; leave it out`
        : `'${name}' is not known${didYouMean(name, BY_NAME.keys()) || '; --help lists the flags'}`,
    );
  }
  if ('name' in only) {
    return { own: only };
  }
  const { names, serverOnly } = only;
  if (serverOnly || NEUTRAL.has(names[0]!) || COMPILATION.has(names[0]!)) {
    return { vllm: only };
  }
  throw new WrongInput(
    `plan does not count with vLLM's ${names[0]}; leave it out, and take the plan for a vLLM without it`,
  );
}

/** The flags that a name may stand for, those of this command first, each with one of its names; argparse takes no prefix of several. */
function flagsMeant(name: string, found: FlagMatch): ReadonlyMap<Option | ServeFlag, string> {
  const meant = new Map<Option | ServeFlag, string>();
  const isWhole = found.kind === 'known' && serveFlags().get(name) === found.flag;
  if (!isWhole && name.startsWith('--')) {
    for (const [longer, option] of BY_NAME) {
      if (longer.startsWith(name)) {
        meant.set(option, longer);
      }
    }
  }
  const longer = found.kind === 'known' ? [found.flag.names[0]!] : found.kind === 'ambiguous' ? found.names : [];
  for (const other of longer) {
    const flag = serveFlags().get(other)!;
    const known = BY_NAME.get(flag.names[0]!) ?? flag;
    if (!meant.has(known)) {
      meant.set(known, other);
    }
  }
  return meant;
}

/** Columns of a flag in the usage; a longer one has its text below it. */
const LABEL_WIDTH = 26;

/** The text of `--help`. */
export function usage(): string {
  const label = ({ name, aliases = [], value }: Option): string =>
    `${[...aliases.filter((alias) => /^-\w/.test(alias)), name].join(', ')}${value === undefined ? '' : ` ${value}`}`;
  const line = (option: Option): string[] => {
    const text = label(option);
    return text.length < LABEL_WIDTH
      ? [`  ${text.padEnd(LABEL_WIDTH)}${option.help}`]
      : [`  ${text}`, `  ${' '.repeat(LABEL_WIDTH)}${option.help}`];
  };
  return [
    'usage: cdk8s-vllm plan [MODEL] --node TYPE [FLAGS]',
    '',
    'What a model needs on given nodes, and what it does there.',
    'Exit code 0: it fits, 1: it does not, 2: wrong input.',
    ...Object.entries(OPTIONS).flatMap(([title, group]) => ['', title, ...group.flatMap(line)]),
    '',
    'for example',
    '  cdk8s-vllm plan google/gemma-3-1b-it --node m7g.2xlarge --nodes 2',
    '  cdk8s-vllm plan --config ./config.json --node p5.48xlarge -tp 8 -o json',
    '',
  ].join('\n');
}
