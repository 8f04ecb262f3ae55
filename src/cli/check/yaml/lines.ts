/** A place in a text, both counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Finds the line of an offset; it is made when the first one is asked for. */
export class Lines {
  private starts: number[] | undefined;

  public constructor(private readonly text: string) {}

  /** Columns count UTF-16 units, as editors and SARIF do. */
  public placeOf(offset: number): Place {
    const starts = (this.starts ??= this.read());
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return { line: low + 1, column: offset - starts[low]! + 1 };
  }

  private read(): number[] {
    const starts = [0];
    for (let i = this.text.indexOf('\n'); i >= 0; i = this.text.indexOf('\n', i + 1)) {
      starts.push(i + 1);
    }
    return starts;
  }
}
