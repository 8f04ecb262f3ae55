import { API_PATH, HEALTH_PATH } from '../../engine/server';
import { pause } from '../pause';
import { chatOnce, type ChatSeen, type Questions } from '../server/chat';
import { askGuarded } from '../server/guard';
import { type Answer, type Ask, withoutKey } from '../server/http';
import type { SmokeSeen } from './judge';

/** How long after the answers all has to be as before: what ends after a request ends within that. */
const LATER_SECONDS = 2;

export interface Served {
  readonly status: number;
  readonly names: readonly string[];
  readonly text: string;
}

/** The names that the server goes by. */
export async function servedNames(ask: (ask: Ask) => Promise<Answer>, key: string | undefined): Promise<Served> {
  const { status, text } = await ask({ path: `${API_PATH}/models`, seconds: 30, ...(key !== undefined && { key }) });
  return { status, text: withoutKey(text, key), names: status === 200 ? namesIn(text) : [] };
}

/** Asks everything once. A server that fails its first completion is asked for no second one. */
export async function askAll(
  ask: (ask: Ask) => Promise<Answer>,
  questions: Questions,
  { models, seconds }: { readonly models: Served; readonly seconds: number },
  changes: () => Promise<readonly string[]>,
  say: (step: string) => void,
): Promise<SmokeSeen> {
  const health = await ask({ path: HEALTH_PATH, seconds: 30 });
  if (models.status === 401) {
    // Whatever else is asked with this key is refused as well.
    return { health: health.status, models, api: 'chat', later: { health: health.status, changes: [] } };
  }
  const guarded = questions.key === undefined ? undefined : await askGuarded(ask, questions.key, questions.release);
  say('asks for a completion');
  const complete = (text: string, stream: boolean, api: SmokeSeen['api']): Promise<ChatSeen> =>
    chatOnce(ask, questions, text, { stream, api, seconds, endsItself: true });
  let api: SmokeSeen['api'] = 'chat';
  let chat = await complete('Say in one sentence why the sky is blue.', false, api);
  if (chat.status === 400 && /chat.template/i.test(chat.text)) {
    api = 'text';
    chat = await complete('The sky is blue because', false, api);
  }
  let stream: ChatSeen | undefined;
  if (chat.status === 200) {
    say('asks for it as a stream');
    stream = await complete(api === 'chat' ? 'And why is it red in the evening?' : 'It is red because', true, api);
  }
  await pause(LATER_SECONDS);
  const later = await ask({ path: HEALTH_PATH, seconds: 30 });
  return {
    health: health.status,
    models,
    chat,
    ...(stream && { stream }),
    api,
    ...(guarded && { guarded }),
    later: { health: later.status, changes: await changes() },
  };
}

function namesIn(text: string): string[] {
  try {
    const { data = [] } = JSON.parse(text) as { data?: readonly { id?: unknown }[] };
    return data.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  } catch {
    return [];
  }
}
