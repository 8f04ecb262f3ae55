import { ALB_PREFIX, type AlbSuffix } from './annotations';
import { decode, type GoType } from './go-decode';
import { parseGoJson } from './go-json';
import { BuildError, parseGoBool, parseGoInt, parseList, parseStringMap, within } from './grammar';

/** Suffixes that the controller asks for: of the table, and those with a name behind them. */
export type ReadSuffix = AlbSuffix | `${AlbSuffix}.${string}`;

/** The annotations of an object as the controller reads them: a text that does not parse is a `BuildError`. */
export class Annotations {
  public constructor(private readonly entries: ReadonlyMap<string, string>) {}

  /** These annotations, and those of `others` where there is none here. */
  public over(others: Annotations): Annotations {
    return new Annotations(new Map([...others.entries, ...this.entries]));
  }

  public text(suffix: ReadSuffix): string | undefined {
    return this.entries.get(ALB_PREFIX + suffix);
  }

  public list(suffix: ReadSuffix): string[] | undefined {
    const text = this.text(suffix);
    return text === undefined ? undefined : parseList(text);
  }

  public map(suffix: ReadSuffix): ReadonlyMap<string, string> | undefined {
    const text = this.text(suffix);
    if (text === undefined) {
      return undefined;
    }
    const map = parseStringMap(text);
    if (map === undefined) {
      throw new BuildError(`failed to parse stringMap annotation, ${ALB_PREFIX}${suffix}: ${text}`);
    }
    return map;
  }

  public int(suffix: ReadSuffix, bits: 32 | 64 = 32): number | undefined {
    return this.parsed(suffix, `int${bits}`, (text) => parseGoInt(text, bits));
  }

  public bool(suffix: ReadSuffix): boolean | undefined {
    return this.parsed(suffix, 'bool', parseGoBool);
  }

  public json(suffix: ReadSuffix, type: GoType): unknown {
    return this.parsed(suffix, 'json', (text) => decode(parseGoJson(text), type));
  }

  /** Checks that there is JSON, without a look at what it says. */
  public checkJson(suffix: ReadSuffix): string | undefined {
    this.parsed(suffix, 'json', parseGoJson);
    return this.text(suffix);
  }

  private parsed<T>(suffix: ReadSuffix, kind: string, parse: (text: string) => T): T | undefined {
    const text = this.text(suffix);
    return text === undefined
      ? undefined
      : within(`failed to parse ${kind} annotation, ${ALB_PREFIX}${suffix}: ${text}`, () => parse(text));
  }
}
