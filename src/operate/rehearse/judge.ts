import type { Wire } from '../../fit/plan-types';
import type { KvCacheCapacity } from '../../fit/kv-cache';
import { expectedBytes, judgeReceived } from '../crossing';
import type { ChatSeen, Questions } from '../server/chat';
import { judgeGuarded, NO_KEY } from '../server/guard';
import type { Observations } from './observe';
import type { Check } from './report';

/** What is expected of a group that is up. */
export interface Expected {
  readonly questions: Questions;
  readonly ranks: number;
  readonly pipelineParallelSize: number;
  readonly tensorParallelSize: number;
  readonly wire: Wire;
  /** What the planner says of the cache; nothing where it says nothing. */
  readonly cache?: KvCacheCapacity & { readonly blockSize: number };
}

/** Whether each thing held that has to. */
export function judge(seen: Observations, expected: Expected): Check[] {
  return [
    chat(seen, expected),
    stream(seen, expected),
    ...key(seen, expected),
    openPaths(seen),
    crossing(seen, expected),
    cache(seen, expected),
    alive(seen, expected),
  ];
}

function check(id: Check['id'], held: boolean | 'unproven', said: string): Check {
  return { id, held: held === 'unproven' ? held : held ? 'yes' : 'no', said };
}

function answered({ status, outputTokens, promptTokens, seconds, text }: ChatSeen, wanted: number): [boolean, string] {
  const isGood = status === 200 && outputTokens === wanted;
  return [
    isGood,
    isGood
      ? `200 after ${seconds.toFixed(1)} s, ${promptTokens} tokens in, ${outputTokens} out`
      : `${status === 0 ? 'no answer' : status}, ${outputTokens} of ${wanted} tokens: ${messageOf(text).slice(0, 300)}`,
  ];
}

/** What an answer of the API says went wrong, out of its JSON. */
function messageOf(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } };
    return typeof error?.message === 'string' ? error.message : text;
  } catch {
    return text;
  }
}

function chat(seen: Observations, { questions }: Expected): Check {
  return check('chat', ...answered(seen.chat, questions.outputTokens));
}

function stream(seen: Observations, { questions }: Expected): Check {
  const [isGood, said] = answered(seen.stream, questions.outputTokens);
  return check('stream', isGood && seen.stream.parts > 1, `${said}, in ${seen.stream.parts} parts`);
}

function key({ guarded }: Observations, { questions }: Expected): Check[] {
  if (questions.key === undefined) {
    return [check('key', 'unproven', NO_KEY)];
  }
  const { held, said } = judgeGuarded(guarded);
  return [check('key', held, said)];
}

/** Whether what is said to be open is open: a path that asks for a key where none is expected breaks probes and monitors. */
function openPaths({ open }: Observations): Check {
  const shut = open.filter(({ without }) => without === 401 || without === 403 || without === 0 || without === 404);
  return check(
    'open-paths',
    shut.length === 0,
    shut.length === 0
      ? `no key is asked for on ${open.map(({ path }) => path).join(', ')}`
      : shut.map(({ path, without }) => `${path} answers ${without === 0 ? 'nothing' : without}`).join('; '),
  );
}

/** Bytes of hidden states that cannot be less; what else goes over the wire comes on top. */
function crossing(
  { chat: { status, promptTokens, cachedTokens, outputTokens }, idle, busy, idleSeconds }: Observations,
  expected: Expected,
): Check {
  const { ranks, wire, pipelineParallelSize: stages, tensorParallelSize: shares } = expected;
  if (ranks === 1) {
    return check('crossing', true, 'there is one rank: nothing has to cross');
  }
  if (status !== 200) {
    return check('crossing', false, 'no request came back that could have crossed');
  }
  if (idle === undefined || busy === undefined) {
    return check('crossing', 'unproven', 'not provable here: bytes between ranks cannot be told apart on this machine');
  }
  const { least, predicted } = expectedBytes(
    wire,
    { stages, shares },
    { prompt: promptTokens - cachedTokens, output: outputTokens },
  );
  const workers = busy.filter(({ rank }) => rank > 0);
  const atRest = Math.max(...idle.map(({ received }) => received));
  const bytes = workers
    .map(({ rank, received, sent }) => `rank ${rank} got ${received} B and sent ${sent} B`)
    .join(', ');
  const prediction =
    stages > 1 && predicted !== undefined
      ? `; predicted ${predicted.forward} B and ${predicted.backward} B`
      : '; no prediction with tensor parallelism';
  return check(
    'crossing',
    // Nothing else is on this wire: what comes at rest speaks against it.
    workers.every(({ received }) => judgeReceived(received, atRest, least) === 'crossed'),
    `${bytes}${prediction}; ${atRest} B in ${idleSeconds} s at rest`,
  );
}

function cache({ cache: seen }: Observations, { cache: planned }: Expected): Check {
  const blocks = Number(seen['num_gpu_blocks']);
  if (planned === undefined || !Number.isFinite(blocks)) {
    return check(
      'cache',
      'unproven',
      `${seen['num_gpu_blocks'] ?? 'no'} blocks; the planner has no number to compare it with`,
    );
  }
  // Older releases say blocks alone.
  const pairs: [string, number, number][] = [['blocks', blocks, planned.blocks]];
  if (seen['kv_cache_size_tokens'] !== undefined) {
    pairs.push(['tokens', Number(seen['kv_cache_size_tokens']), planned.tokens]);
  }
  const off = pairs.filter(([, here, plan]) => here !== plan);
  const words = (list: typeof pairs): string => list.map(([name, here]) => `${here} ${name}`).join(', ');
  return check(
    'cache',
    off.length === 0,
    off.length === 0
      ? `${words(pairs)}, as planned`
      : off.map(([name, here, plan]) => `${here} ${name}, planned ${plan}`).join('; '),
  );
}

function alive({ later: { health, ranks } }: Observations, expected: Expected): Check {
  const gone = ranks.filter(({ isAlive }) => !isAlive).map(({ rank }) => rank);
  const isGood = health === 200 && gone.length === 0 && ranks.length === expected.ranks;
  return check(
    'alive',
    isGood,
    isGood
      ? 'all ranks are there two seconds later, and /health is 200'
      : `/health ${health}; gone: ${gone.length > 0 ? `rank ${gone.join(', ')}` : 'none'}`,
  );
}
