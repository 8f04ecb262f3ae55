import type { IncomingMessage } from 'node:http';
import { ClientLeft, Failure } from './failure';

export interface Message {
  readonly role: string;
  readonly content: string;
}

const ROLES = ['system', 'user', 'assistant'];

/** How much of a refused body is read and dropped before the connection is cut. */
const DROP_BYTES = 8 * 1024 * 1024;

export function readBody(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let refused = false;
    const refuse = (): void => {
      refused = true;
      chunks.length = 0;
      reject(
        new Failure(
          413,
          `The conversation is larger than ${maxBytes} bytes, which is the most this server takes. ` +
            'Start a new chat or send a shorter message.',
        ),
      );
    };

    if (Number(req.headers['content-length'] ?? 0) > maxBytes) refuse();
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (!refused && size > maxBytes) refuse();
      if (!refused) chunks.push(chunk);
      // Closing a connection with unread bytes resets it, and the browser would lose the words of the refusal.
      else if (size > maxBytes + DROP_BYTES) req.destroy();
    });
    req.on('end', () => resolve(Buffer.concat(chunks)));
    req.on('error', () => reject(new ClientLeft()));
    req.on('close', () => reject(new ClientLeft()));
  });
}

/**
 * Takes exactly what the page sends. Everything else of the completions API (model, sampling, tools, images) is refused
 * rather than dropped: dropped, a caller would believe it had worked.
 */
export function parseMessages(body: Buffer): Message[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new Failure(
      400,
      'The request is not valid JSON in UTF-8. Send {"messages": [{"role": "user", "content": "…"}]}.',
    );
  }
  const { messages } = fields(parsed, 'The request', ['messages']);
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new Failure(400, '"messages" must be a list with at least one message.');
  }
  return messages.map((message: unknown, index) => {
    const { role, content } = fields(message, `Message ${index + 1}`, ['role', 'content']);
    if (typeof role !== 'string' || !ROLES.includes(role)) {
      throw new Failure(400, `Message ${index + 1} has the role ${show(role)}; allowed are ${ROLES.join(', ')}.`);
    }
    if (typeof content !== 'string') {
      throw new Failure(400, `Message ${index + 1} has the content ${show(content)}; it must be a text.`);
    }
    return { role, content };
  });
}

function fields(value: unknown, what: string, allowed: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Failure(400, `${what} must be a JSON object with ${allowed.join(' and ')}, not ${show(value)}.`);
  }
  const unknown = Object.keys(value).filter((key) => !allowed.includes(key));
  if (unknown.length > 0) {
    throw new Failure(
      400,
      `${what} has fields this server does not take: ${show(unknown)}. Allowed: ${allowed.join(', ')}.`,
    );
  }
  return value as Record<string, unknown>;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
