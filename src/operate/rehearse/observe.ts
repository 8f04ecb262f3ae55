import { openPaths } from '../../engine/paths';
import { HEALTH_PATH, METRICS_PATH } from '../../engine/server';
import { chatOnce, type ChatSeen, type Questions } from '../server/chat';
import { askGuarded, type Guarded } from '../server/guard';
import type { Answer, Ask } from '../server/http';
import { labelsOf } from '../server/metrics';
import type { RankSample } from './machine/protocol';

/** What the running group is asked by. */
export interface Watched {
  readonly ask: (ask: Ask) => Promise<Answer>;
  readonly sample: (withMemory?: boolean) => Promise<readonly RankSample[]>;
  readonly pause: (seconds: number) => Promise<void>;
}

/** Bytes that came to a rank and left it, within a time. */
export interface Traffic {
  readonly rank: number;
  readonly received: number;
  readonly sent: number;
}

/** Everything that was seen of a group that is up. */
export interface Observations {
  readonly chat: ChatSeen;
  readonly stream: ChatSeen;
  readonly guarded: readonly Guarded[];
  readonly open: readonly { readonly path: string; readonly without: number }[];
  readonly idleSeconds: number;
  /** Nothing where bytes between ranks cannot be told apart. */
  readonly idle?: readonly Traffic[];
  readonly busy?: readonly Traffic[];
  /** Labels of `vllm:cache_config_info`. */
  readonly cache: Readonly<Record<string, string>>;
  readonly later: { readonly health: number; readonly ranks: readonly RankSample[] };
}

const IDLE_SECONDS = 3;
/** How long after the answers all ranks still have to be there: what ends after a request ends within that. */
const LATER_SECONDS = 2;

/** Asks everything once, in an order in which no answer depends on another. */
export async function observe(watched: Watched, questions: Questions): Promise<Observations> {
  const { ask, sample, pause } = watched;
  const guarded = questions.key === undefined ? [] : await askGuarded(ask, questions.key, questions.release);
  const open = [];
  for (const { path, when } of openPaths(questions.release)) {
    // A GET runs nothing: what generates or changes something takes a POST, and answers 405 to whoever may come in.
    if (when === 'always' || when === 'generating model') {
      open.push({ path, without: (await ask({ path, seconds: 30 })).status });
    }
  }
  // Before the first request: an engine that breaks on it tells nothing any more.
  const { text } = await ask({ path: METRICS_PATH, seconds: 30 });
  const first = await sample();
  await pause(IDLE_SECONDS);
  const second = await sample();
  const chat = await chatOnce(ask, questions, 'Rehearsal: is every rank there?');
  const third = await settled(watched, second);
  const stream = await chatOnce(ask, questions, 'And once more, as a stream.', { stream: true });
  await pause(LATER_SECONDS);
  const health = await ask({ path: HEALTH_PATH, seconds: 30 });
  return {
    chat,
    stream,
    guarded,
    open,
    idleSeconds: IDLE_SECONDS,
    ...traffic(first, second, 'idle'),
    ...traffic(second, third, 'busy'),
    cache: labelsOf('vllm:cache_config_info', text),
    later: { health: health.status, ranks: await sample(true) },
  };
}

/** A sample behind the last byte of a request: acknowledgements come a moment after the answer. */
async function settled({ sample, pause }: Watched, before: readonly RankSample[]): Promise<readonly RankSample[]> {
  const bytes = (ranks: readonly RankSample[]): number => ranks.reduce((sum, { received = 0 }) => sum + received, 0);
  let last = before;
  for (let tries = 0; tries < 10; tries++) {
    await pause(0.2);
    const now = await sample();
    if (bytes(now) === bytes(last)) {
      return now;
    }
    last = now;
  }
  return last;
}

function traffic(
  from: readonly RankSample[],
  to: readonly RankSample[],
  name: 'idle' | 'busy',
): { [key: string]: Traffic[] } {
  const ranks = to.flatMap(({ rank, received, sent }) => {
    const before = from.find((each) => each.rank === rank);
    return received === undefined || sent === undefined || before?.received === undefined || before.sent === undefined
      ? []
      : [{ rank, received: received - before.received, sent: sent - before.sent }];
  });
  return ranks.length === to.length ? { [name]: ranks } : {};
}
