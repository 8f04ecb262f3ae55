import {
  AMPERSAND,
  AT,
  BACKSLASH,
  BACKTICK,
  CARRIAGE_RETURN,
  COLON,
  COMMA,
  CURLY_CLOSE,
  CURLY_OPEN,
  DASH,
  DOT,
  DOUBLE_QUOTE,
  END,
  EXCLAMATION,
  GREATER,
  HASH,
  isBlank,
  isBlankOrEnd,
  isBreak,
  isBreakOrEnd,
  isWordCharacter,
  LESS,
  LINE_FEED,
  NINE,
  PERCENT,
  PIPE,
  PLUS,
  QUESTION,
  SINGLE_QUOTE,
  SPACE,
  SQUARE_CLOSE,
  SQUARE_OPEN,
  STAR,
  TAB,
  ZERO,
} from './characters';
import { Unreadable } from './unreadable';

/** What a text is made of. */
export type TokenType =
  | 'stream-end'
  | 'directive'
  | 'document-start'
  | 'document-end'
  | 'block-sequence-start'
  | 'block-mapping-start'
  | 'block-end'
  | 'flow-sequence-start'
  | 'flow-sequence-end'
  | 'flow-mapping-start'
  | 'flow-mapping-end'
  | 'block-entry'
  | 'flow-entry'
  | 'key'
  | 'value'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'plain'
  | 'quoted';

/** A piece of a text; `value` is that of a scalar, or the name of an anchor, an alias or a tag. */
export interface Token {
  readonly type: TokenType;
  readonly start: number;
  readonly value: string;
}

/** A place where a key may have begun; the colon behind it will tell. */
interface PossibleKey {
  isPossible: boolean;
  isRequired: boolean;
  /** Number of the token that the key would begin with. */
  token: number;
  at: number;
  line: number;
  column: number;
}

/** A key that has no `?` before it stands in one line, and is no longer. */
const LONGEST_KEY = 1024;
/** Brackets within one another, well above what the parser takes. */
const MOST_BRACKETS = 1000;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/;

const OTHER_BREAKS = /[\r\u0085\u2028\u2029]/;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['0', '\0'],
  ['a', '\x07'],
  ['b', '\b'],
  ['t', '\t'],
  ['\t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
  ['e', '\x1b'],
  [' ', ' '],
  ['"', '"'],
  ["'", "'"],
  ['\\', '\\'],
  ['N', '\x85'],
  ['_', '\xa0'],
  ['L', '\u2028'],
  ['P', '\u2029'],
]);
const ESCAPED_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/**
 * Takes a text apart as go-yaml 2 does, the parser of every Kubernetes program, which has its rules from libyaml: tabs that
 * it takes, brackets that go on at any indentation, and all. It follows the scanner of these two; see NOTICE.
 */
export class Scanner {
  private readonly text: string;
  /** Most files have no other line ends, and a block of a thousand lines is then gone over in no time. */
  private readonly hasLineFeedsAlone: boolean;
  private at = 0;
  private line = 0;
  private lineStart = 0;
  private readonly tokens: Token[] = [];
  private head = 0;
  /** Tokens that were handed out. */
  private taken = 0;
  private indent = -1;
  private readonly indents: number[] = [];
  private flowLevel = 0;
  /** One for each level of brackets. */
  private readonly keys: PossibleKey[] = [impossibleKey()];
  private keyAllowed = true;
  private isAtEnd = false;

  public constructor(text: string) {
    const control = CONTROL.exec(text);
    if (control) {
      const code = text.charCodeAt(control.index).toString(16).toUpperCase().padStart(2, '0');
      throw new Unreadable(`a control character, 0x${code}, which YAML does not take`, control.index);
    }
    this.hasLineFeedsAlone = !OTHER_BREAKS.test(text);
    // NUL marks the end, so that every character has one behind it.
    this.text = `${text}\0`;
  }

  /** The token that comes next. */
  public peek(): Token {
    while (this.needsMore()) {
      this.fetch();
    }
    return this.tokens[this.head]!;
  }

  /** Takes the token that comes next. */
  public take(): Token {
    const token = this.peek();
    this.head++;
    this.taken++;
    if (this.head === this.tokens.length) {
      this.tokens.length = 0;
      this.head = 0;
    }
    return token;
  }

  /** A token that may turn out to begin a key is not known before the colon behind it. */
  private needsMore(): boolean {
    if (this.head === this.tokens.length) {
      return true;
    }
    for (const key of this.keys) {
      if (key.isPossible && key.token <= this.taken) {
        return this.isValid(key);
      }
    }
    return false;
  }

  private fetch(): void {
    this.skipToToken();
    const start = this.at;
    const column = start - this.lineStart;
    this.unroll(column);
    const code = this.text.charCodeAt(start);
    if (start === this.text.length - 1) {
      if (this.isAtEnd) {
        throw new Unreadable('the document ends too early', start);
      }
      this.isAtEnd = true;
      this.unroll(-1);
      this.removeKey();
      this.keyAllowed = false;
      this.add('stream-end', start);
      return;
    }
    if (column === 0) {
      if (code === PERCENT) {
        this.fetchDirective();
        return;
      }
      if (this.isMarker()) {
        this.unroll(-1);
        this.removeKey();
        this.keyAllowed = false;
        this.at += 3;
        this.add(code === DASH ? 'document-start' : 'document-end', start);
        return;
      }
    }
    switch (code) {
      case SQUARE_OPEN:
      case CURLY_OPEN:
        this.saveKey();
        this.keys.push(impossibleKey());
        if (++this.flowLevel > MOST_BRACKETS) {
          throw new Unreadable(`more than ${MOST_BRACKETS} brackets within one another`, start);
        }
        this.keyAllowed = true;
        this.at++;
        this.add(code === SQUARE_OPEN ? 'flow-sequence-start' : 'flow-mapping-start', start);
        return;
      case SQUARE_CLOSE:
      case CURLY_CLOSE:
        this.removeKey();
        if (this.flowLevel > 0) {
          this.flowLevel--;
          this.keys.pop();
        }
        this.keyAllowed = false;
        this.at++;
        this.add(code === SQUARE_CLOSE ? 'flow-sequence-end' : 'flow-mapping-end', start);
        return;
      case COMMA:
        this.removeKey();
        this.keyAllowed = true;
        this.at++;
        this.add('flow-entry', start);
        return;
      case STAR:
      case AMPERSAND:
        this.saveKey();
        this.keyAllowed = false;
        this.fetchName(code === STAR ? 'alias' : 'anchor');
        return;
      case EXCLAMATION:
        this.saveKey();
        this.keyAllowed = false;
        this.fetchTag();
        return;
      case SINGLE_QUOTE:
      case DOUBLE_QUOTE:
        this.saveKey();
        this.keyAllowed = false;
        this.fetchQuoted(code);
        return;
    }
    const isBeforeBlank = isBlankOrEnd(this.text.charCodeAt(start + 1));
    if (code === DASH && isBeforeBlank) {
      this.fetchBlockEntry(column);
      return;
    }
    const isInFlow = this.flowLevel > 0;
    if (code === QUESTION && (isInFlow || isBeforeBlank)) {
      this.fetchKey(column);
      return;
    }
    if (code === COLON && (isInFlow || isBeforeBlank)) {
      this.fetchValue(column);
      return;
    }
    if ((code === PIPE || code === GREATER) && !isInFlow) {
      this.removeKey();
      this.keyAllowed = true;
      this.fetchBlockScalar(code === PIPE);
      return;
    }
    if (!this.beginsPlain(code)) {
      throw new Unreadable(
        code === TAB
          ? 'a tab in the indentation; YAML takes spaces alone there'
          : `'${this.text[start]}' begins no value; put it in quotes`,
        start,
      );
    }
    this.saveKey();
    this.keyAllowed = false;
    this.fetchPlain();
  }

  private beginsPlain(code: number): boolean {
    switch (code) {
      case DASH:
        return !isBlank(this.text.charCodeAt(this.at + 1));
      case QUESTION:
      case COLON:
        return this.flowLevel === 0;
      case TAB:
      case HASH:
      case PIPE:
      case GREATER:
      case PERCENT:
      case AT:
      case BACKTICK:
        return false;
      default:
        return true;
    }
  }

  private add(type: TokenType, start: number, value = ''): void {
    this.tokens.push({ type, start, value });
  }

  private insert(number: number, type: TokenType, start: number): void {
    this.tokens.splice(this.head + number - this.taken, 0, { type, start, value: '' });
  }

  private isMarker(): boolean {
    const { text, at } = this;
    const code = text.charCodeAt(at);
    return (
      (code === DASH || code === DOT) &&
      text.charCodeAt(at + 1) === code &&
      text.charCodeAt(at + 2) === code &&
      isBlankOrEnd(text.charCodeAt(at + 3))
    );
  }

  private skipToToken(): void {
    const { text } = this;
    for (;;) {
      let code = text.charCodeAt(this.at);
      while (code === SPACE || (code === TAB && (this.flowLevel > 0 || !this.keyAllowed))) {
        code = text.charCodeAt(++this.at);
      }
      if (code === HASH) {
        code = this.skipToBreak();
      }
      if (!isBreak(code)) {
        return;
      }
      this.skipBreak();
      if (this.flowLevel === 0) {
        this.keyAllowed = true;
      }
    }
  }

  /** Goes to the end of the line, and gives the character there. */
  private skipToBreak(): number {
    const { text } = this;
    if (this.hasLineFeedsAlone) {
      const end = text.indexOf('\n', this.at);
      this.at = end < 0 ? text.length - 1 : end;
      return text.charCodeAt(this.at);
    }
    let code = text.charCodeAt(this.at);
    while (!isBreakOrEnd(code)) {
      code = text.charCodeAt(++this.at);
    }
    return code;
  }

  /** Goes over the end of a line; gives it as it counts in a scalar. */
  private skipBreak(): string {
    const code = this.text.charCodeAt(this.at);
    this.at += code === CARRIAGE_RETURN && this.text.charCodeAt(this.at + 1) === LINE_FEED ? 2 : 1;
    this.line++;
    this.lineStart = this.at;
    return code > 0x2000 ? String.fromCharCode(code) : '\n';
  }

  private isValid(key: PossibleKey): boolean {
    if (!key.isPossible) {
      return false;
    }
    if (key.line < this.line || key.at + LONGEST_KEY < this.at) {
      this.forget(key);
      return false;
    }
    return true;
  }

  private forget(key: PossibleKey): void {
    if (key.isPossible && key.isRequired) {
      throw new Unreadable("could not find the ':' behind this key", key.at);
    }
    key.isPossible = false;
  }

  private saveKey(): void {
    if (!this.keyAllowed) {
      return;
    }
    const key = this.keys[this.keys.length - 1]!;
    this.forget(key);
    const column = this.at - this.lineStart;
    key.isPossible = true;
    key.isRequired = this.flowLevel === 0 && this.indent === column;
    key.token = this.taken + this.tokens.length - this.head;
    key.at = this.at;
    key.line = this.line;
    key.column = column;
  }

  private removeKey(): void {
    this.forget(this.keys[this.keys.length - 1]!);
  }

  private roll(column: number, number: number | undefined, type: TokenType, start: number): void {
    if (this.flowLevel === 0 && this.indent < column) {
      this.indents.push(this.indent);
      this.indent = column;
      if (number === undefined) {
        this.add(type, start);
      } else {
        this.insert(number, type, start);
      }
    }
  }

  private unroll(column: number): void {
    while (this.flowLevel === 0 && this.indent > column) {
      this.add('block-end', this.at);
      this.indent = this.indents.pop()!;
    }
  }

  private fetchDirective(): void {
    this.unroll(-1);
    this.removeKey();
    this.keyAllowed = false;
    const start = this.at;
    this.skipToBreak();
    const text = this.text.slice(start, this.at);
    const version = /^%YAML[ \t]+(\d+\.\d+)[ \t]*(?:#.*)?$/.exec(text)?.[1];
    if (version !== undefined ? !version.startsWith('1.') : !text.startsWith('%TAG ')) {
      throw new Unreadable(`'${text.slice(0, 40)}' is no directive that YAML has`, start);
    }
    this.add('directive', start, text);
  }

  private fetchBlockEntry(column: number): void {
    if (this.flowLevel === 0) {
      if (!this.keyAllowed) {
        throw new Unreadable('an entry of a list does not stand here; it begins a line', this.at);
      }
      this.roll(column, undefined, 'block-sequence-start', this.at);
    }
    this.removeKey();
    this.keyAllowed = true;
    this.add('block-entry', this.at++);
  }

  private fetchKey(column: number): void {
    if (this.flowLevel === 0) {
      if (!this.keyAllowed) {
        throw new Unreadable('a key does not stand here', this.at);
      }
      this.roll(column, undefined, 'block-mapping-start', this.at);
    }
    this.removeKey();
    this.keyAllowed = this.flowLevel === 0;
    this.add('key', this.at++);
  }

  private fetchValue(column: number): void {
    const key = this.keys[this.keys.length - 1]!;
    if (this.isValid(key)) {
      this.insert(key.token, 'key', key.at);
      this.roll(key.column, key.token, 'block-mapping-start', key.at);
      key.isPossible = false;
      this.keyAllowed = false;
    } else {
      if (this.flowLevel === 0) {
        if (!this.keyAllowed) {
          throw new Unreadable("a second ':' in one line; put the value in quotes", this.at);
        }
        this.roll(column, undefined, 'block-mapping-start', this.at);
      }
      this.keyAllowed = this.flowLevel === 0;
    }
    this.add('value', this.at++);
  }

  private fetchName(type: 'alias' | 'anchor'): void {
    const start = this.at++;
    while (isWordCharacter(this.text.charCodeAt(this.at))) {
      this.at++;
    }
    const name = this.text.slice(start + 1, this.at);
    const code = this.text.charCodeAt(this.at);
    if (name === '' || !(isBlankOrEnd(code) || '?:,]}%@`'.includes(this.text[this.at]!))) {
      throw new Unreadable(
        type === 'alias'
          ? "'*' begins the name of an anchor; put it in quotes"
          : `'&' names an anchor; put it in quotes`,
        start,
      );
    }
    this.add(type, start, name);
  }

  private fetchTag(): void {
    const start = this.at;
    const isVerbatim = this.text.charCodeAt(start + 1) === LESS;
    const pattern = isVerbatim ? VERBATIM_TAG : TAG;
    pattern.lastIndex = start;
    const found = pattern.exec(this.text);
    this.at += found?.[0].length ?? 0;
    if (found === null || !isBlankOrEnd(this.text.charCodeAt(this.at))) {
      throw new Unreadable("'!' begins a tag, and this is none; put it in quotes", start);
    }
    this.add('tag', start, isVerbatim ? found[0].slice(2, -1) : found[0]);
  }

  private fetchPlain(): void {
    const { text } = this;
    const start = this.at;
    const indent = this.indent + 1;
    const isInFlow = this.flowLevel > 0;
    let folded = '';
    let from = start;
    let end = start;
    // What a run of line ends becomes when more text follows.
    let join: string | undefined;
    for (;;) {
      let code = text.charCodeAt(this.at);
      if (code === HASH || (this.at === this.lineStart && this.isMarker())) {
        break;
      }
      const run = this.at;
      while (!isBlankOrEnd(code)) {
        if (code === COLON && isBlankOrEnd(text.charCodeAt(this.at + 1))) {
          break;
        }
        if (isInFlow && endsPlainInFlow(code)) {
          break;
        }
        code = text.charCodeAt(++this.at);
      }
      if (this.at > run) {
        if (join !== undefined) {
          folded += text.slice(from, end) + join;
          from = run;
          join = undefined;
        }
        end = this.at;
      }
      if (!isBlank(code) && !isBreak(code)) {
        break;
      }
      let breaks = 0;
      let first = '';
      let more = '';
      for (; isBlank(code) || isBreak(code); code = text.charCodeAt(this.at)) {
        if (isBreak(code)) {
          const each = this.skipBreak();
          if (breaks++ === 0 && join === undefined) {
            first = each;
          } else {
            more += each;
          }
        } else {
          if (code === TAB && (breaks > 0 || join !== undefined) && this.at - this.lineStart < indent) {
            throw new Unreadable('a tab in the indentation; YAML takes spaces alone there', this.at);
          }
          this.at++;
        }
      }
      if (breaks > 0) {
        join = join !== undefined ? join + more : first === '\n' ? more || ' ' : first + more;
      }
      if (!isInFlow && this.at - this.lineStart < indent) {
        break;
      }
    }
    if (join !== undefined) {
      this.keyAllowed = true;
    }
    this.add('plain', start, folded === '' ? text.slice(start, end) : folded + text.slice(from, end));
  }

  private fetchQuoted(quote: number): void {
    const { text } = this;
    const start = this.at++;
    const isSingle = quote === SINGLE_QUOTE;
    let value = '';
    let from = this.at;
    for (;;) {
      if (this.at === this.lineStart && this.isMarker()) {
        throw new Unreadable('a quote is open where a document ends', start);
      }
      let code = text.charCodeAt(this.at);
      if (code === END) {
        throw new Unreadable('a quote is never closed', start);
      }
      let isEscapedBreak = false;
      while (!isBlankOrEnd(code) && code !== quote && (isSingle || code !== BACKSLASH)) {
        code = text.charCodeAt(++this.at);
      }
      if (code === quote) {
        value += text.slice(from, this.at++);
        if (isSingle && text.charCodeAt(this.at) === SINGLE_QUOTE) {
          value += "'";
          from = ++this.at;
          continue;
        }
        this.add('quoted', start, value);
        return;
      }
      if (code === BACKSLASH && !isSingle) {
        value += text.slice(from, this.at);
        if (isBreak(text.charCodeAt(this.at + 1))) {
          this.at++;
          this.skipBreak();
          isEscapedBreak = true;
          code = text.charCodeAt(this.at);
          from = this.at;
        } else {
          value += this.escape();
          from = this.at;
          continue;
        }
      }
      const end = this.at;
      let breaks = 0;
      let first = '';
      let more = '';
      for (; isBlank(code) || isBreak(code); code = text.charCodeAt(this.at)) {
        if (isBreak(code)) {
          const each = this.skipBreak();
          if (breaks++ === 0 && !isEscapedBreak) {
            first = each;
          } else {
            more += each;
          }
        } else {
          this.at++;
        }
      }
      if (breaks > 0 || isEscapedBreak) {
        value += text.slice(from, end) + (first === '\n' ? more || ' ' : first + more);
        from = this.at;
      }
    }
  }

  private escape(): string {
    const { text } = this;
    const start = this.at;
    const letter = text[start + 1]!;
    this.at += 2;
    const plain = ESCAPES.get(letter);
    if (plain !== undefined) {
      return plain;
    }
    const length = Object.hasOwn(ESCAPED_DIGITS, letter) ? ESCAPED_DIGITS[letter]! : 0;
    const digits = text.slice(this.at, this.at + length);
    if (length === 0 || digits.length < length || !/^[\da-fA-F]+$/.test(digits)) {
      throw new Unreadable(`'\\${letter === '\0' ? '' : letter}' is no escape that YAML has`, start);
    }
    this.at += length;
    const code = Number.parseInt(digits, 16);
    if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) {
      throw new Unreadable(`'\\${letter}${digits}' is no character`, start);
    }
    return String.fromCodePoint(code);
  }

  private fetchBlockScalar(isLiteral: boolean): void {
    const { text } = this;
    const start = this.at++;
    let chomping = 0;
    let increment = 0;
    for (let i = 0; i < 2; i++) {
      const code = text.charCodeAt(this.at);
      if (chomping === 0 && (code === PLUS || code === DASH)) {
        chomping = code === PLUS ? 1 : -1;
        this.at++;
      } else if (increment === 0 && code >= ZERO && code <= NINE) {
        increment = code - ZERO;
        if (increment === 0) {
          throw new Unreadable('the indentation of a block cannot be 0', start);
        }
        this.at++;
      }
    }
    let code = text.charCodeAt(this.at);
    while (isBlank(code)) {
      code = text.charCodeAt(++this.at);
    }
    if (code === HASH) {
      code = this.skipToBreak();
    }
    if (!isBreakOrEnd(code)) {
      throw new Unreadable(`nothing but a comment may stand behind '${isLiteral ? '|' : '>'}' in its line`, this.at);
    }
    if (code !== END) {
      this.skipBreak();
    }
    const block = { indent: increment > 0 ? Math.max(this.indent, 0) + increment : 0, breaks: '' };
    this.skipBlockBreaks(block);
    let value = '';
    let lineBreak = '';
    let wasBlank = false;
    while (this.at - this.lineStart === block.indent && this.at < text.length - 1) {
      const begins = isBlank(text.charCodeAt(this.at));
      if (!isLiteral && !wasBlank && !begins && lineBreak === '\n') {
        value += block.breaks || ' ';
      } else {
        value += lineBreak + block.breaks;
      }
      block.breaks = '';
      wasBlank = begins;
      const from = this.at;
      code = this.skipToBreak();
      value += text.slice(from, this.at);
      lineBreak = code === END ? '' : this.skipBreak();
      this.skipBlockBreaks(block);
    }
    if (chomping !== -1) {
      value += lineBreak;
    }
    if (chomping === 1) {
      value += block.breaks;
    }
    this.add('quoted', start, value);
  }

  /** Goes over the indentation and the empty lines of a block, and finds out its indentation where nobody said it. */
  private skipBlockBreaks(block: { indent: number; breaks: string }): void {
    const { text } = this;
    let widest = 0;
    for (;;) {
      let code = text.charCodeAt(this.at);
      while (code === SPACE && (block.indent === 0 || this.at - this.lineStart < block.indent)) {
        code = text.charCodeAt(++this.at);
      }
      const column = this.at - this.lineStart;
      widest = Math.max(widest, column);
      if (code === TAB && (block.indent === 0 || column < block.indent)) {
        throw new Unreadable('a tab in the indentation of a block; YAML takes spaces alone there', this.at);
      }
      if (!isBreak(code)) {
        break;
      }
      block.breaks += this.skipBreak();
    }
    if (block.indent === 0) {
      block.indent = Math.max(widest, this.indent + 1, 1);
    }
  }
}

const TAG = /![\w;/?:@&=+$,.!~*'()[\]%-]*/y;
const VERBATIM_TAG = /!<[\w;/?:@&=+$,.!~*'()[\]%-]+>/y;

function endsPlainInFlow(code: number): boolean {
  return (
    code === COMMA ||
    code === QUESTION ||
    code === SQUARE_OPEN ||
    code === SQUARE_CLOSE ||
    code === CURLY_OPEN ||
    code === CURLY_CLOSE
  );
}

function impossibleKey(): PossibleKey {
  return { isPossible: false, isRequired: false, token: 0, at: 0, line: 0, column: 0 };
}
