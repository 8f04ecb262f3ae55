import { type DrillFault, FAULTS } from '../../operate/drill/report';
import type { NodeShell } from '../../operate/drill/node-shell';
import type { KeyGiven } from '../../operate/group/key';
import { didYouMean } from '../../common/nearest';
import { CLUSTER_FLAGS, type ClusterOptions, clusterOptions, KEY_FLAGS, keyFlags, sayFlags } from '../cluster';
import { Flags, type OptionGroups } from '../flags';
import { WrongInput } from '../terminal';

export const OPTIONS: OptionGroups = {
  'What to break': [
    ...CLUSTER_FLAGS,
    { name: '--fault', value: 'NAME', help: 'this one alone; repeatable; else all that can be made' },
    { name: '--node-shell', value: 'COMMAND', help: "root's shell on a node: 'ssh root@{node}'" },
    { name: '--yes', help: 'do it; without it, what would be done is told' },
  ],
  'How to ask': [
    { name: '--model', value: 'NAME', help: 'else the name that the server goes by' },
    ...KEY_FLAGS,
    { name: '--timeout', value: 'SECONDS', help: 'for a group to come back (1200)' },
  ],
  'How to say it': sayFlags('text (default), json or markdown'),
};

/** What the command line asks for. */
export interface Options extends ClusterOptions {
  readonly faults: readonly DrillFault[];
  readonly shell?: NodeShell;
  readonly isMeant: boolean;
  readonly model?: string;
  readonly key: KeyGiven;
  readonly seconds: number;
  readonly format: 'text' | 'json' | 'markdown';
}

const FLAGS = new Flags(OPTIONS);

export function readOptions(args: readonly string[]): Options {
  const given = FLAGS.read(args);
  const common = clusterOptions(given, ', --fault a fault');
  const [model, shell] = ['--model', '--node-shell'].map((name) => given.last(name));
  return {
    ...common,
    faults: [...new Set(given.all('--fault').map(faultOf))],
    ...(shell !== undefined && { shell: shellOf(shell) }),
    isMeant: given.has('--yes'),
    ...(model !== undefined && { model }),
    key: keyFlags(given),
    seconds: given.seconds('--timeout', 1200),
    format: given.oneOf('--output', ['text', 'json', 'markdown']),
  };
}

function faultOf(text: string): DrillFault {
  const found = FAULTS.find((fault) => fault === text);
  if (found === undefined) {
    throw new WrongInput(`--fault is '${text}'; it takes one of ${FAULTS.join(', ')}${didYouMean(text, FAULTS)}`);
  }
  return found;
}

function shellOf(text: string): NodeShell {
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0 || !text.includes('{node}')) {
    throw new WrongInput(
      `--node-shell is '${text}'; it takes a command with {node} in it, to which a script is added as its last word: 'ssh root@{node}'`,
    );
  }
  return { words };
}

export function usage(): string {
  return [
    'usage: cdk8s-vllm drill [FLAGS]',
    '',
    'Breaks a group that serves, fault by fault, each with a request in flight, and',
    'says how it came back: when it was seen, the old pods gone, the new ones there,',
    'loaded, ready, and the first good token; what that cost beyond image and model.',
    'Without --yes nothing is touched. kubectl is the way there.',
    `Faults: ${FAULTS.slice(0, 4).join(', ')},`,
    `${FAULTS.slice(4).join(', ')}.`,
    'Exit code 0: all healed within their bounds and 10 s, 1: one did not, 2: not',
    'tried, 130 or 143: ended by Ctrl-C or SIGTERM, and put right what was broken.',
    ...FLAGS.help(),
    '',
    'for example',
    '  cdk8s-vllm drill -n vllm',
    '  cdk8s-vllm drill -n vllm --fault delete-worker --yes -o markdown',
    '',
  ].join('\n');
}
