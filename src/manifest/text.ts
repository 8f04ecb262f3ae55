/** A part of a text that the manifest does not give. */
export interface Hole {
  /**
   * What fills it: `LWS_WORKER_INDEX`, `secret hf/token`, `field status.podIP`. Two holes of one source have one value,
   * except those that differ from pod to pod.
   */
  readonly source?: string;
  /** Whether every pod of the group gets the same there. */
  readonly isSharedByGroup?: boolean;
  /** Whether it is surely one word, so that a shell does not split it. */
  readonly isOneWord?: boolean;
  /** Why it is not known, as the end of a sentence. */
  readonly why: string;
}

export type Piece = string | Hole;

/** A text of known parts and holes. What is not known stays visible as such and is never guessed. */
export class Text {
  public static readonly EMPTY = new Text([]);

  public static of(text: string): Text {
    return text === '' ? Text.EMPTY : new Text([text]);
  }

  public static hole(hole: Hole): Text {
    return new Text([hole]);
  }

  public static join(parts: readonly (Text | Piece)[]): Text {
    const pieces: Piece[] = [];
    let literal: string[] = [];
    const flush = () => {
      if (literal.length > 0) {
        pieces.push(literal.join(''));
        literal = [];
      }
    };
    for (const part of parts) {
      for (const piece of part instanceof Text ? part.pieces : [part]) {
        if (typeof piece !== 'string') {
          flush();
          pieces.push(piece);
        } else if (piece !== '') {
          literal.push(piece);
        }
      }
    }
    flush();
    return new Text(pieces);
  }

  private constructor(public readonly pieces: readonly Piece[]) {}

  /** The text; nothing when a part of it is not known. */
  public get value(): string | undefined {
    return this.pieces.length === 0
      ? ''
      : this.pieces.length === 1 && typeof this.pieces[0] === 'string'
        ? this.pieces[0]
        : undefined;
  }

  public get holes(): readonly Hole[] {
    return this.pieces.filter((piece): piece is Hole => typeof piece !== 'string');
  }

  /** Characters, a hole counted as one. */
  public get length(): number {
    return this.pieces.reduce((length, piece) => length + (typeof piece === 'string' ? piece.length : 1), 0);
  }

  /** Why it is not known. */
  public get why(): string | undefined {
    return this.holes[0]?.why;
  }

  /** The known part before the first hole. */
  public get start(): string {
    const [first] = this.pieces;
    return typeof first === 'string' ? first : '';
  }

  /** What fills it as a whole, when it is one hole and nothing else. */
  public get source(): string | undefined {
    const [only] = this.pieces;
    return this.pieces.length === 1 && typeof only === 'object' ? only.source : undefined;
  }

  /** The text behind a number of characters, which lie before the first hole. */
  public after(length: number): Text {
    return Text.join([this.start.slice(length), ...this.pieces.slice(this.start === '' ? 0 : 1)]);
  }

  /** Whether two pods of a group get the same; `undefined` when that is not known. */
  public sameAs(other: Text): boolean | undefined {
    if (this.value !== undefined && other.value !== undefined) {
      return this.value === other.value;
    }
    const isSame =
      this.pieces.length === other.pieces.length &&
      this.pieces.every((piece, i) => {
        const their = other.pieces[i]!;
        return typeof piece === 'string' || typeof their === 'string'
          ? piece === their
          : piece.source !== undefined && piece.source === their.source && piece.isSharedByGroup === true;
      });
    return isSame ? true : undefined;
  }

  /** For a person: holes as `$(NAME)`. */
  public toString(): string {
    return this.pieces.map((piece) => (typeof piece === 'string' ? piece : `$(${piece.source ?? '…'})`)).join('');
  }
}

/** One word of a command line. */
export interface Word {
  readonly text: Text;
  /** JSON path of the text that it stands in: `….containers[0].args[3]`. */
  readonly path: string;
  /** Why it may be no word or several: a shell splits what it holds. */
  readonly maySplit?: string;
}

/** Something that could not be read, within one object. */
export interface Gap {
  readonly path: string;
  /** What was not read. */
  readonly what: string;
  /** Why not. */
  readonly why: string;
}
