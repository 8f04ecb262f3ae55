import { Scanner, type Token } from './scanner';
import { Unreadable } from './unreadable';

/** Collections within one another; no object comes near, and what reads them need not fear for its stack. */
export const MOST_DEPTH = 400;

/** What stands before a value; empty where there is none. */
export interface Properties {
  readonly anchor: string;
  readonly tag: string;
}

/** What is told of a text, in its order. A mapping is told as key, value, key, value. */
export interface Listener {
  readonly onDocument: () => void;
  readonly onOpen: (kind: 'mapping' | 'sequence', start: number, properties: Properties) => void;
  readonly onClose: () => void;
  /** `isPlain`: its words decide what it is. */
  readonly onScalar: (value: string, start: number, isPlain: boolean, properties: Properties) => void;
  readonly onAlias: (name: string, start: number) => void;
}

const NONE: Properties = { anchor: '', tag: '' };

/** Reads a text and tells what is in it; throws `Unreadable`. */
export function parse(text: string, listener: Listener): void {
  new Parser(new Scanner(text), listener).stream();
}

class Parser {
  private depth = 0;

  public constructor(
    private readonly scanner: Scanner,
    private readonly listener: Listener,
  ) {}

  public stream(): void {
    const { scanner, listener } = this;
    let isFirst = true;
    for (;;) {
      while (scanner.peek().type === 'document-end') {
        scanner.take();
      }
      let isExplicit = false;
      while (scanner.peek().type === 'directive') {
        scanner.take();
        isExplicit = true;
      }
      const token = scanner.peek();
      if (token.type === 'stream-end' && !isExplicit) {
        return;
      }
      if (token.type === 'document-start') {
        scanner.take();
      } else if (isExplicit) {
        throw new Unreadable("'---' has to follow a directive", token.start);
      } else if (!isFirst) {
        throw new Unreadable(
          `it ends above this line, which is ${this.placeOf(token)}; look at the indentation`,
          token.start,
        );
      }
      isFirst = false;
      listener.onDocument();
      switch (scanner.peek().type) {
        case 'directive':
        case 'document-start':
        case 'document-end':
        case 'stream-end':
          this.empty(token.start);
          break;
        default:
          this.node(true, false);
      }
    }
  }

  private placeOf({ type }: Token): string {
    return type === 'block-mapping-start' || type === 'key' ? 'a key of nothing' : 'no part of it';
  }

  private empty(start: number): void {
    this.listener.onScalar('', start, true, NONE);
  }

  private node(isBlock: boolean, mayBeIndentless: boolean): void {
    const { scanner, listener } = this;
    let token = scanner.peek();
    const { start } = token;
    if (token.type === 'alias') {
      scanner.take();
      listener.onAlias(token.value, start);
      return;
    }
    let properties = NONE;
    for (; token.type === 'anchor' || token.type === 'tag'; token = scanner.peek()) {
      if (properties[token.type] !== '') {
        throw new Unreadable(`a second ${token.type} before one value`, token.start);
      }
      properties = { ...properties, [token.type]: token.value };
      scanner.take();
    }
    switch (token.type) {
      case 'plain':
      case 'quoted':
        scanner.take();
        listener.onScalar(token.value, token.start, token.type === 'plain', properties);
        return;
      case 'flow-sequence-start':
        this.within('sequence', token.start, properties, () => this.flowSequence());
        return;
      case 'flow-mapping-start':
        this.within('mapping', token.start, properties, () => this.flowMapping());
        return;
      case 'block-entry':
        if (mayBeIndentless) {
          this.within('sequence', token.start, properties, () => this.indentlessSequence());
          return;
        }
        break;
      case 'block-sequence-start':
        if (isBlock) {
          this.within('sequence', token.start, properties, () => this.blockSequence());
          return;
        }
        break;
      case 'block-mapping-start':
        if (isBlock) {
          this.within('mapping', token.start, properties, () => this.blockMapping());
          return;
        }
        break;
    }
    if (properties === NONE) {
      throw new Unreadable('no value where one is expected', token.start);
    }
    listener.onScalar('', start, true, properties);
  }

  private within(kind: 'mapping' | 'sequence', start: number, properties: Properties, content: () => void): void {
    if (++this.depth > MOST_DEPTH) {
      throw new Unreadable(`it is nested more than ${MOST_DEPTH} deep`, start);
    }
    this.listener.onOpen(kind, start, properties);
    content();
    this.listener.onClose();
    this.depth--;
  }

  private blockSequence(): void {
    const { scanner } = this;
    scanner.take();
    while (scanner.peek().type === 'block-entry') {
      const { start } = scanner.take();
      const { type } = scanner.peek();
      if (type === 'block-entry' || type === 'block-end') {
        this.empty(start);
      } else {
        this.node(true, false);
      }
    }
    const end = scanner.take();
    if (end.type !== 'block-end') {
      throw new Unreadable("an entry of the list, with its '-', is expected here; look at the indentation", end.start);
    }
  }

  private indentlessSequence(): void {
    const { scanner } = this;
    while (scanner.peek().type === 'block-entry') {
      const { start } = scanner.take();
      switch (scanner.peek().type) {
        case 'block-entry':
        case 'key':
        case 'value':
        case 'block-end':
          this.empty(start);
          break;
        default:
          this.node(true, false);
      }
    }
  }

  private blockMapping(): void {
    const { scanner } = this;
    scanner.take();
    while (scanner.peek().type === 'key') {
      this.blockPart(scanner.take().start);
      const next = scanner.peek();
      if (next.type === 'value') {
        this.blockPart(scanner.take().start);
      } else {
        this.empty(next.start);
      }
    }
    const end = scanner.take();
    if (end.type !== 'block-end') {
      throw new Unreadable('a key is expected here; look at the indentation', end.start);
    }
  }

  /** A key or a value of a block. */
  private blockPart(start: number): void {
    switch (this.scanner.peek().type) {
      case 'key':
      case 'value':
      case 'block-end':
        this.empty(start);
        break;
      default:
        this.node(true, true);
    }
  }

  private flowSequence(): void {
    const { scanner, listener } = this;
    const { start } = scanner.take();
    for (let isFirst = true; scanner.peek().type !== 'flow-sequence-end'; isFirst = false) {
      if (!isFirst) {
        this.comma(start, ']');
        if (scanner.peek().type === 'flow-sequence-end') {
          break;
        }
      }
      if (scanner.peek().type === 'key') {
        // A pair in a list is a mapping of its own.
        const key = scanner.take();
        listener.onOpen('mapping', key.start, NONE);
        this.flowPart(key.start, 'flow-sequence-end', true);
        this.flowValue(key.start, 'flow-sequence-end');
        listener.onClose();
      } else {
        this.node(false, false);
      }
    }
    scanner.take();
  }

  private flowMapping(): void {
    const { scanner } = this;
    const { start } = scanner.take();
    for (let isFirst = true; scanner.peek().type !== 'flow-mapping-end'; isFirst = false) {
      if (!isFirst) {
        this.comma(start, '}');
        if (scanner.peek().type === 'flow-mapping-end') {
          break;
        }
      }
      const next = scanner.peek();
      if (next.type === 'key') {
        scanner.take();
        this.flowPart(next.start, 'flow-mapping-end', true);
        this.flowValue(next.start, 'flow-mapping-end');
      } else {
        this.node(false, false);
        this.empty(next.start);
      }
    }
    scanner.take();
  }

  private comma(start: number, close: string): void {
    const token = this.scanner.take();
    if (token.type !== 'flow-entry') {
      throw token.type === 'stream-end' || token.type === 'document-start'
        ? new Unreadable(`this bracket is never closed by '${close}'`, start)
        : new Unreadable(`',' or '${close}' is expected here`, token.start);
    }
  }

  private flowValue(start: number, close: Token['type']): void {
    if (this.scanner.peek().type === 'value') {
      this.scanner.take();
      this.flowPart(start, close, false);
    } else {
      this.empty(start);
    }
  }

  /** A key or a value within brackets. */
  private flowPart(start: number, close: Token['type'], isKey: boolean): void {
    const { type } = this.scanner.peek();
    if (type === 'flow-entry' || type === close || (isKey && type === 'value')) {
      this.empty(start);
    } else {
      this.node(false, false);
    }
  }
}
