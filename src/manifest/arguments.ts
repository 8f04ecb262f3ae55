import { findFlag, type FlagMatch, nameOfArgument, type ServeFlag } from '../engine/flags';
import { remembered } from '../common/memo';
import { get, mapOf } from './json';
import { Text, type Word } from './text';

/** One use of a flag. */
export interface FlagUse {
  /** The long name, whatever was written: `--tensor-parallel-size`; with a key of its JSON: `--compilation-config.mode`. */
  readonly name: string;
  /** What was written: `-tp`, `--max_num_seqs`, `--no-async-scheduling`. */
  readonly spelling: string;
  /** The value; `true` or `false` of a switch. Nothing when it is missing or not known: then `why` says so. */
  readonly value?: string;
  readonly text: Text;
  readonly why?: string;
  /** What vLLM refuses about it. */
  readonly problem?: 'no value' | 'takes no value';
  /** The words of the value; several for a flag that takes a list. */
  readonly words: readonly Word[];
  /** What the flag is: whether the HTTP server alone reads it, since when it is there. */
  readonly definition: ServeFlag;
  /** JSON path of the word with the flag. */
  readonly path: string;
  /** Its place among the words behind the program's name. */
  readonly index: number;
}

/** A flag that the release does not have, or an abbreviation of several. */
export interface UnknownFlag {
  readonly spelling: string;
  readonly match: Exclude<FlagMatch, { kind: 'known' }>;
  /** Whether the release is one whose flags are known; otherwise the flag may well be there. */
  readonly isCertain: boolean;
  /** What stands behind it, whether or not it is its value. */
  readonly value?: string;
  readonly path: string;
  readonly index: number;
}

/** The command line of vLLM's server, as vLLM reads it. */
export interface Arguments {
  /** Every use in its order, repeated ones included. */
  readonly uses: readonly FlagUse[];
  readonly unknown: readonly UnknownFlag[];
  /** The positional model. */
  readonly model?: Word;
  /** Words that are neither a flag, nor a value, nor the model: vLLM refuses them. */
  readonly strays: readonly Word[];
  /** Words that may be flags, or may hide some: with one of them the absence of a flag is not known. */
  readonly hidden: readonly { readonly word: Word; readonly why: string }[];
}

/** Flags that take several words. Source: nargs of make_arg_parser, 0.32.0. */
const TAKES_LIST = new Set([
  ...[
    '--lora-modules',
    '--api-key',
    '--allowed-media-domains',
    '--served-model-name',
    '--sleep-preserve-parameter-names',
  ],
  ...[
    '--logits-processors',
    '--ignore-patterns',
    '--numa-bind-nodes',
    '--numa-bind-cpus',
    '--kv-cache-dtype-skip-layers',
  ],
  ...['--cpu-offload-params', '--offload-params', '--lora-target-modules', '--collect-detailed-traces'],
  ...['--cudagraph-capture-sizes'],
]);

/** Keys behind one another in `--x.a.b.c`. */
const MOST_KEYS = 20;

/** What a spelling means, for each release. */
const matchIn = remembered((release) => remembered((spelling) => findFlag(nameOfArgument(spelling), release)));

/** Reads the words behind `vllm serve`. Source: FlexibleArgumentParser.parse_args of 0.32.0, and argparse. */
export function readArguments(words: readonly Word[], release: string, isCertain: boolean): Arguments {
  return new Reader(words, release, isCertain).read();
}

class Reader {
  private readonly uses: FlagUse[] = [];
  private readonly unknown: UnknownFlag[] = [];
  private readonly strays: Word[] = [];
  private readonly hidden: { word: Word; why: string }[] = [];
  private readonly matchOf: (spelling: string) => FlagMatch;
  private model: Word | undefined;
  private at = 0;

  public constructor(
    private readonly words: readonly Word[],
    release: string,
    private readonly isCertain: boolean,
  ) {
    this.matchOf = matchIn(release);
  }

  public read(): Arguments {
    while (this.at < this.words.length) {
      const word = this.words[this.at]!;
      if (word.text.value === '--') {
        this.at++;
        this.words.slice(this.at).forEach((each) => this.positional(each));
        break;
      }
      if (this.isFlag(word)) {
        this.flag(word);
      } else {
        this.at++;
        this.positional(word);
      }
    }
    const { uses, unknown, strays, hidden, model } = this;
    return { uses, unknown, strays, hidden, ...(model && { model }) };
  }

  private positional(word: Word): void {
    const { text, maySplit } = word;
    // `$EXTRA_ARGS`: the model, flags, or nothing; `"$EXTRA_ARG"`: the model or a flag. At the front it is the model.
    const why = maySplit ?? (text.start === '' && this.at > 1 ? text.why : undefined);
    if (why !== undefined) {
      this.hidden.push({ word, why });
      if (this.at > 1) {
        return;
      }
    }
    if (this.model === undefined) {
      this.model = word;
    } else {
      this.strays.push(word);
    }
  }

  /** Whether argparse takes a word for a flag: a lone hyphen, a negative number and words with a blank are none. */
  private isFlag({ text }: Word): boolean {
    const { start } = text;
    if (start === '-' && text.value === undefined) {
      return true;
    }
    if (!start.startsWith('-') || start === '-' || /^-(\d+|\d*\.\d+)$/.test(start)) {
      return false;
    }
    const blank = start.indexOf(' ');
    const equals = blank < 0 ? -1 : start.indexOf('=');
    return blank < 0 || (equals >= 0 && equals < blank);
  }

  private flag(word: Word): void {
    const index = this.at++;
    const { start } = word.text;
    const equals = start.indexOf('=');
    if (equals < 0 && word.text.value === undefined && !/^-[A-Za-z]$/.test(start)) {
      this.hidden.push({ word, why: word.text.why ?? 'its name is not known' });
      return;
    }
    const spelling = equals < 0 ? start : start.slice(0, equals);
    const match = this.matchOf(spelling);
    if (match.kind !== 'known') {
      this.unknownFlag(word, spelling, match, equals, index);
      return;
    }
    const attached = this.attached(word, match.flag, spelling, equals);
    const name = match.flag.names[0]!;
    const isOff = match.flag.takes === 'switch' && isNegation(spelling, match.flag);
    const dot = spelling.startsWith('-O') ? -1 : spelling.indexOf('.');
    const use = {
      name: dot < 0 ? name : name + spelling.slice(dot).replace(/\+$/, ''),
      spelling: attached && equals < 0 ? spelling.slice(0, 2) : spelling,
      definition: match.flag,
      path: word.path,
      index,
    };
    if (dot < 0 && (match.flag.takes === 'switch' || match.flag.takes === 'mark')) {
      const text = Text.of(isOff ? 'false' : 'true');
      this.uses.push({ ...use, text, value: text.value, words: [], ...(attached && { problem: 'takes no value' }) });
      return;
    }
    const words = attached ? [{ ...word, text: attached }] : this.following(match.flag, dot >= 0);
    this.uses.push({ ...use, ...valueOf(words, match.flag), words });
  }

  /** The value that stands in the same word, behind `=` or right behind a short name. */
  private attached(word: Word, flag: ServeFlag, spelling: string, equals: number): Text | undefined {
    if (equals >= 0) {
      return word.text.after(equals + 1);
    }
    const isShort =
      !spelling.startsWith('--') && !flag.names.includes(spelling) && flag.names.includes(spelling.slice(0, 2));
    return isShort ? word.text.after(2) : undefined;
  }

  /** The words behind a flag that are its value. */
  private following(flag: ServeFlag, isDotted: boolean): Word[] {
    const most = TAKES_LIST.has(flag.names[0]!) && !isDotted ? Infinity : 1;
    const words: Word[] = [];
    while (words.length < most && this.at < this.words.length) {
      const next = this.words[this.at]!;
      // The value of `--x.key value` is taken whatever it looks like.
      if (!isDotted && this.isFlag(next)) {
        break;
      }
      words.push(next);
      this.at++;
    }
    return words;
  }

  private unknownFlag(
    word: Word,
    spelling: string,
    match: Exclude<FlagMatch, { kind: 'known' }>,
    equals: number,
    index: number,
  ): void {
    let value = equals < 0 ? undefined : word.text.after(equals + 1).value;
    const next = this.words[this.at];
    if (equals < 0 && next !== undefined && !this.isFlag(next)) {
      // Its value, or the model: nobody can say.
      value = next.text.value;
      this.hidden.push({
        word: next,
        why: `it follows ${spelling}, of which it is not known whether it takes a value`,
      });
      this.at++;
    }
    const { path } = word;
    this.unknown.push({
      spelling,
      match,
      isCertain: this.isCertain,
      ...(value !== undefined && { value }),
      path,
      index,
    });
  }
}

function isNegation(spelling: string, flag: ServeFlag): boolean {
  const name = nameOfArgument(spelling);
  return name.startsWith('--no') && !flag.names.some((each) => each.startsWith(name));
}

function valueOf(words: readonly Word[], { takes }: ServeFlag): Pick<FlagUse, 'text' | 'value' | 'why' | 'problem'> {
  const [first] = words;
  if (first === undefined) {
    return takes === 'optional'
      ? { text: Text.EMPTY, value: '' }
      : { text: Text.EMPTY, why: 'no value follows', problem: 'no value' };
  }
  const { text, maySplit } = first;
  return maySplit === undefined && text.value !== undefined
    ? { text, value: text.value }
    : { text, why: maySplit ?? text.why ?? 'it is not known' };
}

/** A JSON flag as vLLM puts it together: `--x.key` uses make one JSON behind all others, and the last JSON wins. */
export function jsonOf(
  uses: readonly FlagUse[],
  name: string,
): { readonly value: unknown; readonly use: FlagUse } | undefined {
  const whole = uses.filter((use) => use.name === name);
  const dotted = new Map<string, FlagUse[]>();
  for (const use of uses.filter((each) => each.name.startsWith(`${name}.`))) {
    const key = nameOfArgument(use.spelling);
    const known = dotted.get(key);
    if (known) {
      known.push(use);
    } else {
      dotted.set(key, [use]);
    }
  }
  const last = [...dotted.values()].at(-1);
  if (last === undefined) {
    const use = whole.at(-1);
    return use && { value: use.value === undefined ? undefined : parse(use.value), use };
  }
  const value = emptyMap();
  for (const use of last) {
    const keys = use.name.slice(name.length + 1).split('.', MOST_KEYS);
    insert(value, keys, use.value === undefined ? undefined : parse(use.value));
  }
  return { value, use: last.at(-1)! };
}

/** The value of a key in a flag's JSON, and the use that says it. */
export function keyOf(uses: readonly FlagUse[], name: string, keys: readonly string[]): FlagUse | undefined {
  const json = jsonOf(uses, name);
  if (json === undefined) {
    return undefined;
  }
  const full = `${name}.${keys.join('.')}`;
  const exact = uses.findLast(
    (use) => use.name === full && nameOfArgument(use.spelling) === nameOfArgument(json.use.spelling),
  );
  if (exact && json.use.name !== name) {
    return exact;
  }
  const value = keys.reduce<unknown>(get, json.value);
  if (value === undefined) {
    return json.value === undefined && json.use.value === undefined ? { ...json.use, name: full } : undefined;
  }
  const text = typeof value === 'string' ? value : write(value);
  return { ...json.use, name: full, value: text, text: Text.of(text ?? '') };
}

/** Without a prototype: `__proto__` is a key like any other. */
function emptyMap(from?: unknown): Record<string, unknown> {
  return Object.assign(Object.create(null) as Record<string, unknown>, mapOf(from));
}

function insert(map: Record<string, unknown>, keys: readonly string[], value: unknown): void {
  let at = map;
  for (const key of keys.slice(0, -1)) {
    const known = mapOf(at[key]);
    const next = known !== undefined && Object.getPrototypeOf(known) === null ? (known as typeof at) : emptyMap(known);
    at[key] = next;
    at = next;
  }
  const last = keys.at(-1)!;
  const isMerged = mapOf(at[last]) !== undefined && mapOf(value) !== undefined;
  at[last] = isMerged ? Object.assign(emptyMap(at[last]), mapOf(value)) : value;
}

/** Nothing for a value that is nested too deeply to be written. */
function write(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** What JSON may begin with. A plain word is most of what is asked, and an exception takes its time. */
const JSON_BEGINS = /^[ \t\r\n]*[[{"\dtfn-]/;

function parse(text: string): unknown {
  if (!JSON_BEGINS.test(text)) {
    return text;
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
