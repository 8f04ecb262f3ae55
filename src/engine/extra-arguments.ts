import { didYouMean } from '../common/nearest';
import { findFlag, hasFlag, nameOfArgument, type ServeFlag, serveFlags } from './flags';
import { type FlagName, FLAGS } from './settings';
import { releaseOf, type VllmVersion } from './version';

type Prop = 'extraArgs' | 'extraServerArgs';

/** Finds the setting that an argument would repeat, under any of its names and in any abbreviation that argparse takes. */
function managedBy(argument: string): FlagName | undefined {
  // -n2 and -tp4 mean to set -n and -tp, whether or not vLLM takes them.
  const given = nameOfArgument(argument).replace(/^(-[A-Za-z]+)\d.*$/, '$1');
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

/**
 * Checks the arguments that the user adds: one word each, none that the group renders itself, and each a flag that the
 * release in the image has.
 */
export function checkExtraArguments(prop: Prop, args: readonly string[] = [], version: VllmVersion): void {
  for (const [index, argument] of args.entries()) {
    const previous = args[index - 1] ?? '';
    const isValue = !isFlag(argument) && isFlag(previous) && !previous.includes('=');
    if ((!isFlag(argument) && !isValue) || /^-+$/.test(argument) || hasControlCharacter(argument)) {
      throw new Error(
        `${prop} holds '${argument}', which is neither a flag nor the value of the flag before it; write --name=value`,
      );
    }
    if (/^-[^=]*\s/.test(argument)) {
      throw new Error(
        `${prop} holds '${argument}' as one argument; no shell splits it: write --name=value, or two entries`,
      );
    }
    if (!isFlag(argument)) {
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
    const flag = checkKnown(prop, argument, version);
    const next = args[index + 1];
    if (flag !== undefined) {
      checkValue(prop, argument, flag, next !== undefined && !isFlag(next));
    }
    if (prop === 'extraServerArgs' && flag?.serverOnly !== true) {
      throw new Error(
        `extraServerArgs holds '${argument}', which is not known to concern the HTTP server alone; ranks that differ in ` +
          'an engine flag fail or hang: put it into extraArgs, which every rank gets',
      );
    }
  }
}

/** The flag that an argument means; an error when vLLM would end at it. */
function checkKnown(prop: Prop, argument: string, version: VllmVersion): ServeFlag | undefined {
  const name = nameOfArgument(argument);
  const release = releaseOf(version.judgedAs);
  const match = findFlag(name, release);
  if (match.kind === 'known') {
    return match.flag;
  }
  if (version.judgedAs !== version.version) {
    // A release that the table does not know may have flags that it does not know.
    return undefined;
  }
  if (match.kind === 'ambiguous') {
    throw new Error(
      `${prop} holds '${argument}', which vLLM could read as ${match.names.join(' or ')}; write the name out`,
    );
  }
  if (match.flag !== undefined) {
    const { since, until } = match.flag;
    const isOld = until !== undefined && !hasFlag({ ...match.flag, since: undefined }, release);
    throw new Error(
      `${prop} holds '${argument}', and the vLLM in the image is ${version.version}, which ends at a flag that it does ` +
        `not know; ${name} is there ${isOld ? `up to ${until}` : `since ${since}`}: ` +
        (isOld ? 'leave it out' : 'leave it out, or take a newer image'),
    );
  }
  const names = [...serveFlags()].filter(([, flag]) => hasFlag(flag, release)).map(([each]) => each);
  throw new Error(
    `${prop} holds '${argument}', and vLLM ${version.version} has no flag ${name} and ends at it` +
      (didYouMean(name, names) || '; leave it out'),
  );
}

function checkValue(prop: Prop, argument: string, { names, takes }: ServeFlag, valueFollows: boolean): void {
  const hasValue = argument.includes('=') || valueFollows;
  // -q8 holds its value without a sign between.
  const isWhole = argument.startsWith('--') || names.includes(argument);
  if (takes === 'value' && isWhole && !hasValue) {
    throw new Error(`${prop} holds '${argument}' without its value; write ${argument}=value`);
  }
  if ((takes === 'switch' || takes === 'mark') && hasValue) {
    const off = takes === 'switch' ? `, or --no-${names[0]!.slice(2)} to turn it off` : '';
    throw new Error(`${prop} gives '${argument}' a value, and the flag takes none; write ${names[0]} alone${off}`);
  }
}

/** A negative number is a value, to argparse as well. */
function isFlag(argument: string): boolean {
  return argument.startsWith('-') && !/^-(\d+|\d*\.\d+)$/.test(argument);
}

function hasControlCharacter(text: string): boolean {
  return [...text].some((character) => character < ' ' || character === '\u007f');
}
