import { BuildError } from './grammar';

/** A value of a JSON text with what the controller's decoder needs: order and repetition of keys, digits of numbers. */
export type JsonNode =
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, JsonNode])[] }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'number'; readonly literal: string }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'null' };

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Deeper nesting is refused. */
const MAX_DEPTH = 10_000;

/** Reads a JSON text; what is wrong with it is said in the words of Go's encoding/json. */
export function parseGoJson(text: string): JsonNode {
  return new Reader(text).document();
}

class Reader {
  private at = 0;

  public constructor(private readonly text: string) {}

  /** Arrays and objects are kept on a stack of our own: a text may nest deeper than calls can. */
  public document(): JsonNode {
    const open: Frame[] = [];
    for (;;) {
      let node: JsonNode | undefined = this.start(open);
      while (node !== undefined) {
        const frame = open.at(-1);
        if (frame === undefined) {
          this.space();
          if (this.at < this.text.length) {
            this.fail('after top-level value');
          }
          return node;
        }
        node = this.continue(open, frame, node);
      }
    }
  }

  /** A value, or `undefined` when it is an array or object that has begun. */
  private start(open: Frame[]): JsonNode | undefined {
    this.space();
    const character = this.text[this.at];
    if ((character === '{' || character === '[') && open.length >= MAX_DEPTH) {
      this.fail('exceeded max depth');
    }
    switch (character) {
      case '{':
        this.at++;
        this.space();
        if (this.text[this.at] === '}') {
          this.at++;
          return { kind: 'object', entries: [] };
        }
        open.push({ kind: 'object', entries: [], key: this.key() });
        return undefined;
      case '[':
        this.at++;
        this.space();
        if (this.text[this.at] === ']') {
          this.at++;
          return { kind: 'array', items: [] };
        }
        open.push({ kind: 'array', items: [] });
        return undefined;
      case '"':
        return { kind: 'string', text: this.string() };
      case 't':
        return this.word('true', { kind: 'bool', value: true });
      case 'f':
        return this.word('false', { kind: 'bool', value: false });
      case 'n':
        return this.word('null', { kind: 'null' });
      default:
        return character !== undefined && /[-0-9]/.test(character)
          ? { kind: 'number', literal: this.number() }
          : this.fail('looking for beginning of value');
    }
  }

  /** Puts a finished value where it belongs; gives the array or object that ends with it. */
  private continue(open: Frame[], frame: Frame, node: JsonNode): JsonNode | undefined {
    this.space();
    const character = this.text[this.at];
    if (frame.kind === 'object') {
      frame.entries.push([frame.key, node]);
      if (character === ',') {
        this.at++;
        this.space();
        frame.key = this.key();
        return undefined;
      }
    } else {
      frame.items.push(node);
      if (character === ',') {
        this.at++;
        return undefined;
      }
    }
    if (character !== (frame.kind === 'object' ? '}' : ']')) {
      this.fail(frame.kind === 'object' ? 'after object key:value pair' : 'after array element');
    }
    this.at++;
    open.pop();
    return frame;
  }

  private key(): string {
    if (this.text[this.at] !== '"') {
      this.fail('looking for beginning of object key string');
    }
    const key = this.string();
    this.space();
    if (this.text[this.at] !== ':') {
      this.fail('after object key');
    }
    this.at++;
    return key;
  }

  private string(): string {
    this.at++;
    let value = '';
    for (;;) {
      const character = this.text[this.at];
      if (character === undefined || character < ' ') {
        return this.fail('in string literal');
      }
      this.at++;
      if (character === '"') {
        return value;
      }
      value += character === '\\' ? this.escape() : character;
    }
  }

  private escape(): string {
    const character = this.text[this.at];
    if (character === 'u') {
      this.at++;
      const start = this.at;
      while (this.at < start + 4) {
        if (!/[0-9a-fA-F]/.test(this.text[this.at] ?? '')) {
          this.fail('in \\u hexadecimal character escape');
        }
        this.at++;
      }
      return String.fromCharCode(Number.parseInt(this.text.slice(start, this.at), 16));
    }
    if (character === undefined || ESCAPES[character] === undefined) {
      return this.fail('in string escape code');
    }
    this.at++;
    return ESCAPES[character];
  }

  private word(word: string, node: JsonNode): JsonNode {
    for (const [index, letter] of [...word].entries()) {
      if (this.text[this.at] !== letter) {
        this.fail(`in literal ${word} (expecting '${word[index]!}')`);
      }
      this.at++;
    }
    return node;
  }

  private number(): string {
    const start = this.at;
    if (this.text[this.at] === '-') {
      this.at++;
    }
    if (this.text[this.at] === '0') {
      this.at++;
    } else {
      this.digits('in numeric literal');
    }
    if (this.text[this.at] === '.') {
      this.at++;
      this.digits('after decimal point in numeric literal');
    }
    if (/[eE]/.test(this.text[this.at] ?? '')) {
      this.at++;
      if (/[-+]/.test(this.text[this.at] ?? '')) {
        this.at++;
      }
      this.digits('in exponent of numeric literal');
    }
    return this.text.slice(start, this.at);
  }

  private digits(context: string): void {
    if (!/[0-9]/.test(this.text[this.at] ?? '')) {
      this.fail(context);
    }
    while (/[0-9]/.test(this.text[this.at] ?? '')) {
      this.at++;
    }
  }

  private space(): void {
    while (/[ \t\r\n]/.test(this.text[this.at] ?? '')) {
      this.at++;
    }
  }

  private fail(context: string): never {
    if (this.at >= this.text.length) {
      // Go puts a space behind the text to see whether it was complete, and complains of that space where none may be.
      throw new BuildError(
        /literal|escape/.test(context) && context !== 'in string literal'
          ? `invalid character ' ' ${context}`
          : 'unexpected end of JSON input',
      );
    }
    // Go looks at bytes, and shows the first one of a character beyond ASCII as the Latin letter of that number.
    const [byte = 0] = Buffer.from(String.fromCodePoint(this.text.codePointAt(this.at)!));
    throw new BuildError(`invalid character ${quotedByte(byte)} ${context}`);
  }
}

type Frame =
  | { readonly kind: 'object'; readonly entries: (readonly [string, JsonNode])[]; key: string }
  | { readonly kind: 'array'; readonly items: JsonNode[] };

function quotedByte(byte: number): string {
  const named: Readonly<Record<number, string>> = {
    7: '\\a',
    8: '\\b',
    9: '\\t',
    10: '\\n',
    11: '\\v',
    12: '\\f',
    13: '\\r',
    39: "\\'",
    92: '\\\\',
    // A soft hyphen and a no-break space are nothing that Go prints.
    160: '\\u00a0',
    173: '\\u00ad',
  };
  const hex = byte.toString(16).padStart(2, '0');
  const shown =
    named[byte] ??
    (byte < 32 || byte === 127 ? `\\x${hex}` : byte > 127 && byte < 160 ? `\\u00${hex}` : String.fromCharCode(byte));
  return `'${shown}'`;
}
