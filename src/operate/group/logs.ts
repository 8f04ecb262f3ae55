import { isFailure } from '../kubectl/failure';
import type { Kubectl } from '../kubectl/kubectl';
import type { Running } from '../kubectl/running';
import type { LiveGroup, LivePod } from './live';

/** Lines that are kept of each pod. A traceback of vLLM has some hundred. */
const MOST_LINES = 4000;
/** Lines from before. */
const TAIL = 1000;
const OPEN_SECONDS = 10;

/** What each rank wrote. */
export interface RankLogs {
  readonly log: (rank: number) => string;
  /** Why some could not be read, a line each. */
  readonly unread: readonly string[];
}

/** The logs of all ranks as they are written: what a rank says last is here when its pod is gone. */
export class FollowedLogs implements RankLogs {
  /** Returns when each of them has begun to come. */
  public static async open(kubectl: Kubectl, group: LiveGroup): Promise<FollowedLogs> {
    const logs = new FollowedLogs();
    await Promise.all(group.pods.map((pod) => logs.follow(kubectl, pod)));
    return logs;
  }

  private readonly lines = new Map<number, string[]>();
  private readonly running: Running[] = [];
  public readonly unread: string[] = [];

  private constructor() {
    // By `open` alone.
  }

  public readonly log = (rank: number): string => (this.lines.get(rank) ?? []).join('\n');

  public async close(): Promise<void> {
    await Promise.all(this.running.map((each) => each.close()));
  }

  private async follow(kubectl: Kubectl, { rank, name, container }: LivePod): Promise<void> {
    const lines: string[] = [];
    this.lines.set(rank, lines);
    let late: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      const running = kubectl.start(['logs', name, `--container=${container}`, '--follow', `--tail=${TAIL}`], {
        onLine: (line) => {
          lines.push(line);
          if (lines.length > MOST_LINES) {
            lines.splice(0, MOST_LINES / 4);
          }
          resolve();
        },
      });
      this.running.push(running);
      late = setTimeout(resolve, OPEN_SECONDS * 1000);
      void running.ended.then((code) => {
        if (code !== 0 && lines.length === 0) {
          this.unread.push(kubectl.explain(running.said).message);
        }
        resolve();
      });
    });
    clearTimeout(late);
  }
}

/** The logs of all ranks as they are now, and what a container wrote before it was restarted. */
export async function readLogs(kubectl: Kubectl, group: LiveGroup): Promise<RankLogs> {
  const logs = new Map<number, string>();
  const unread: string[] = [];
  for (const { rank, name, container, restarts } of group.pods) {
    const texts: string[] = [];
    for (const more of restarts > 0 ? [['--previous'], []] : [[]]) {
      try {
        const where = [`--namespace=${kubectl.namespace}`, name, `--container=${container}`];
        texts.push(await kubectl.run(['logs', ...where, `--tail=${TAIL}`, ...more]));
      } catch (error) {
        // A container that has not started has no log.
        if (isFailure(error, 'forbidden', 'unreachable', 'late')) {
          unread.push(error.message);
        }
      }
    }
    logs.set(rank, texts.join('\n'));
  }
  return { log: (rank) => logs.get(rank) ?? '', unread: [...new Set(unread)] };
}
