import type { Kubectl } from '../kubectl/kubectl';
import type { Running } from '../kubectl/running';
import { Behind, type Place, secondsOf, type StampedLine, stampedLine } from './stamp';

/** Which log, and from where on. */
export interface LogWanted {
  readonly pod: string;
  readonly container: string;
  readonly place?: Place;
  /** Only lines of the last so many seconds, or so many lines of each pod. */
  readonly sinceSeconds?: number;
  readonly tail?: number;
}

/** Words of `kubectl logs` for a log. */
export function logArgs({ pod, container, sinceSeconds, tail }: LogWanted, place?: Place): string[] {
  return [
    'logs',
    pod,
    `--container=${container}`,
    '--timestamps',
    ...(place !== undefined && place.stamp !== ''
      ? [`--since-time=${secondsOf(place.stamp)}`]
      : [
          ...(sinceSeconds === undefined ? [] : [`--since=${sinceSeconds}s`]),
          ...(tail === undefined ? [] : [`--tail=${tail}`]),
        ]),
  ];
}

/** The log of one life of a container, followed to its end; asked for anew, it goes on where it was. */
export class LogStream {
  private readonly behind: Behind;
  private running: Running | undefined;

  public constructor(
    private readonly kubectl: Kubectl,
    private readonly wanted: LogWanted,
    private readonly onLine: (line: StampedLine) => void,
  ) {
    this.behind = new Behind(wanted.place);
  }

  /**
   * Until it ends, or the way there breaks.
   * @param isPrevious that of the container before its restart, which is whole
   * @returns what kubectl complained of; nothing when it came to the end
   */
  public async read(isPrevious: boolean): Promise<string | undefined> {
    this.behind.again();
    const args = logArgs(this.wanted, this.behind.now);
    const running = this.kubectl.start([...args, isPrevious ? '--previous' : '--follow'], {
      onLine: (line) => {
        const stamped = stampedLine(line);
        const known = stamped.stamp === '' ? { ...stamped, stamp: this.behind.now.stamp } : stamped;
        if (stamped.stamp === '' || this.behind.isNew(stamped)) {
          this.onLine(known);
        }
      },
    });
    this.running = running;
    const code = await running.ended;
    return code === 0 ? undefined : this.kubectl.explain(running.said).message;
  }

  public async close(): Promise<void> {
    await this.running?.close();
  }
}
