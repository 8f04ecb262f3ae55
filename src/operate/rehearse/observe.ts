import { guardedPrefixes, openPaths } from '../../engine/paths';
import { API_PATH, HEALTH_PATH, METRICS_PATH } from '../../engine/server';
import type { Answer, Ask } from './machine/http';
import type { RankSample } from './machine/protocol';

/** What the running group is asked by. */
export interface Watched {
  readonly ask: (ask: Ask) => Promise<Answer>;
  readonly sample: (withMemory?: boolean) => Promise<readonly RankSample[]>;
  readonly pause: (seconds: number) => Promise<void>;
}

/** What to ask for. */
export interface Questions {
  /** Name that the model is served under. */
  readonly model: string;
  readonly key: string | undefined;
  readonly release: string;
  readonly outputTokens: number;
}

/** One answer of the chat API, taken apart. */
export interface ChatSeen {
  readonly status: number;
  readonly seconds: number;
  readonly text: string;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** Parts of a stream that held text. */
  readonly parts: number;
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
  /** Status of each asked path: without the key, with a wrong one, with the right one. */
  readonly guarded: readonly {
    readonly path: string;
    readonly without: number;
    readonly wrong: number;
    readonly right: number;
  }[];
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
const REQUEST_SECONDS = 120;
/** How long after the answers all ranks still have to be there: what ends after a request ends within that. */
const LATER_SECONDS = 2;

/** Asks everything once, in an order in which no answer depends on another. */
export async function observe(watched: Watched, questions: Questions): Promise<Observations> {
  const { ask, sample, pause } = watched;
  const guarded = [];
  if (questions.key !== undefined) {
    for (const path of [
      `${API_PATH}/models`,
      ...guardedPrefixes(questions.release).map((prefix) => `${prefix}/no-such-path`),
    ]) {
      const status = async (key?: string): Promise<number> =>
        (await ask({ path, seconds: 30, ...(key !== undefined && { key }) })).status;
      guarded.push({
        path,
        without: await status(),
        wrong: await status('not-the-key'),
        right: await status(questions.key),
      });
    }
  }
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
  const chat = await chatOnce(watched, questions, 'Rehearsal: is every rank there?', false);
  const third = await settled(watched, second);
  const stream = await chatOnce(watched, questions, 'And once more, as a stream.', true);
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

/** One request to the chat API, of a length that does not depend on what the model says. */
export function chatBody({ model, outputTokens }: Questions, content: string, stream: boolean): unknown {
  return {
    model,
    messages: [{ role: 'user', content }],
    max_tokens: outputTokens,
    min_tokens: outputTokens,
    ignore_eos: true,
    temperature: 0,
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
  };
}

async function chatOnce({ ask }: Watched, questions: Questions, content: string, stream: boolean): Promise<ChatSeen> {
  const answer = await ask({
    path: `${API_PATH}/chat/completions`,
    body: chatBody(questions, content, stream),
    ...(questions.key !== undefined && { key: questions.key }),
    seconds: REQUEST_SECONDS,
  });
  const events = stream
    ? answer.text
        .split('\n')
        .filter((line) => line.startsWith('data: {'))
        .map((line) => parse(line.slice('data: '.length)))
    : [parse(answer.text)];
  const usage = events.map(({ usage: each }) => each).findLast((each) => each !== undefined && each !== null);
  const deltas = events
    .flatMap(({ choices = [] }) => choices.map(({ delta }) => delta?.content ?? ''))
    .filter((each) => each !== '');
  return {
    status: answer.status,
    seconds: answer.seconds,
    text:
      answer.status !== 200
        ? answer.text.slice(0, 500)
        : stream
          ? deltas.join('')
          : (events[0]?.choices?.[0]?.message?.content ?? ''),
    promptTokens: usage?.prompt_tokens ?? 0,
    cachedTokens: usage?.prompt_tokens_details?.cached_tokens ?? 0,
    outputTokens: usage?.completion_tokens ?? 0,
    parts: deltas.length,
  };
}

interface Completion {
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string };
    readonly message?: { readonly content?: string };
  }[];
  readonly usage?: {
    readonly prompt_tokens?: number;
    readonly completion_tokens?: number;
    readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null;
  } | null;
}

function parse(text: string): Completion {
  try {
    return JSON.parse(text) as Completion;
  } catch {
    return {};
  }
}

/** Labels of the first sample of a metric. */
export function labelsOf(metric: string, text: string): Record<string, string> {
  const line = text.split('\n').find((each) => each.startsWith(`${metric}{`)) ?? '';
  const labels = line.slice(metric.length + 1, line.lastIndexOf('}'));
  return Object.fromEntries(
    [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name!, value!]),
  );
}
