/** Seconds after which a log that says nothing is taken to have nothing to say; and until its first line. */
const QUIET_SECONDS = 0.5;
const FIRST_SECONDS = 3;

interface Source<Line> {
  readonly lines: Queue<Line>;
  /** Until when an older line may still come, in seconds of the clock. */
  quietAt: number;
  isOpen: boolean;
}

/** Lines that wait. Taking the first of many out of an array moves all the others. */
class Queue<Line> {
  private lines: Line[] = [];
  private taken = 0;

  public get length(): number {
    return this.lines.length - this.taken;
  }

  public get first(): Line {
    return this.lines[this.taken]!;
  }

  public push(line: Line): void {
    this.lines.push(line);
  }

  public take(): Line {
    const line = this.first;
    this.taken++;
    if (this.taken * 2 > this.lines.length) {
      this.lines = this.lines.slice(this.taken);
      this.taken = 0;
    }
    return line;
  }
}

/**
 * Puts the lines of several logs into the order of their time, while they are written. A line waits until no other log can
 * have an older one: it has said something later, has ended, or is quiet.
 */
export class Merge<Line extends { readonly time: string }> {
  private readonly sources = new Map<string, Source<Line>>();

  /** @param clock seconds, from wherever */
  public constructor(
    private readonly emit: (line: Line) => void,
    private readonly clock: () => number = () => performance.now() / 1000,
  ) {}

  public open(id: string): void {
    const known = this.sources.get(id);
    this.sources.set(id, {
      lines: known?.lines ?? new Queue<Line>(),
      quietAt: this.clock() + FIRST_SECONDS,
      isOpen: true,
    });
  }

  public push(id: string, line: Line): void {
    const source = this.sources.get(id);
    if (source === undefined) {
      this.emit(line);
      return;
    }
    source.lines.push(line);
    source.quietAt = this.clock() + QUIET_SECONDS;
    this.release();
  }

  public close(id: string): void {
    const source = this.sources.get(id);
    if (source !== undefined) {
      source.isOpen = false;
      this.release();
    }
  }

  /** Gives out what need not wait any more. To be called every now and then. */
  public release(): void {
    for (let next = this.first(); next !== undefined && !this.mustWait(next); next = this.first()) {
      this.emit(next.lines.take());
    }
    for (const [id, { isOpen, lines }] of this.sources) {
      if (!isOpen && lines.length === 0) {
        this.sources.delete(id);
      }
    }
  }

  /** Gives out all that is left. */
  public flush(): void {
    for (let next = this.first(); next !== undefined; next = this.first()) {
      this.emit(next.lines.take());
    }
  }

  private first(): Source<Line> | undefined {
    let found: Source<Line> | undefined;
    for (const source of this.sources.values()) {
      if (source.lines.length > 0 && (found === undefined || source.lines.first.time < found.lines.first.time)) {
        found = source;
      }
    }
    return found;
  }

  private mustWait(next: Source<Line>): boolean {
    const now = this.clock();
    return [...this.sources.values()].some(
      (other) => other !== next && other.isOpen && other.lines.length === 0 && now < other.quietAt,
    );
  }
}
