import type { IncomingMessage } from 'node:http';
import { ClientLeft, Failure, quote } from './failure';
import { passing } from './garbage';
import type { Share } from './room';

export interface Message {
  readonly role: string;
  readonly content: string;
}

const ROLES = ['system', 'user', 'assistant'];

/** How much of a refused body is read and dropped before the connection is cut. */
const DROP_BYTES = 8 * 1024 * 1024;

const SEND = 'Send {"messages": [{"role": "user", "content": "…"}]}.';

/** One more than a conversation needs, so that a list or an object in the place of a text is told by its name. */
const MAX_DEPTH = 4;
const MAX_MESSAGES = 10_000;

const [QUOTE, COMMA, BACKSLASH, BRACKET, BRACE] = [0x22, 0x2c, 0x5c, 0x5b, 0x7b];

const BLOCK_BYTES = 16 * 1024;

export interface Limits {
  readonly maxBytes: number;
  readonly share: Share;
  /** Called once it is certain that the body is wanted, before any of it is read. */
  readonly goOn: () => void;
}

/** Reads a body into blocks that are full but for the last one. What it does not want of it is left to `drop`. */
export function readBody(req: IncomingMessage, { maxBytes, share, goOn }: Limits): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const blocks: Buffer[] = [];
    let free = 0;
    let size = 0;
    // Copied, because a chunk costs hundreds of bytes whatever it holds: sent byte by byte, a conversation would be a
    // thousand times its size.
    const keep = (chunk: Buffer): void => {
      passing(chunk.length);
      size += chunk.length;
      if (size > maxBytes) return refuse(tooLarge(maxBytes));
      for (let from = 0; from < chunk.length;) {
        if (free === 0) {
          if (!share.take(BLOCK_BYTES)) return refuse(full());
          blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES));
          free = BLOCK_BYTES;
        }
        const copied = chunk.copy(blocks.at(-1) as Buffer, BLOCK_BYTES - free, from);
        from += copied;
        free -= copied;
      }
    };
    // The request lives as long as the answer, and its listeners hold the promise with all that was read.
    const letGo = (): void => {
      req.off('data', keep).off('end', finish).off('error', leave).off('close', leave);
    };
    const refuse = (failure: Failure): void => {
      letGo();
      share.giveBack();
      reject(failure);
    };
    const finish = (): void => {
      letGo();
      const last = blocks.pop();
      if (last) blocks.push(last.subarray(0, BLOCK_BYTES - free));
      resolve(blocks);
    };
    const leave = (): void => {
      letGo();
      reject(new ClientLeft());
    };

    if (Number(req.headers['content-length'] ?? 0) > maxBytes) return refuse(tooLarge(maxBytes));
    goOn();
    req.on('data', keep).on('end', finish).on('error', leave).on('close', leave);
  });
}

/** Closing a connection with unread bytes resets it, and the browser would lose the words of a refusal. */
export function drop(req: IncomingMessage): void {
  let left = DROP_BYTES;
  req.on('data', (chunk: Buffer) => {
    passing(chunk.length);
    left -= chunk.length;
    if (left < 0) req.destroy();
  });
}

function tooLarge(maxBytes: number): Failure {
  return new Failure(
    413,
    `The conversation is larger than ${maxBytes} bytes, which is the most this server takes. ` +
      'Start a new chat or send a shorter message.',
  );
}

function full(): Failure {
  return new Failure(503, 'The chat server is busy reading other long conversations. Try again in a few seconds.', {
    'Retry-After': '5',
  });
}

/**
 * Takes exactly what the page sends. Everything else of the completions API (model, sampling, tools, images) is refused
 * rather than dropped: dropped, a caller would believe it had worked.
 */
export function parseMessages(body: readonly Buffer[]): Message[] {
  refuseOtherShapes(body);
  // Its text, its parts and the request to the model, at two bytes for a character each.
  passing(6 * body.length * BLOCK_BYTES);
  let parsed: unknown;
  try {
    parsed = JSON.parse(decode(body));
  } catch {
    throw new Failure(400, `The request is not valid JSON in UTF-8. ${SEND}`);
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
      `${what} has fields this server does not take: ${list(unknown)}. Allowed: ${allowed.join(', ')}.`,
    );
  }
  return value as Record<string, unknown>;
}

/**
 * Before anything is made of it, because JSON can be small and what it stands for large: a megabyte of "[" becomes more
 * than a hundred.
 */
function refuseOtherShapes(blocks: readonly Buffer[]): void {
  let depth = 0;
  let objects = 0;
  let commas = 0;
  let inString = false;
  let escaped = false;
  for (const block of blocks) {
    for (const byte of block) {
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) inString = true;
      else if (byte === COMMA) commas += 1;
      else if (byte === BRACE || byte === BRACKET) {
        depth += 1;
        objects += 1;
      } else if (byte === BRACE + 2 || byte === BRACKET + 2) depth -= 1;
      if (depth > MAX_DEPTH) {
        throw new Failure(400, `The request is nested too deeply. ${SEND}`);
      }
      // A message has two fields, so one comma within and one after it.
      if (objects > MAX_MESSAGES + 2 || commas > 2 * MAX_MESSAGES) {
        throw new Failure(400, `The request has more than ${MAX_MESSAGES} messages or fields. Start a new chat.`);
      }
    }
  }
}

function decode(blocks: readonly Buffer[]): string {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return blocks.map((block) => decoder.decode(block, { stream: true })).join('') + decoder.decode();
}

/** Without the inside of lists and objects: they may be nested deeper than any recursion goes. */
function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length > 0 ? '[…]' : '[]';
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0 ? '{…}' : '{}';
  return quote(JSON.stringify(typeof value === 'string' ? value.slice(0, 1000) : value), 80);
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, 5).map(show).join(', ');
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}
