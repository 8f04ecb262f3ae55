import { SERVER_FLAGS } from './server-flags';
import { type FlagName, FLAGS } from './settings';

/** The name of an argument as vLLM reads it: it takes underscores for hyphens, and `-cc.mode` is a part of `-cc`. */
function nameOfArgument(argument: string): string {
  const name = argument.split('=', 1)[0]!;
  // A short option takes its value without a space: -n2, -O3, -tp4.
  const short = /^(-[A-Za-z]+)\d/.exec(name);
  if (short) {
    return short[1]!;
  }
  return name.startsWith('--') ? `--${name.slice(2).replaceAll('_', '-')}`.split('.', 1)[0]! : name.split('.', 1)[0]!;
}

/** Finds the setting that an argument would repeat, under any of its names and in any abbreviation that argparse takes. */
function managedBy(argument: string): FlagName | undefined {
  const given = nameOfArgument(argument);
  return findManaged(given) ?? (given.startsWith('--no-') ? findManaged(`--${given.slice(5)}`) : undefined);
}

function findManaged(name: string): FlagName | undefined {
  return (Object.keys(FLAGS) as FlagName[]).find((known) => {
    const names = [known.split('.', 1)[0]!, ...(FLAGS[known].aliases ?? [])];
    return names.some(
      (other) => other === name || (name.startsWith('--') && name.length > 2 && other.startsWith(name)),
    );
  });
}

/** Checks the arguments that the user adds: one word each, and none that the group renders itself. */
export function checkExtraArguments(prop: 'extraArgs' | 'extraServerArgs', args: readonly string[] = []): void {
  for (const [index, argument] of args.entries()) {
    const previous = args[index - 1] ?? '';
    const isValue = !argument.startsWith('-') && previous.startsWith('-') && !previous.includes('=');
    if ((!argument.startsWith('-') && !isValue) || /^-+$/.test(argument) || hasControlCharacter(argument)) {
      throw new Error(
        `${prop} holds '${argument}', which is neither a flag nor the value of the flag before it; write --name=value`,
      );
    }
    if (/^-[^=]*\s/.test(argument)) {
      throw new Error(
        `${prop} holds '${argument}' as one argument; no shell splits it: write --name=value, or two entries`,
      );
    }
    if (!argument.startsWith('-')) {
      continue;
    }
    const managed = managedBy(argument);
    if (managed !== undefined) {
      const { prop: owner, why } = FLAGS[managed];
      throw new Error(
        `${prop} holds '${argument}', which the group decides itself; ` +
          (owner === undefined ? `leave it out (${why})` : `use the prop '${owner}' (${why})`),
      );
    }
    if (prop === 'extraServerArgs' && !isServerFlag(argument)) {
      throw new Error(
        `extraServerArgs holds '${argument}', which is not known to concern the HTTP server alone; ranks that differ in ` +
          'an engine flag fail or hang: put it into extraArgs, which every rank gets',
      );
    }
  }
}

function isServerFlag(argument: string): boolean {
  const name = nameOfArgument(argument);
  return SERVER_FLAGS.has(name) || (name.startsWith('--no-') && SERVER_FLAGS.has(`--${name.slice(5)}`));
}

function hasControlCharacter(text: string): boolean {
  return [...text].some((character) => character < ' ' || character === '\u007f');
}
