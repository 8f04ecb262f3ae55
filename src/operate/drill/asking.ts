import { NEWEST_RELEASE } from '../../engine/releases';
import { API_PATH } from '../../engine/server';
import { leaderOf, type LiveGroup, portOf, servedModelOf } from '../group/live';
import { ClusterFailure } from '../kubectl/failure';
import { portForward } from '../kubectl/forward';
import type { Kubectl } from '../kubectl/kubectl';
import { pause } from '../pause';
import { chatBody, type Questions } from '../server/chat';
import { type Ask, ask } from '../server/http';
import { versionOf } from '../server/release';
import { servedNames } from '../smoke/ask';
import { InFlight } from './in-flight';
import { drainSecondsOf } from './offers';

/** How a group is asked while it is drilled. */
export interface Asking {
  readonly questions: Questions;
  readonly version?: string;
  /** Seconds between two tokens of one request alone. */
  readonly tokenSeconds: number;
}

/** Longer than any fault takes to be answered by something. */
const LONGEST_SECONDS = 1800;
/** Tokens of the request in flight: more than come before the fault is seen, within what any model takes. */
const IN_FLIGHT_TOKENS = 1500;
/** Tokens that have to have come before a fault is made. */
const TOKENS_BEFORE = 5;
const MEASURED_TOKENS = 16;
/** Part of a drain that a request is given, so that it comes to its end when others run beside it, too. */
const PART_OF_DRAIN = 0.4;

/** A request for exactly so many tokens, as a stream. A model without a chat template has the completions API alone. */
export function streamed(questions: Questions, prompt: string, seconds = LONGEST_SECONDS): Ask {
  return {
    path: `${API_PATH}/completions`,
    body: chatBody(questions, prompt, { stream: true, api: 'text' }),
    ...(questions.key !== undefined && { key: questions.key }),
    seconds,
  };
}

/** Finds out how the group is asked, and how fast it answers. */
export async function askingOf(
  kubectl: Kubectl,
  group: LiveGroup,
  { model: given, key }: { readonly model: string | undefined; readonly key: string | undefined },
): Promise<Asking> {
  const leader = leaderOf(group)!;
  const forward = await portForward(kubectl, leader.name, portOf(group));
  try {
    const base = `http://${forward.host}:${forward.port}`;
    const version = await versionOf((what) => ask({ base }, what));
    const said = given ?? servedModelOf(group);
    const model = said ?? (await servedNames((what) => ask({ base }, what), key)).names[0];
    if (model === undefined) {
      throw new ClusterFailure('other', 'which model? The server names none; --model names it');
    }
    const longest = leader.settings?.maxModelLen.value ?? 2048;
    const outputTokens = Math.max(16, Math.min(IN_FLIGHT_TOKENS, longest - 64));
    const questions = { model, key, release: NEWEST_RELEASE, outputTokens };
    const tokenSeconds = await measured(base, { ...questions, outputTokens: MEASURED_TOKENS });
    return { questions, tokenSeconds, ...(version !== undefined && { version }) };
  } finally {
    await forward.close();
  }
}

/** Tokens of a request that comes to its end while the leader drains; as many as are there for where it does not drain. */
export function tokensInFlight({ questions, tokenSeconds }: Asking, group: LiveGroup, isGraceful: boolean): number {
  const drain = drainSecondsOf(group);
  return isGraceful && drain > 0
    ? Math.max(MEASURED_TOKENS, Math.min(questions.outputTokens, Math.floor((drain * PART_OF_DRAIN) / tokenSeconds)))
    : questions.outputTokens;
}

/** A request of which the first tokens have come. */
export async function running(base: string, questions: Questions): Promise<InFlight> {
  const request = new InFlight(base, streamed(questions, 'A long story of two nodes:'));
  for (let tries = 0; tries < 600 && request.tokens < TOKENS_BEFORE && !request.isOver; tries++) {
    await pause(0.1);
  }
  if (request.isOver || request.tokens === 0) {
    await refuse(request);
  }
  return request;
}

async function measured(base: string, questions: Questions): Promise<number> {
  const request = new InFlight(base, streamed(questions, 'A story of a node:', 300));
  await request.ended;
  return request.tokenSeconds ?? (await refuse(request));
}

async function refuse(request: InFlight): Promise<never> {
  const { isWhole } = request;
  request.giveUp();
  const { status, text } = await request.ended;
  const why = status === 0 ? text : `it is answered with ${status}: ${text.slice(0, 300)}`;
  throw new ClusterFailure(
    'other',
    isWhole
      ? 'a request is over before a fault can meet it'
      : `there is nothing to break: no request is answered; ${why}`,
  );
}
