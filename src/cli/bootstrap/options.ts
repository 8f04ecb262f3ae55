import { didYouMean } from '../../common/nearest';
import { Flags, type Option as AnyOption } from '../flags';
import { WrongInput } from '../terminal';

/** What `cdk8s-vllm bootstrap` can do, in the order in which it is used. */
export const ACTIONS = {
  plan: 'what exists, what would be made, and what stands against it',
  apply: 'makes what is missing, makes safe changes, and waits',
  verify: 'whether the cluster is as the file says, from AWS and from inside',
  tag: 'gives live nodes, their volumes and interfaces the tags',
  destroy: 'deletes what it made, and nothing else',
  kubeconfig: 'lets kubectl reach the cluster',
} as const;

export type Action = keyof typeof ACTIONS;

interface Option extends AnyOption {
  /** The actions that take it; all unless given. */
  readonly of?: readonly Action[];
}

/** The flags. docs/bootstrap.md lists them. */
export const OPTIONS: readonly Option[] = [
  { name: '--file', alias: '-f', value: 'FILE', help: 'the cluster.yaml' },
  { name: '--dry-run', help: 'change nothing: no call that would is made' },
  { name: '--replace', help: 'also what ends nodes or cannot be undone', of: ['plan', 'apply'] },
  { name: '--yes', help: 'really delete', of: ['destroy'] },
  { name: '--context', value: 'NAME', help: 'name of the context; default: the cluster', of: ['kubeconfig'] },
  { name: '--kubeconfig', value: 'FILE', help: 'default: $KUBECONFIG, ~/.kube/config', of: ['kubeconfig'] },
  { name: '--output', alias: '-o', value: 'FORMAT', help: 'text (default) or json', of: ['plan', 'verify'] },
  { name: '--help', alias: '-h', help: 'this text' },
];

/** What the command line asks for. */
export interface Options {
  readonly action: Action | 'help';
  readonly file: string;
  readonly dryRun: boolean;
  readonly replace: boolean;
  readonly yes: boolean;
  readonly context?: string;
  readonly kubeconfig?: string;
  readonly json: boolean;
}

const FLAGS = new Flags({ Flags: OPTIONS });

/** Reads a command line: an action, and flags before or behind it, as `--x y` or `--x=y`. */
export function readOptions(args: readonly string[]): Options {
  const given = FLAGS.read(args);
  if (given.has('--help')) {
    return { action: 'help', file: '', dryRun: false, replace: false, yes: false, json: false };
  }
  const action = actionOf(given.words);
  for (const name of given.names) {
    const { of } = OPTIONS.find((option) => option.name === name)!;
    if (of !== undefined && !of.includes(action)) {
      throw new WrongInput(`bootstrap ${action} takes no ${name}; it is for ${of.join(' and ')}`);
    }
  }
  const file = given.last('--file');
  if (file === undefined) {
    throw new WrongInput(`--file is missing: bootstrap ${action} -f cluster.yaml`);
  }
  return {
    action,
    file,
    dryRun: given.has('--dry-run'),
    replace: given.has('--replace'),
    yes: given.has('--yes'),
    context: given.last('--context'),
    kubeconfig: given.last('--kubeconfig'),
    json: given.oneOf('--output', ['text', 'json']) === 'json',
  };
}

function actionOf([word, ...rest]: readonly string[]): Action {
  const names = Object.keys(ACTIONS);
  if (word === undefined) {
    throw new WrongInput(`bootstrap does what? it takes ${names.join(', ')}`);
  }
  if (!Object.hasOwn(ACTIONS, word)) {
    throw new WrongInput(`bootstrap has no '${word}'${didYouMean(word, names) || `; it has ${names.join(', ')}`}`);
  }
  if (rest.length > 0) {
    throw new WrongInput(`'${rest[0]}' is one word too many; the file stands behind -f`);
  }
  return word as Action;
}

/** The text of `--help`. */
export function usage(): string {
  return [
    'usage: cdk8s-vllm bootstrap ACTION -f cluster.yaml [FLAGS]',
    '',
    'An EKS cluster for vLLM, made step by step; running it again goes on where it',
    'ended. Credentials come from where the AWS CLI takes them.',
    'Exit code 0: done, or as it should be; 1: something failed or is amiss;',
    '2: wrong input, and nothing was called; 130, 143: ended by Ctrl-C or SIGTERM.',
    '',
    'Actions',
    ...Object.entries(ACTIONS).map(([name, what]) => `  ${name.padEnd(12)}${what}`),
    ...FLAGS.help(({ of }) => (of === undefined ? '' : ` (${of.join(', ')})`)),
    '',
  ].join('\n');
}
