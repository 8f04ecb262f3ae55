import type { ServerEvent } from './events';
import { EventParser } from './events';

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** An answer that did not come, or not to its end, in words for the reader. */
export class Problem extends Error {}

/** Why the model ended its answer: "stop" at its end, "length" when it ran into a limit. */
export type FinishReason = string | undefined;

export async function ask(
  messages: readonly Message[],
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<FinishReason> {
  // Relative: the page does not know under which prefix a balancer shows it.
  const response = await fetch('api/chat', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ messages }),
    signal,
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new Problem('The chat server cannot be reached. Check your connection and try again.', { cause: error });
  });
  if (!response.ok || !response.body) throw new Problem(await refusal(response));

  const parser = new EventParser();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let finish: FinishReason;
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      signal.throwIfAborted();
      throw new Problem('The connection was lost before the answer was complete. What came so far is kept.', {
        cause: error,
      });
    });
    if (done) throw new Problem('The answer ended before it was complete. What came so far is kept.');
    for (const event of parser.push(value)) {
      if (event.data === '[DONE]') return finish;
      const { text, reason } = read(event);
      if (text) onText(text);
      finish = reason ?? finish;
    }
  }
}

interface Chunk {
  choices?: { delta?: { content?: string | null }; finish_reason?: string | null }[];
  error?: string | { message?: string };
}

function read(event: ServerEvent): { text: string; reason: FinishReason } {
  let chunk: Chunk;
  try {
    chunk = JSON.parse(event.data) as Chunk;
  } catch {
    // The last event of a server that died in the middle of it; the error event that follows says so.
    return { text: '', reason: undefined };
  }
  if (chunk.error) {
    // Ours comes as a text, that of vLLM, when its engine fails in the middle of an answer, as an object.
    throw new Problem(
      typeof chunk.error === 'string'
        ? chunk.error
        : `The model's server failed: ${chunk.error.message ?? 'it did not say why'}. Try again in a minute or two.`,
    );
  }
  const choice = chunk.choices?.[0];
  return { text: choice?.delta?.content ?? '', reason: choice?.finish_reason ?? undefined };
}

async function refusal(response: Response): Promise<string> {
  if (response.status === 401) return 'The password is not accepted any more. Reload the page and sign in again.';
  try {
    const { error } = (await response.json()) as { error?: string };
    if (error) return error;
  } catch {
    // A balancer in between answers with a page of its own.
  }
  return `Something between this page and the chat server answered ${response.status} ${response.statusText}. Try again in a minute or two.`;
}
