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

/** A stamp to go on from: the server takes whole seconds. */
export function secondsOf(stamp: string): string {
  return `${stamp.slice(0, 19)}Z`;
}

/** Where reading has come to: lines of the same moment are told apart by their number. */
export interface Place {
  readonly stamp: string;
  /** Lines with that stamp. */
  readonly count: number;
}

/** Lets lines through that are behind a place, and moves it along. Asked for anew, a log begins some lines before. */
export class Behind {
  private skip: number;

  public constructor(private place: Place = { stamp: '', count: 0 }) {
    this.skip = place.count;
  }

  /** Where it stands, to go on from later. */
  public get now(): Place {
    return this.place;
  }

  /** To be called when the log is asked for again. */
  public again(): void {
    this.skip = this.place.count;
  }

  public isNew({ stamp }: StampedLine): boolean {
    const { stamp: last, count } = this.place;
    if (stamp === '' || last === '') {
      this.place = stamp === '' ? this.place : { stamp, count: 1 };
      return true;
    }
    if (stamp < last || (stamp === last && this.skip > 0)) {
      this.skip -= stamp === last ? 1 : 0;
      return false;
    }
    this.skip = 0;
    this.place = stamp === last ? { stamp, count: count + 1 } : { stamp, count: 1 };
    return true;
  }
}
