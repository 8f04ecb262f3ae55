import { Text, type Word } from '../text';
import { calculate } from './arithmetic';
import type { RangeOf, Truth } from './condition';
import { type Part, type RawWord, ShellError } from './syntax';

/** What a shell's words are made with. */
export interface ExpansionProps {
  /** JSON path of the script's text. */
  readonly path: string;
  readonly rangeOf: RangeOf;
  /** The texts behind the marks of a script. */
  readonly unmark: (text: string) => Text;
  readonly lookUp: (name: string) => Text | undefined;
  /** The elements of an array; nothing for other names. */
  readonly arrayOf: (name: string) => readonly Word[] | undefined;
  /** What `${X:=word}` does. */
  readonly set: (name: string, text: Text) => void;
}

type VariablePart = Extract<Part, { kind: 'variable' }>;

interface Field {
  readonly parts: Text[];
  maySplit?: string;
}

/** More than Linux takes, and than any script comes to that is meant to run. */
const LONGEST = 4 * 1024 ** 2;

/** Makes words of what a script has: expansions filled in, quotes taken off, unquoted values split. */
export class Expansion {
  /** `$0`, `$1`, … */
  public parameters: readonly Word[];
  private length = 0;

  public constructor(
    private readonly props: ExpansionProps,
    parameters: readonly Word[],
  ) {
    this.parameters = parameters.length > 0 ? parameters : [{ text: Text.of('sh'), path: props.path }];
  }

  /** A word as one text, as in an assignment: nothing is split. */
  public single(word: RawWord): Text {
    return Text.join(word.map((part) => this.part(part)));
  }

  /** The words that one word of the script becomes. */
  public fields(word: RawWord): Word[] {
    const fields = new Fields();
    this.fill(fields, word, true);
    return fields.all().map(({ parts, maySplit }) => ({
      text: Text.join(parts),
      path: this.props.path,
      ...(maySplit !== undefined && { maySplit }),
    }));
  }

  private fill(fields: Fields, word: RawWord, isWritten: boolean): void {
    for (const part of word) {
      const all = part.kind === 'variable' ? this.allOf(part) : undefined;
      if (all !== undefined) {
        this.fillAll(fields, all, part.isQuoted);
        continue;
      }
      const operand = part.kind === 'variable' && !part.isQuoted ? this.operandOf(part) : undefined;
      if (operand !== undefined) {
        // Quotes within `${X:-"a b" c}` count, and what stands outside of them is split.
        this.count(1);
        this.fill(fields, operand, false);
        continue;
      }
      const text = this.part(part);
      if (part.isQuoted === true) {
        fields.add(text);
      } else {
        fields.split(text, isWritten && part.kind === 'literal');
      }
    }
  }

  /** The words behind `"$@"`, `"${A[@]}"` and, without quotes, `$*` and `${A[*]}`, each a field of its own. */
  private allOf({ name, index, operator, isQuoted }: VariablePart): readonly Word[] | undefined {
    if (operator !== undefined || (isQuoted && (name === '*' || index === '*'))) {
      return undefined;
    }
    if (name === '@' || name === '*') {
      return this.parameters.slice(1);
    }
    return index === '@' || index === '*' ? this.elementsOf(name) : undefined;
  }

  private elementsOf(name: string): readonly Word[] {
    const value = this.props.lookUp(name);
    return this.props.arrayOf(name) ?? (value === undefined ? [] : [{ text: value, path: this.props.path }]);
  }

  private fillAll(fields: Fields, words: readonly Word[], isQuoted: boolean): void {
    for (const [i, { text, maySplit }] of words.entries()) {
      if (i > 0) {
        fields.end();
      }
      this.count(text.length + 8);
      if (isQuoted) {
        fields.add(text, maySplit);
      } else {
        fields.split(text, false);
      }
    }
  }

  private part(part: Part): Text {
    const text = this.textOf(part);
    this.count(text.length);
    return text;
  }

  private count(length: number): void {
    this.length += length;
    if (this.length > LONGEST) {
      throw new ShellError('its expansions are too long');
    }
  }

  private textOf(part: Part): Text {
    switch (part.kind) {
      case 'literal':
        return this.props.unmark(part.text);
      case 'command':
        return Text.hole({ why: 'a command gives it' });
      case 'arithmetic':
        return this.arithmetic(this.single(part.text));
      case 'variable':
        return this.variable(part);
    }
  }

  private arithmetic(text: Text): Text {
    const numberOf = (of: Text): number | undefined => {
      const range = this.props.rangeOf(of);
      return range && range.lowest === range.highest ? range.lowest : undefined;
    };
    const written = text.pieces.map((piece) =>
      typeof piece === 'string' ? piece : `(${numberOf(Text.hole(piece)) ?? '?'})`,
    );
    // A variable that is not set counts as 0; whether the image sets it is not known.
    const value = calculate(written.join(''), (name) => {
      const of = this.props.lookUp(name);
      return of && numberOf(of);
    });
    return value === undefined
      ? Text.hole({ why: `$((${text.toString()})) is not known`, isOneWord: true })
      : Text.of(String(value));
  }

  private variable(part: VariablePart): Text {
    const { name, operator, index } = part;
    if (index !== undefined) {
      const elements = this.elementsOf(name);
      return index === '@' || index === '*' ? spaced(elements) : elementOf(elements, Number(index));
    }
    if (operator === '#' && this.props.arrayOf(name) !== undefined) {
      return Text.hole({ why: `the length of ${name} is not read` });
    }
    const value = this.valueOf(name);
    const operand = this.operandOf(part);
    if (operand !== undefined) {
      const text = this.single(operand);
      if (operator === '=' || operator === ':=') {
        this.props.set(name, text);
      }
      return text;
    }
    if (operator === '+' || operator === ':+') {
      const isKnown = value === undefined || operator === '+' || emptiness(value) !== undefined;
      return isKnown ? Text.EMPTY : Text.hole({ why: `whether ${name} is empty is not known` });
    }
    if (operator !== undefined && !/^:?[-=?]$/.test(operator)) {
      return Text.hole({ why: `\${${name}${operator}…} is not read` });
    }
    return value ?? Text.hole({ source: name, why: `nothing in the manifest sets ${name}` });
  }

  /** The word of `${X:-word}` and the like, when it takes the place of the value. */
  private operandOf({ name, operator, operand = [] }: VariablePart): RawWord | undefined {
    const value = this.valueOf(name);
    switch (operator) {
      case '-':
      case '=':
        return value === undefined ? operand : undefined;
      case ':-':
      case ':=':
        return value === undefined || emptiness(value) === true ? operand : undefined;
      case '+':
        return value === undefined ? undefined : operand;
      case ':+':
        return value !== undefined && emptiness(value) === false ? operand : undefined;
      default:
        return undefined;
    }
  }

  private valueOf(name: string): Text | undefined {
    if (/^\d+$/.test(name)) {
      return this.parameters[Number(name)]?.text ?? Text.EMPTY;
    }
    if (name === '#') {
      return Text.of(String(Math.max(0, this.parameters.length - 1)));
    }
    if (name === '@' || name === '*') {
      return spaced(this.parameters.slice(1));
    }
    return /^[A-Za-z_]/.test(name)
      ? this.props.lookUp(name)
      : Text.hole({ why: `$${name} is known at run time alone` });
  }
}

function spaced(words: readonly Word[]): Text {
  return Text.join(words.flatMap(({ text }, i) => (i === 0 ? [text] : [' ', text])));
}

/** An element that may stand elsewhere, since one before it may be several, is not known. */
function elementOf(elements: readonly Word[], index: number): Text {
  const unsure = elements.slice(0, index + 1).find(({ maySplit }) => maySplit !== undefined);
  return unsure ? Text.hole({ why: unsure.maySplit! }) : (elements[index]?.text ?? Text.EMPTY);
}

/** Whether a text is empty. */
function emptiness(text: Text): Truth {
  if (text.value !== undefined) {
    return text.value === '';
  }
  return text.pieces.some((piece) => typeof piece === 'string' || piece.isOneWord === true) ? false : undefined;
}

/** The words that one word becomes, as they grow. */
class Fields {
  private readonly done: Field[] = [];
  private current: Field | undefined;

  public add(text: Text, maySplit?: string): void {
    this.current ??= { parts: [] };
    this.current.parts.push(text);
    this.current.maySplit ??= maySplit;
  }

  public end(): void {
    if (this.current) {
      this.done.push(this.current);
    }
    this.current = undefined;
  }

  /** Adds a value without quotes: it is split at blanks, and one that is empty is no word at all. */
  public split(text: Text, isWritten: boolean): void {
    for (const piece of text.pieces) {
      if (typeof piece !== 'string') {
        this.add(Text.hole(piece), piece.isOneWord ? undefined : piece.why);
      } else if (isWritten) {
        this.add(Text.of(piece));
      } else {
        for (const [i, each] of piece.split(/[ \t\n]+/).entries()) {
          if (i > 0) {
            this.end();
          }
          if (each !== '') {
            this.add(Text.of(each));
          }
        }
      }
    }
  }

  public all(): readonly Field[] {
    this.end();
    return this.done;
  }
}
