import { didYouMean } from '../common/nearest';
import { json, type Terminal, WrongInput } from './terminal';

/** A flag of a command. */
export interface Option {
  readonly name: string;
  readonly alias?: string;
  /** What stands for its value in the usage; none for a switch. */
  readonly value?: string;
  readonly help: string;
}

/** The flags by what they are about, in the order of the usage. */
export type OptionGroups<One extends Option = Option> = Readonly<Record<string, readonly One[]>>;

const LABEL_WIDTH = 22;
/** A day: nothing that is waited for takes longer. */
export const LONGEST_SECONDS = 86_400;

/** The flags of a command, to read a line with and to list. */
export class Flags<One extends Option = Option> {
  private readonly byName: ReadonlyMap<string, Option>;

  public constructor(private readonly groups: OptionGroups<One>) {
    const options = Object.values(groups).flat();
    this.byName = new Map(
      options.flatMap((option) =>
        [option.name, ...(option.alias === undefined ? [] : [option.alias])].map((name): [string, Option] => [
          name,
          option,
        ]),
      ),
    );
  }

  /** Reads a command line: `--x y` and `--x=y`; flags and words in any order, words alone behind `--`. */
  public read(args: readonly string[]): Given {
    const given = new Map<string, string[]>();
    const words: string[] = [];
    for (let i = 0; i < args.length; i++) {
      const argument = args[i]!;
      if (argument === '--') {
        words.push(...args.slice(i + 1));
        break;
      }
      if (argument === '-' || !argument.startsWith('-')) {
        words.push(argument);
        continue;
      }
      const equals = argument.indexOf('=');
      const name = equals < 0 ? argument : argument.slice(0, equals);
      const inline = equals < 0 ? undefined : argument.slice(equals + 1);
      const option = this.byName.get(name);
      if (option === undefined) {
        throw new WrongInput(
          `'${name}' is not known${didYouMean(name, this.byName.keys()) || '; --help lists the flags'}`,
        );
      }
      if (option.value === undefined && inline !== undefined) {
        throw new WrongInput(`${name} takes no value; it is given '${inline}'`);
      }
      const value = option.value === undefined ? '' : (inline ?? args[++i]);
      if (
        value === undefined ||
        (option.value !== undefined && (value === '' || (inline === undefined && this.byName.has(value))))
      ) {
        throw missingValue(name, option);
      }
      given.set(option.name, [...(given.get(option.name) ?? []), value]);
    }
    return new Given(given, words);
  }

  /**
   * The lines of the usage that list them.
   * @param more what stands behind the help of a flag
   */
  public help(more: (option: One) => string = () => ''): string[] {
    const line = (option: One): string => {
      const { name, alias, value, help } = option;
      const label = `${alias === undefined ? '' : `${alias}, `}${name}${value === undefined ? '' : ` ${value}`}`;
      // What is longer stands alone, and its text below it.
      const gap =
        label.length < LABEL_WIDTH ? ' '.repeat(LABEL_WIDTH - label.length) : `\n${' '.repeat(LABEL_WIDTH + 2)}`;
      return `  ${label}${gap}${help}${more(option)}`;
    };
    return Object.entries(this.groups).flatMap(([title, group]) => ['', title, ...group.map(line)]);
  }
}

/** What is said of a flag without its value. The help of a flag is half a sentence at best, and stands for itself. */
export function missingValue(name: string, { value, help }: Pick<Option, 'value' | 'help'>): WrongInput {
  return new WrongInput(`${name} has no value; it takes ${value}: ${help}`);
}

/** What a command line says. */
export class Given {
  public constructor(
    private readonly flags: ReadonlyMap<string, readonly string[]>,
    /** What is no flag. */
    public readonly words: readonly string[],
  ) {}

  /** The flags that are there, by their long names, in their order. */
  public get names(): readonly string[] {
    return [...this.flags.keys()];
  }

  public has(name: string): boolean {
    return this.flags.has(name);
  }

  public last(name: string): string | undefined {
    return this.flags.get(name)?.at(-1);
  }

  public all(name: string): readonly string[] {
    return this.flags.get(name) ?? [];
  }

  /** One of several words, the first where none is given. */
  public oneOf<Word extends string>(name: string, words: readonly [Word, ...Word[]]): Word {
    const value = this.last(name) ?? words[0];
    const found = words.find((word) => word === value);
    if (found === undefined) {
      const listed = `${words.slice(0, -1).join(', ')}${words.length > 1 ? ' or ' : ''}${words.at(-1)}`;
      throw new WrongInput(`${name} is '${value}'; it takes ${listed}${didYouMean(value, words)}`);
    }
    return found;
  }

  /** Whole seconds from 1. */
  public seconds(name: string, otherwise: number): number {
    return this.number(name, otherwise, 1, LONGEST_SECONDS, 'whole seconds');
  }

  public number(name: string, otherwise: number, least: number, most: number, what = 'a whole number'): number {
    const text = this.last(name) ?? String(otherwise);
    const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    if (!(value >= least && value <= most)) {
      throw new WrongInput(`${name} is '${text}'; it takes ${what} from ${least} to ${most}`);
    }
    return value;
  }
}

/** Whether a program reads the answer, for errors in the rest of the line. */
function wantsJson(args: readonly string[]): boolean {
  return args.some(
    (argument, i) =>
      /^(?:-o|--output)=json$/.test(argument) || (/^(?:-o|--output)$/.test(argument) && args[i + 1] === 'json'),
  );
}

/** Tells a program that reads the answer what is wrong with the input; a person gets it on standard error. */
export function tellProgram(error: unknown, args: readonly string[], { out }: Terminal): void {
  if (error instanceof WrongInput && wantsJson(args)) {
    out(json({ error: error.message }));
  }
}
