import { version } from '../../package.json';
import { didYouMean } from '../common/nearest';
import { isWrongInput, printable, type Terminal, WrongInput } from './terminal';

/** Runs with what stands behind its name, and gives the exit code. */
type Command = (args: readonly string[], terminal: Terminal) => number | Promise<number>;

/** Each command with what it does in a few words, loaded when it is called: starting one must not cost the others. */
const COMMANDS: Readonly<Record<string, { readonly summary: string; readonly load: () => Promise<Command> }>> = {
  plan: {
    summary: 'what a model needs on given nodes, and what it does there',
    load: async () => (await import('./plan/command.js')).plan,
  },
  check: {
    summary: 'what is wrong with manifests that run vLLM',
    load: async () => (await import('./check/command.js')).check,
  },
  rehearse: {
    summary: 'start a rendered group on this machine, as the real vLLM with a tiny model',
    load: async () => (await import('./rehearse/command.js')).rehearseCommand,
  },
  smoke: {
    summary: 'one real request to a group in the cluster, and what it showed',
    load: async () => (await import('./smoke/command.js')).smokeCommand,
  },
  prove: {
    summary: 'whether one request crosses all nodes of a group, by its counters',
    load: async () => (await import('./prove/command.js')).proveCommand,
  },
  bootstrap: {
    summary: 'an EKS cluster for vLLM: plan, apply, verify, tag, destroy, kubeconfig',
    load: async () => (await import('./bootstrap/command.js')).bootstrap,
  },
};

export function usage(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const commands = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    'usage: cdk8s-vllm COMMAND [ARGUMENTS]',
    '',
    ...commands,
    '',
    'cdk8s-vllm COMMAND --help says more of one. --version prints the version.',
    '',
  ].join('\n');
}

/** The program `cdk8s-vllm`: gives its exit code, 2 for wrong input. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...args] = argv;
  try {
    if (name === undefined) {
      throw new WrongInput(`which command?\n${usage().trimEnd()}`);
    }
    if (name === '--help' || name === '-h' || name === 'help') {
      terminal.out(usage());
      return 0;
    }
    if (name === '--version' || name === '-V') {
      terminal.out(`${version}\n`);
      return 0;
    }
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command === undefined) {
      const known = Object.keys(COMMANDS);
      throw new WrongInput(
        `there is no command '${name}'${didYouMean(name, known) || `; there is ${known.join(', ')}`}`,
      );
    }
    return await (
      await command.load()
    )(args, terminal);
  } catch (error) {
    if (!isWrongInput(error)) {
      throw error;
    }
    terminal.error(`cdk8s-vllm: ${printable(error.message)}\n`);
    return 2;
  }
}
