import { API_PATH } from '../../engine/server';
import { type Answer, type Ask, withoutKey } from './http';

/** What to ask for. */
export interface Questions {
  /** Name that the model is served under. */
  readonly model: string;
  readonly key: string | undefined;
  readonly release: string;
  readonly outputTokens: number;
}

/** How a completion is asked for. */
export interface Asking {
  readonly stream?: boolean;
  /** Whether it may end when the model says so; else it has exactly the tokens that are asked for. */
  readonly endsItself?: boolean;
  /** `text`: the completions API, which a model without a chat template has alone. */
  readonly api?: 'chat' | 'text';
  /** For the whole answer. */
  readonly seconds?: number;
}

/** One answer of the API, taken apart. */
export interface ChatSeen {
  readonly status: number;
  readonly seconds: number;
  /** What it says, or what went wrong. */
  readonly text: string;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** As the server counts them; nothing when it does not. */
  readonly totalTokens?: number;
  /** Parts of a stream that gave tokens, those without a text as well: a special one, half a character. */
  readonly parts: number;
  /** The model that answered, by its own word. */
  readonly model?: string;
  /** Why it ended: `stop`, `length`. */
  readonly finishReason?: string;
  /** Whether a stream came to its end: `[DONE]`. */
  readonly isDone?: boolean;
  /** What is wrong with an answer whose status was 200: an error within a stream, or something else than a completion. */
  readonly error?: string;
}

const REQUEST_SECONDS = 120;

/** One request to the API. */
export function chatBody({ model, outputTokens }: Questions, content: string, asking: Asking = {}): unknown {
  const { stream = false, endsItself = false, api = 'chat' } = asking;
  return {
    model,
    ...(api === 'chat' ? { messages: [{ role: 'user', content }] } : { prompt: content }),
    max_tokens: outputTokens,
    // Two of vLLM's own: then the length does not depend on what the model says.
    ...(!endsItself && { min_tokens: outputTokens, ignore_eos: true }),
    temperature: 0,
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
  };
}

export async function chatOnce(
  ask: (ask: Ask) => Promise<Answer>,
  questions: Questions,
  content: string,
  asking: Asking = {},
): Promise<ChatSeen> {
  const { stream = false, api = 'chat', seconds = REQUEST_SECONDS } = asking;
  const answer = await ask({
    path: `${API_PATH}/${api === 'chat' ? 'chat/completions' : 'completions'}`,
    body: chatBody(questions, content, asking),
    ...(questions.key !== undefined && { key: questions.key }),
    seconds,
  });
  const data = answer.text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => line.slice('data: '.length).trim());
  const events = stream ? data.filter((each) => each.startsWith('{')).map(parse) : [parse(answer.text)];
  const usage = events.map(({ usage: each }) => each).findLast((each) => each !== undefined && each !== null);
  // Whatever stands between may have made it.
  const choices = events.flatMap((each) => listOf(each.choices)).filter((each) => isObject(each));
  const shown = (text: string): string => withoutKey(text, questions.key).slice(0, 500);
  const texts = choices.map(textOf).filter((each) => each !== '');
  const finishReason = choices.map(({ finish_reason: each }) => each).findLast((each) => typeof each === 'string');
  const inside = events.map(({ error: each }) => each).find((each) => each !== undefined && each !== null);
  const isCompletion = events.some((each) => Array.isArray(each.choices));
  const error =
    inside !== undefined
      ? messageOf(inside)
      : answer.status === 200 && !isCompletion
        ? `no completion but ${answer.text.trim().slice(0, 200) || 'an empty answer'}`
        : undefined;
  const model = events.map(({ model: each }) => each).find((each) => typeof each === 'string');
  return {
    status: answer.status,
    seconds: answer.seconds,
    text: answer.status === 200 ? texts.join('') : shown(answer.text),
    promptTokens: countOf(usage?.prompt_tokens),
    cachedTokens: countOf(usage?.prompt_tokens_details?.cached_tokens),
    outputTokens: countOf(usage?.completion_tokens),
    ...(typeof usage?.total_tokens === 'number' && { totalTokens: usage.total_tokens }),
    parts: stream ? choices.filter(isPart).length : 0,
    ...(model !== undefined && { model }),
    ...(finishReason && { finishReason }),
    ...(stream && { isDone: data.includes('[DONE]') }),
    ...(error !== undefined && { error: shown(error) }),
  };
}

interface Choice {
  readonly delta?: Content;
  readonly message?: Content;
  /** Of the completions API. */
  readonly text?: string | null;
  readonly finish_reason?: string | null;
}

interface Content {
  /** The first part of a stream says it, and nothing else. */
  readonly role?: string | null;
  readonly content?: string | null;
  /** What a model thinks first, by its name of now and of before. */
  readonly reasoning?: string | null;
  readonly reasoning_content?: string | null;
}

interface Completion {
  readonly model?: string;
  readonly choices?: readonly Choice[];
  readonly usage?: {
    readonly prompt_tokens?: number;
    readonly completion_tokens?: number;
    readonly total_tokens?: number;
    readonly prompt_tokens_details?: { readonly cached_tokens?: number } | null;
  } | null;
  readonly error?: unknown;
}

function textOf({ delta, message, text }: Choice): string {
  const { content, reasoning, reasoning_content: before } = delta ?? message ?? {};
  return `${reasoning ?? before ?? ''}${content ?? ''}${text ?? ''}`;
}

function isPart(choice: Choice): boolean {
  return typeof choice.delta?.role !== 'string' || textOf(choice) !== '';
}

function messageOf(error: unknown): string {
  const { message } = error as { message?: unknown };
  return typeof error === 'string' ? error : typeof message === 'string' ? message : JSON.stringify(error);
}

function listOf<T>(value: readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? (value as readonly T[]) : [];
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** 0 where it is no number: no answer has had none. */
function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function parse(text: string): Completion {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as Completion) : {};
  } catch {
    return {};
  }
}
