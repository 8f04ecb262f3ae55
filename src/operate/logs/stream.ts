import type { ClusterFailure } from '../kubectl/failure';
import type { Kubectl } from '../kubectl/kubectl';
import type { Running } from '../kubectl/running';
import { Behind, type StampedLine, stampedLine } from './stamp';

/** Which log, and from where on. */
export interface LogWanted {
  readonly pod: string;
  readonly container: string;
  /** The last lines of it that are known. */
  readonly known?: readonly StampedLine[];
  /** Only lines of the last so many seconds, or so many lines of each pod. */
  readonly sinceSeconds?: number;
  readonly tail?: number;
}

/** Words of `kubectl logs` for a log. */
export function logArgs({ pod, container, sinceSeconds, tail }: LogWanted, from = ''): string[] {
  return [
    'logs',
    pod,
    `--container=${container}`,
    '--timestamps',
    ...(from !== ''
      ? [`--since-time=${from}`]
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
  private last = '';

  public constructor(
    private readonly kubectl: Kubectl,
    private readonly wanted: LogWanted,
    private readonly onLine: (line: StampedLine) => void,
  ) {
    this.behind = new Behind(wanted.known);
  }

  /**
   * Until it ends, or the way there breaks.
   * @param isPrevious that of the container before its restart, which is whole
   * @returns what kubectl complained of; nothing when it came to the end
   */
  public async read(isPrevious: boolean): Promise<ClusterFailure | undefined> {
    this.behind.again();
    const args = logArgs(this.wanted, this.behind.from);
    const running = this.kubectl.start([...args, isPrevious ? '--previous' : '--follow'], {
      onLine: (line) => {
        const stamped = stampedLine(line);
        if (this.behind.isNew(stamped)) {
          this.last = stamped.stamp || this.last;
          this.onLine({ ...stamped, stamp: this.last });
        }
      },
    });
    this.running = running;
    const code = await running.ended;
    return code === 0 ? undefined : this.kubectl.explain(running.said);
  }

  public async close(): Promise<void> {
    await this.running?.close();
  }
}
