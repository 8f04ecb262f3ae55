import type { KubernetesObject } from '../../manifest';
import { type Instance, instancesOf } from '../group/instances';
import { isGoing, type LiveGroup, selectorOf } from '../group/live';
import { type Member, memberOf } from '../group/members';
import { type PodChange, PodWatch } from '../group/pod-watch';
import { isReady } from '../group/pod-state';
import { isFailure } from '../kubectl/failure';
import type { Kubectl } from '../kubectl/kubectl';
import { pause } from '../pause';
import { failureOf, type Written } from './failure';
import type { KeepFolder } from './keep';
import { Merge } from './merge';
import type { LogEntry, LogLine, LogSource } from './report';
import { LogStream } from './stream';

export interface Following {
  readonly kubectl: Kubectl;
  readonly group: LiveGroup;
  readonly isWanted: (member: Member) => boolean;
  readonly keep?: KeepFolder;
  readonly sinceSeconds?: number;
  readonly tail?: number;
  readonly tell: (entry: LogEntry) => void;
  /** What ends it all: a disk that is full. */
  readonly onFailure: (error: unknown) => void;
}

/** Lines that are kept of a rank to read after its end. */
const MOST_LINES = 2000;
/** How long the last lines of a rank may take after its end has been told. */
const LAST_LINES_SECONDS = 5;
const RETRY_SECONDS = 1;
const RELEASE_SECONDS = 0.1;

/** A pod of the group, from when it is first seen to its end. */
interface Followed {
  member: Member;
  isGoing: boolean;
  isReady: boolean;
  isGone: boolean;
  instances: readonly Instance[];
  readonly lives: Map<number, Life>;
}

/** One life of its container. */
interface Life {
  readonly source: LogSource;
  readonly log: string[];
  readonly stream: LogStream;
  over: Promise<void>;
  isTold: boolean;
}

/** The logs of all ranks of a group as they are written, over restarts and recreations. */
export class FollowedGroup {
  public static async open(following: Following): Promise<FollowedGroup> {
    const followed = new FollowedGroup(following);
    const { kubectl, group } = following;
    try {
      followed.watch = await PodWatch.open(kubectl, {
        ...selectorOf(group),
        onChange: (change) => followed.guard(() => followed.onChange(change)),
        onTrouble: (why) => followed.note(why === undefined ? 'the cluster answers again' : `the cluster: ${why}`),
      });
    } catch (error) {
      await followed.close();
      throw error;
    }
    followed.isFirst = false;
    return followed;
  }

  private readonly pods = new Map<string, Followed>();
  private readonly merge: Merge<LogLine>;
  private readonly timer: NodeJS.Timeout;
  private readonly readings = new Set<Promise<void>>();
  private watch: PodWatch | undefined;
  private isFirst = true;
  private isOver = false;

  private constructor(private readonly following: Following) {
    this.merge = new Merge<LogLine>((line) => following.tell(line));
    this.timer = setInterval(() => this.guard(() => this.merge.release()), RELEASE_SECONDS * 1000);
  }

  /** Ends it. What had come is told and kept; what the cluster has still been asked for is not waited for. */
  public async close(): Promise<void> {
    this.isOver = true;
    clearInterval(this.timer);
    const lives = [...this.pods.values()].flatMap(({ lives: each }) => [...each.values()]);
    await Promise.all([this.watch?.close(), ...lives.map(({ stream }) => stream.close())]);
    await Promise.all(this.readings);
    this.merge.flush();
    this.following.keep?.flush();
  }

  private onChange({ kind, object }: PodChange): void {
    const member = memberOf(this.following.group, object);
    if (this.isOver || member === undefined || !this.following.isWanted(member)) {
      return;
    }
    const known = this.pods.get(member.uid);
    const pod = known ?? this.welcome(member);
    pod.member = member;
    pod.instances = instancesOf(object, member.container);
    this.tellChanges(pod, object, kind);
    for (const instance of pod.instances) {
      const life = pod.lives.get(instance.restart) ?? this.begin(pod, instance);
      if (life !== undefined && instance.state === 'ended' && !life.isTold) {
        life.isTold = true;
        // A rank that is told to end has not failed; of what lies before, `logs` alone tells.
        if (!pod.isGoing && !(known === undefined && this.isFirst && pod.instances.length > 1)) {
          this.read(pod, life, instance);
        }
      }
    }
  }

  private welcome(member: Member): Followed {
    const pod = {
      member,
      isGoing: false,
      isReady: false,
      isGone: false,
      instances: [],
      lives: new Map<number, Life>(),
    };
    this.pods.set(member.uid, pod);
    if (!this.isFirst) {
      this.note(`is a new pod, uid ${member.uid}`, member);
    }
    return pod;
  }

  private tellChanges(pod: Followed, object: KubernetesObject, kind: PodChange['kind']): void {
    const now = { isGoing: pod.isGoing || isGoing(object), isReady: isReady(object), isGone: kind === 'gone' };
    if (now.isGoing && !pod.isGoing) {
      this.note('is being deleted', pod.member);
    }
    if (now.isReady && !pod.isReady && !this.isFirst) {
      this.note('is ready', pod.member);
    }
    if (now.isGone) {
      this.note('is gone', pod.member);
      void this.forget(pod);
    }
    Object.assign(pod, now);
  }

  /** What is kept of a rank to read after its end need not outlive the next one of its rank: a group may break for weeks. */
  private async forget({ member, lives }: Followed): Promise<void> {
    await Promise.all([...lives.values()].map(({ over }) => over));
    await Promise.all(this.readings);
    for (const [uid, other] of this.pods) {
      if (uid !== member.uid && other.isGone && other.member.rank === member.rank) {
        this.pods.delete(uid);
      }
    }
  }

  /** Begins to follow a life of a container, once there is something to follow. */
  private begin(pod: Followed, { restart, state }: Instance): Life | undefined {
    if (state === 'waiting') {
      return undefined;
    }
    const { kubectl, keep, sinceSeconds, tail } = this.following;
    const { name, uid, rank, role, container } = pod.member;
    const id = `${uid} ${restart}`;
    const source = { rank, role, pod: name, uid, restart };
    const file = keep?.file(name, uid, restart);
    const log: string[] = [];
    const stream = new LogStream(
      kubectl,
      {
        pod: name,
        container,
        ...(file && { known: file.known }),
        ...(sinceSeconds !== undefined && { sinceSeconds }),
        ...(tail !== undefined && { tail }),
      },
      (line) =>
        this.guard(() => {
          file?.append(line);
          log.push(line.text);
          if (log.length > MOST_LINES) {
            log.splice(0, MOST_LINES / 4);
          }
          this.merge.push(id, { kind: 'line', time: line.stamp, ...source, text: line.text });
        }),
    );
    const life: Life = { source, log, stream, over: Promise.resolve(), isTold: false };
    pod.lives.set(restart, life);
    this.merge.open(id);
    life.over = this.toItsEnd(pod, restart, stream).finally(() =>
      this.guard(() => {
        this.merge.close(id);
        if (file !== undefined) {
          keep!.done(file);
        }
      }),
    );
    return life;
  }

  /** Reads on as long as there is more to come, whatever breaks on the way. */
  private async toItsEnd(pod: Followed, restart: number, stream: LogStream): Promise<void> {
    let said: string | undefined;
    for (let tries = 0; !this.isOver; tries++) {
      const present = pod.instances.find((each) => each.restart === restart);
      const newest = Math.max(...pod.instances.map((each) => each.restart));
      if (pod.isGone || present === undefined) {
        break;
      }
      if (tries > 0 && (!(await this.isThere(pod)) || this.isOver)) {
        break;
      }
      const wasEnded = present.state === 'ended';
      const failure = await stream.read(restart < newest);
      const why = failure?.message;
      if (isFailure(failure, 'forbidden')) {
        this.following.onFailure(failure);
        return;
      }
      if (why === undefined && (wasEnded || restart < newest)) {
        return;
      }
      if (why !== undefined && why !== said && !pod.isGone) {
        this.note(`its log cannot be read now, and is asked for again: ${why}`, pod.member);
      }
      // The log of a container that has just ended may have been cut off before its end: it is asked for once more.
      said = why;
      await pause(RETRY_SECONDS);
    }
  }

  /** Whether the pod of that name is still the one that is meant: the next one has the same. */
  private async isThere({ member }: Followed): Promise<boolean> {
    const { kubectl } = this.following;
    try {
      const found = await kubectl.find<KubernetesObject>(kubectl.path(`pods/${encodeURIComponent(member.name)}`));
      return (found?.metadata as { uid?: string } | undefined)?.uid === member.uid;
    } catch {
      // The watch tells of a cluster that does not answer.
      return true;
    }
  }

  /** A rank has ended by itself: what its last lines tell, once they have come. */
  private read(pod: Followed, life: Life, { end }: Instance): void {
    const time = new Date().toISOString();
    const reading = Promise.race([life.over, pause(LAST_LINES_SECONDS)]).then(() =>
      this.guard(() => {
        this.merge.release();
        const dead: Written = { member: pod.member, source: life.source, log: life.log, end: end ?? {} };
        const others = [...this.pods.values()]
          .filter((other) => other !== pod && other.member.rank !== pod.member.rank)
          .flatMap((other): Written[] => {
            const last = [...other.lives.values()].at(-1);
            return last === undefined ? [] : [{ member: other.member, source: last.source, log: last.log }];
          });
        // Of a rank that was recreated, the newest pod has written nothing of this yet.
        this.following.tell(failureOf(dead, lastOfEachRank(others), time));
      }),
    );
    this.readings.add(reading);
    void reading.finally(() => this.readings.delete(reading));
  }

  private note(text: string, member?: Member): void {
    if (!this.isOver) {
      const where = member === undefined ? {} : { pod: member.name, uid: member.uid };
      this.following.tell({ kind: 'note', time: new Date().toISOString(), ...where, text });
    }
  }

  private guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.following.onFailure(error);
    }
  }
}

function lastOfEachRank(written: readonly Written[]): Written[] {
  const byRank = new Map<number, Written>();
  for (const each of written) {
    if (each.log.length > 0 || !byRank.has(each.member.rank)) {
      byRank.set(each.member.rank, each);
    }
  }
  return [...byRank.values()];
}
