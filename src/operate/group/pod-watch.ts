import { dig, type KubernetesObject, textOf } from '../../manifest';
import { ClusterFailure } from '../kubectl/failure';
import type { Kubectl } from '../kubectl/kubectl';
import type { Running } from '../kubectl/running';
import { pause } from '../pause';

/** A pod that has come, changed, or gone. */
export interface PodChange {
  readonly kind: 'here' | 'changed' | 'gone';
  readonly object: KubernetesObject;
  /** When this machine learnt of it, in milliseconds since 1970. */
  readonly at: number;
}

interface List {
  readonly metadata: { readonly resourceVersion?: string };
  /** Go writes an empty list as null. */
  readonly items: readonly KubernetesObject[] | null;
}

interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: KubernetesObject;
}

/** The API server ends a watch by then, and another one begins. */
const WATCH_SECONDS = 3000;
const PAUSE_SECONDS = 1;

export interface PodWatching {
  /** `leaderworkerset.sigs.k8s.io/name=gemma`; all pods of the namespace without one. */
  readonly selector?: string;
  readonly onChange: (change: PodChange) => void;
  /** The cluster does not answer any more, in words; and that it does again, without. */
  readonly onTrouble?: (why: string | undefined) => void;
}

/** The pods of a namespace from now on, each change once: by a watch, which is opened anew when it ends, whyever it does. */
export class PodWatch {
  /** Returns when the pods that are there have been told. */
  public static async open(kubectl: Kubectl, watching: PodWatching): Promise<PodWatch> {
    const watch = new PodWatch(kubectl, watching);
    const version = await watch.list();
    void watch.goOn(version);
    return watch;
  }

  private readonly known = new Map<string, KubernetesObject>();
  private running: Running | undefined;
  private isOver = false;
  private trouble: string | undefined;

  private constructor(
    private readonly kubectl: Kubectl,
    private readonly watching: PodWatching,
  ) {}

  /** Nothing is told any more. A list that is still being asked for is not waited for: the cluster may not answer. */
  public async close(): Promise<void> {
    this.isOver = true;
    await this.running?.close();
  }

  private async goOn(version: string): Promise<void> {
    for (let from: string | undefined = version; !this.isOver;) {
      let isShort = false;
      try {
        from ??= await this.list();
        if (this.isOver) {
          return;
        }
        this.say(undefined);
        const began = performance.now();
        from = await this.watch(from);
        // A server that ends each watch at once must not be asked all the time.
        isShort = performance.now() - began < PAUSE_SECONDS * 1000;
      } catch (error) {
        if (!(error instanceof ClusterFailure)) {
          throw error;
        }
        this.say(error.message);
        from = undefined;
      }
      if (!this.isOver && (from === undefined || isShort)) {
        await pause(PAUSE_SECONDS);
      }
    }
  }

  /** Looks at all of them: what came, changed and went meanwhile. */
  private async list(): Promise<string> {
    const { metadata, items: found } = await this.kubectl.get<List>(this.path(''));
    const items = found ?? [];
    const uids = new Set(items.map((item) => uidOf(item)));
    for (const [uid, object] of this.known) {
      if (!uids.has(uid)) {
        this.tell({ type: 'DELETED', object });
      }
    }
    items.forEach((object) => this.tell({ type: 'ADDED', object }));
    return metadata.resourceVersion ?? '0';
  }

  /** The version to go on from; nothing when all of them have to be looked at again. */
  private async watch(version: string): Promise<string | undefined> {
    let last: string | undefined = version;
    const path = this.path(
      `watch=true&allowWatchBookmarks=true&timeoutSeconds=${WATCH_SECONDS}&resourceVersion=${version}`,
    );
    this.running = this.kubectl.start(['get', '--raw', path], {
      onLine: (line) => {
        const event = parse(line);
        if (event === undefined || event.type === 'ERROR') {
          last = undefined;
          return;
        }
        last &&= versionOf(event.object);
        if (event.type !== 'BOOKMARK') {
          this.tell(event);
        }
      },
    });
    const code = await this.running.ended;
    if (code !== 0 && !this.isOver) {
      throw this.kubectl.explain(this.running.said);
    }
    return last;
  }

  private tell({ type, object }: WatchEvent): void {
    if (this.isOver) {
      return;
    }
    const uid = uidOf(object);
    const before = this.known.get(uid);
    if (type === 'DELETED') {
      this.known.delete(uid);
    } else {
      this.known.set(uid, object);
      if (before !== undefined && versionOf(before) === versionOf(object)) {
        return;
      }
    }
    const kind = type === 'DELETED' ? 'gone' : before === undefined ? 'here' : 'changed';
    this.watching.onChange({ kind, object, at: Date.now() });
  }

  private say(why: string | undefined): void {
    if (why !== this.trouble && !this.isOver) {
      this.trouble = why;
      this.watching.onTrouble?.(why);
    }
  }

  private path(query: string): string {
    const { selector } = this.watching;
    const parts = [
      ...(selector === undefined ? [] : [`labelSelector=${encodeURIComponent(selector)}`]),
      ...(query === '' ? [] : [query]),
    ];
    return this.kubectl.path(`pods${parts.length === 0 ? '' : `?${parts.join('&')}`}`);
  }
}

function uidOf({ metadata }: KubernetesObject): string {
  return (metadata as { uid?: string }).uid ?? metadata.name;
}

function versionOf({ metadata }: KubernetesObject): string | undefined {
  return (metadata as { resourceVersion?: string }).resourceVersion;
}

/** Nothing for what is no event: a line that was cut off with the connection, or what something on the way says. */
function parse(line: string): WatchEvent | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isEvent = textOf(dig(value, 'type')) !== undefined && dig(value, 'object', 'metadata') instanceof Object;
    return isEvent ? (value as WatchEvent) : undefined;
  } catch {
    return undefined;
  }
}
