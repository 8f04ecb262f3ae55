import { type Part, type RawWord, ShellError } from './syntax';

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const SPECIAL = /[0-9@*#?$!-]/;
const OPERATORS = [':-', ':=', ':+', ':?', '-', '=', '+', '?', '##', '#', '%%', '%', '/', ':', '^', ',', '@'];
const INDEX = /\[(@|\*|\d+)\]/y;
/** Nesting that no script by hand has. */
const DEEPEST = 50;

/** Reads words from a script; where operators and words begin and end is for the parser. */
export class WordReader {
  public at = 0;
  private depth = 0;
  private steps = 0;

  public constructor(public readonly script: string) {}

  /** `$((` may turn out to be a command and be read again; nested in itself that would take for ever. */
  private step(): void {
    if (++this.steps > 20 * this.script.length + 1000) {
      throw new ShellError('its expansions are nested too deeply');
    }
  }

  /** One word from here, up to a character that ends words. */
  public word(): RawWord {
    return this.parts((character) => /[\s;&|<>()]/.test(character));
  }

  private parts(isEnd: (character: string) => boolean): RawWord {
    if (++this.depth > DEEPEST) {
      throw new ShellError('it is nested too deeply');
    }
    const parts: Part[] = [];
    const literal: string[] = [];
    const flush = () => {
      if (literal.length > 0) {
        parts.push({ kind: 'literal', text: literal.join(''), isQuoted: false });
        literal.length = 0;
      }
    };
    while (this.at < this.script.length && !isEnd(this.script[this.at]!)) {
      const character = this.script[this.at]!;
      this.step();
      if (character === '\\') {
        const next = this.script[this.at + 1];
        this.at += 2;
        if (next !== '\n' && next !== undefined) {
          flush();
          parts.push({ kind: 'literal', text: next, isQuoted: true });
        }
      } else if (character === "'") {
        flush();
        parts.push({ kind: 'literal', text: this.until("'"), isQuoted: true });
      } else if (character === '"') {
        flush();
        this.at++;
        parts.push(...this.quoted());
      } else if (character === '$' && this.script[this.at + 1] === "'") {
        throw new ShellError("it quotes with $'…'");
      } else if (character === '$' || character === '`') {
        const part = this.expansion(false);
        flush();
        parts.push(part);
      } else {
        literal.push(character);
        this.at++;
      }
    }
    flush();
    this.depth--;
    return parts;
  }

  /** The text between two of a character, the first of which is here. */
  private until(quote: string): string {
    const end = this.script.indexOf(quote, this.at + 1);
    if (end < 0) {
      throw new ShellError(`a ${quote} has no end`);
    }
    const text = this.script.slice(this.at + 1, end);
    this.at = end + 1;
    return text;
  }

  /** What stands in double quotes, from behind the first one. */
  private quoted(): Part[] {
    const parts: Part[] = [];
    let literal: string[] = [];
    for (;;) {
      const character = this.script[this.at];
      this.step();
      if (character === undefined) {
        throw new ShellError('a " has no end');
      }
      if (character === '"') {
        this.at++;
        // An empty pair makes a word; "$@" without parameters makes none.
        if (literal.length > 0 || parts.length === 0) {
          parts.push({ kind: 'literal', text: literal.join(''), isQuoted: true });
        }
        return parts;
      }
      if (character === '\\') {
        const next = this.script[this.at + 1] ?? '';
        literal.push(next === '\n' ? '' : '$`"\\'.includes(next) ? next : `\\${next}`);
        this.at += 2;
      } else if (character === '$' || character === '`') {
        if (literal.length > 0) {
          parts.push({ kind: 'literal', text: literal.join(''), isQuoted: true });
          literal = [];
        }
        parts.push(this.expansion(true));
      } else {
        literal.push(character);
        this.at++;
      }
    }
  }

  /** What begins with a dollar sign or a backquote. */
  private expansion(isQuoted: boolean): Part {
    if (this.script[this.at] === '`') {
      this.backquoted();
      return { kind: 'command', isQuoted };
    }
    const next = this.script[this.at + 1] ?? '';
    if (this.script.startsWith('$((', this.at)) {
      const start = this.at;
      const arithmetic = this.arithmetic(isQuoted);
      if (arithmetic !== undefined) {
        return arithmetic;
      }
      this.at = start;
    }
    if (next === '(') {
      this.at += 2;
      this.skipParentheses();
      return { kind: 'command', isQuoted };
    }
    if (next === '{') {
      return this.braced(isQuoted);
    }
    this.at++;
    const name = this.name() ?? (SPECIAL.test(next) ? next : undefined);
    if (name === undefined) {
      return { kind: 'literal', text: '$', isQuoted };
    }
    if (name === next && SPECIAL.test(next)) {
      this.at++;
    }
    return { kind: 'variable', name, isQuoted };
  }

  private name(): string | undefined {
    NAME.lastIndex = this.at;
    const found = NAME.exec(this.script)?.[0];
    this.at += found?.length ?? 0;
    return found;
  }

  private braced(isQuoted: boolean): Part {
    this.at += 2;
    if (this.script[this.at] === '#' && this.script[this.at + 1] !== '}') {
      this.at++;
      const name = this.name() ?? '';
      this.index();
      this.expect('}');
      return { kind: 'variable', name, operator: '#', isQuoted };
    }
    let name = this.name();
    if (name === undefined) {
      const digits = /\d+/y;
      digits.lastIndex = this.at;
      name = digits.exec(this.script)?.[0] ?? this.script[this.at] ?? '';
      this.at += name.length;
    }
    const index = this.index();
    if (this.script[this.at] === '}') {
      this.at++;
      return { kind: 'variable', name, ...(index !== undefined && { index }), isQuoted };
    }
    if (index !== undefined) {
      throw new ShellError(`it has an expansion that is not read: \${${name}[${index}]${this.script[this.at] ?? ''}…`);
    }
    const operator = OPERATORS.find((each) => this.script.startsWith(each, this.at));
    if (operator === undefined) {
      throw new ShellError(`it has an expansion that is not read: \${${name}${this.script[this.at] ?? ''}…`);
    }
    this.at += operator.length;
    const operand = this.parts((character) => character === '}');
    this.expect('}');
    return {
      kind: 'variable',
      name,
      operator,
      operand: isQuoted ? operand.map((part) => ({ ...part, isQuoted: true })) : operand,
      isQuoted,
    };
  }

  private index(): string | undefined {
    INDEX.lastIndex = this.at;
    const found = INDEX.exec(this.script);
    this.at += found?.[0].length ?? 0;
    return found?.[1];
  }

  private expect(character: string): void {
    if (this.script[this.at] !== character) {
      throw new ShellError(`a \${ has no ${character}`);
    }
    this.at++;
  }

  private arithmetic(isQuoted: boolean): Part | undefined {
    this.at += 3;
    let open = 0;
    const text = this.parts((character) => {
      open += character === '(' ? 1 : character === ')' ? -1 : 0;
      return open < 0;
    });
    if (!this.script.startsWith('))', this.at)) {
      return undefined;
    }
    this.at += 2;
    return { kind: 'arithmetic', text, isQuoted };
  }

  private backquoted(): void {
    for (this.at++; this.at < this.script.length; this.at++) {
      const character = this.script[this.at];
      if (character === '\\') {
        this.at++;
      } else if (character === '`') {
        this.at++;
        return;
      }
    }
    throw new ShellError('a ` has no end');
  }

  /** Goes behind the parenthesis that closes the one before. */
  public skipParentheses(): void {
    let open = 1;
    while (this.at < this.script.length) {
      const character = this.script[this.at]!;
      this.step();
      if (character === "'") {
        this.until("'");
        continue;
      }
      if (character === '"') {
        this.at++;
        this.skipQuoted();
        continue;
      }
      this.at += character === '\\' ? 2 : 1;
      open += character === '(' ? 1 : character === ')' ? -1 : 0;
      if (open === 0) {
        return;
      }
    }
    throw new ShellError('a ( has no end');
  }

  private skipQuoted(): void {
    if (++this.depth > DEEPEST) {
      throw new ShellError('it is nested too deeply');
    }
    this.quoted();
    this.depth--;
  }
}
