import type { ChatSeen } from '../server/chat';
import { type Guarded, judgeGuarded, NO_KEY } from '../server/guard';
import type { SmokeCheck } from './report';

/** Everything that was seen of a server. */
export interface SmokeSeen {
  readonly health: number;
  readonly models: { readonly status: number; readonly names: readonly string[]; readonly text: string };
  /** Nothing for what was not asked any more. */
  readonly chat?: ChatSeen;
  readonly stream?: ChatSeen;
  /** Which API answered: the chat one, or that for text, where a model has no chat template. */
  readonly api: 'chat' | 'text';
  readonly guarded?: readonly Guarded[];
  readonly later: {
    readonly health: number;
    /** What became of pods since the first look, a line each. */
    readonly changes: readonly string[];
  };
}

export interface SmokeExpected {
  readonly model: string;
  readonly outputTokens: number;
  readonly hasKey: boolean;
}

/** Whether each thing held that has to. */
export function judgeSmoke(seen: SmokeSeen, expected: SmokeExpected): SmokeCheck[] {
  return [
    check('health', seen.health === 200, `/health is ${status(seen.health)}`),
    model(seen, expected),
    answered('chat', seen.chat, seen, expected),
    answered('stream', seen.stream, seen, expected),
    key(seen, expected),
    alive(seen),
  ];
}

function check(id: SmokeCheck['id'], held: boolean | 'unproven', said: string): SmokeCheck {
  return { id, held: held === 'unproven' ? held : held ? 'yes' : 'no', said };
}

function status(code: number): string {
  return code === 0 ? 'not answered' : String(code);
}

function model({ models }: SmokeSeen, { model: wanted }: SmokeExpected): SmokeCheck {
  if (models.status !== 200) {
    return check('model', false, `/v1/models is ${status(models.status)}: ${models.text.slice(0, 200)}`);
  }
  return models.names.includes(wanted)
    ? check('model', true, `it serves ${models.names.join(', ')}`)
    : check('model', false, `it serves ${models.names.join(', ') || 'nothing'}, and ${wanted} is expected`);
}

/** What is wrong with an answer; nothing when it is sound. */
export function faultsOf(seen: ChatSeen, { model: wanted, outputTokens }: SmokeExpected): string[] {
  const { promptTokens, outputTokens: out, totalTokens, finishReason } = seen;
  if (seen.status !== 200 || seen.error !== undefined) {
    return [`${status(seen.status)}: ${(seen.error ?? seen.text) || 'nothing'}`];
  }
  return [
    ...(seen.model === wanted ? [] : [`it says that ${seen.model ?? 'no model'} answered, asked was ${wanted}`]),
    ...(finishReason === 'stop' || (finishReason === 'length' && out === outputTokens)
      ? []
      : [`it ended by '${finishReason ?? 'nothing'}' after ${out} of at most ${outputTokens} tokens`]),
    ...(promptTokens > 0 && out > 0 && out <= outputTokens && (totalTokens ?? promptTokens + out) === promptTokens + out
      ? []
      : [`its usage makes no sense: ${promptTokens} tokens in, ${out} out, ${totalTokens ?? 'nothing'} in all`]),
    ...(seen.isDone === false ? ['the stream broke off before [DONE]'] : []),
    ...(seen.isDone !== undefined && out > 1 && seen.parts < 2
      ? [`${out} tokens came in ${seen.parts} part: something on the way holds streams back`]
      : []),
  ];
}

function answered(
  id: 'chat' | 'stream',
  seen: ChatSeen | undefined,
  { api }: SmokeSeen,
  expected: SmokeExpected,
): SmokeCheck {
  if (seen === undefined) {
    return check(id, 'unproven', 'not asked any more');
  }
  const faults = faultsOf(seen, expected);
  const { seconds, promptTokens, outputTokens, finishReason, parts } = seen;
  return faults.length > 0
    ? check(id, false, faults.join('; '))
    : check(
        id,
        true,
        `200 after ${seconds.toFixed(1)} s, ${promptTokens} tokens in, ${outputTokens} out` +
          `${id === 'stream' ? ` in ${parts} parts` : ''}, ended by '${finishReason}'` +
          (api === 'text' ? ' (as text: the model has no chat template)' : ''),
      );
}

function key({ guarded, models, chat }: SmokeSeen, { hasKey }: SmokeExpected): SmokeCheck {
  if (!hasKey) {
    return check('key', 'unproven', NO_KEY);
  }
  if (models.status === 401 || chat?.status === 401) {
    return check('key', false, 'the server refuses the key; a Secret that was changed is read when the pods start');
  }
  if (guarded === undefined) {
    return check('key', 'unproven', 'not asked any more');
  }
  const { held, said } = judgeGuarded(guarded);
  return check('key', held, said);
}

function alive({ later: { health, changes } }: SmokeSeen): SmokeCheck {
  const isGood = health === 200 && changes.length === 0;
  return check(
    'alive',
    isGood,
    isGood ? 'two seconds later all is as before' : [`/health is ${status(health)}`, ...changes].join('; '),
  );
}
