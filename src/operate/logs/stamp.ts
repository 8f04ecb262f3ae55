/** A line of a log with its moment, as `kubectl logs --timestamps` gives it. */
export interface StampedLine {
  /** `2026-01-02T03:04:05.006007008Z`, always of that length: later ones sort behind. Empty where there is none. */
  readonly stamp: string;
  readonly text: string;
}

const STAMPED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)(?: |$)/;

/** Runtimes leave zeros at the end out, and some write the time of their zone. */
export function stampedLine(line: string): StampedLine {
  const [whole, seconds, fraction = '', zone] = STAMPED.exec(line) ?? [];
  if (whole === undefined) {
    return { stamp: '', text: line };
  }
  const utc = zone === 'Z' ? seconds! : new Date(`${seconds}${zone}`).toISOString().slice(0, 19);
  return { stamp: `${utc}.${fraction.padEnd(9, '0')}Z`, text: line.slice(whole.length) };
}

/**
 * How far a line may be stamped behind one that was written before it: the runtime reads the two streams of a container side by
 * side.
 */
const OUT_OF_ORDER_SECONDS = 5;

/**
 * Where reading has come to. Asked for anew, a log begins some seconds before, and what is known of it is left out: line by line,
 * since neither a stamp nor the order tells lines apart.
 */
export class Behind {
  private lines: StampedLine[] = [];
  private newest = '';
  private start = '';
  /** Known lines that are still to come again, and how often. */
  private readonly expected = new Map<string, number>();

  /** @param known the last lines of a log that is gone on with */
  public constructor(known: readonly StampedLine[] = []) {
    known.forEach((line) => this.add(line));
    this.again();
  }

  /** From when on the log has to be asked for, in whole seconds, which the server takes; empty for all of it. */
  public get from(): string {
    return this.start;
  }

  /** The last lines, as far back as they may come again. */
  public get recent(): readonly StampedLine[] {
    return this.lines;
  }

  /** To be called when the log is asked for again. */
  public again(): void {
    this.expected.clear();
    this.start = this.newest === '' ? '' : earlier(this.newest);
    this.lines.forEach(({ stamp, text }) => {
      const key = `${stamp} ${text}`;
      this.expected.set(key, (this.expected.get(key) ?? 0) + 1);
    });
  }

  /** Whether a line has not come before. */
  public isNew(line: StampedLine): boolean {
    if (line.stamp === '') {
      return true;
    }
    const key = `${line.stamp} ${line.text}`;
    const count = this.expected.get(key) ?? 0;
    if (count > 0) {
      this.expected.set(key, count - 1);
      return false;
    }
    if (line.stamp < this.start) {
      return false;
    }
    this.add(line);
    return true;
  }

  private add(line: StampedLine): void {
    const isLater = line.stamp.slice(0, 19) > this.newest.slice(0, 19);
    this.newest = line.stamp > this.newest ? line.stamp : this.newest;
    this.lines.push(line);
    if (isLater) {
      const start = earlier(this.newest);
      this.lines = this.lines.filter(({ stamp }) => stamp >= start);
    }
  }
}

function earlier(stamp: string): string {
  const seconds = Date.parse(`${stamp.slice(0, 19)}Z`) - OUT_OF_ORDER_SECONDS * 1000;
  return `${new Date(seconds).toISOString().slice(0, 19)}Z`;
}
