import type { KubernetesObject } from '../../manifest';
import { instancesOf } from '../group/instances';
import { isGoing, type LiveGroup, selectorOf } from '../group/live';
import { type Member, memberOf } from '../group/members';
import { isReady } from '../group/pod-state';
import { type PodChange, PodWatch } from '../group/pod-watch';
import type { Kubectl } from '../kubectl/kubectl';
import type { PodSeen } from './timeline';

/** All that happens to the pods of a group, with the moment when this machine learnt of it. */
export class Recorder {
  public static async open(kubectl: Kubectl, group: LiveGroup): Promise<Recorder> {
    const recorder = new Recorder(group);
    // The pods that are there come first.
    recorder.watch = await PodWatch.open(kubectl, {
      ...selectorOf(group),
      onChange: (change) => recorder.onChange(change),
    });
    recorder.isFirst = false;
    return recorder;
  }

  public readonly seen: PodSeen[] = [];
  private readonly members = new Map<string, Member>();
  /** Pods of the same owner that are groups of their own: of several of a Deployment, one is drilled. */
  private readonly bystanders = new Set<string>();
  private isFirst = true;
  private readonly waiting = new Set<() => void>();
  private watch: PodWatch | undefined;

  private constructor(private readonly group: LiveGroup) {}

  /** Pods that are there and are not on their way out, by rank. */
  public present(): Member[] {
    return [...this.members.values()].filter(({ object }) => !isGoing(object)).sort((a, b) => a.rank - b.rank);
  }

  public last(uid: string): PodSeen | undefined {
    return this.seen.findLast((pod) => pod.uid === uid);
  }

  /** Waits until something holds; false when the time is over. */
  public async until(seconds: number, holds: () => boolean): Promise<boolean> {
    const end = Date.now() + seconds * 1000;
    while (!holds()) {
      const left = end - Date.now();
      if (left <= 0) {
        return false;
      }
      await this.next(Math.min(left, 1000));
    }
    return true;
  }

  public async close(): Promise<void> {
    await this.watch?.close();
  }

  /** What comes later is the successor of the one that is drilled, as far as can be told. */
  private isBystander({ uid }: Member): boolean {
    const { kind, size, pods } = this.group;
    if (this.isFirst && size === 1 && kind !== 'LeaderWorkerSet' && pods.every((pod) => pod.uid !== uid)) {
      this.bystanders.add(uid);
    }
    return this.bystanders.has(uid);
  }

  private next(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      this.waiting.add(done);
    });
  }

  private onChange({ kind, object, at }: PodChange): void {
    const member = memberOf(this.group, object);
    if (member === undefined || this.isBystander(member)) {
      return;
    }
    if (kind === 'gone') {
      this.members.delete(member.uid);
    } else {
      this.members.set(member.uid, member);
    }
    this.seen.push(seenOf(member, object, at, kind === 'gone'));
    [...this.waiting].forEach((done) => done());
  }
}

function seenOf(
  { uid, rank, name, node, container }: Member,
  object: KubernetesObject,
  at: number,
  isGone: boolean,
): PodSeen {
  const lives = instancesOf(object, container);
  const present = lives.at(-1);
  const started = present?.state === 'running' ? Date.parse(present.startedAt ?? '') : NaN;
  return {
    at,
    uid,
    rank,
    name,
    isGone,
    isGoing: isGoing(object),
    ...(node !== undefined && { node }),
    ended: lives.filter(({ state }) => state === 'ended').length + (present?.restart ?? 0),
    ...(Number.isFinite(started) && { startedAt: started }),
    isReady: isReady(object) && !isGoing(object),
  };
}
