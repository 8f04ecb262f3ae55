import { request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Message } from './body';
import type { Config } from './config';
import { EventStream } from './event-stream';
import type { UpstreamFailure } from './upstream-failure';
import { brokenOff, noConnection, notAStream, refused, silent, unreachable } from './upstream-failure';

/** A pod whose node is gone answers no connection attempt at all; the kernel alone would try for two minutes. */
const CONNECT_SECONDS = 10;
const MAX_ERROR_BYTES = 16 * 1024;

export interface Outcome {
  readonly outcome: string;
  readonly bytes: number;
}

export interface Listener {
  /** The conversation has left this process. */
  readonly sent: () => void;
  /** Called once, however it ends. */
  readonly ended: (outcome: Outcome) => void;
}

/** Asks the model and passes its events on as they arrive. */
export function relay(
  config: Config,
  messages: readonly Message[],
  res: ServerResponse,
  { sent, ended }: Listener,
): void {
  const stream = new EventStream(res, config.pingSeconds);
  // Bytes, because a text with a single character outside Latin-1 takes two for each, for as long as it waits.
  const body = Buffer.from(
    JSON.stringify({
      model: config.model,
      messages,
      stream: true,
      max_completion_tokens: config.maxTokens,
    }),
  );
  const request = config.upstream.protocol === 'https:' ? httpsRequest : httpRequest;
  const upstream = request(new URL('/v1/chat/completions', config.upstream), {
    method: 'POST',
    // A connection of its own: vLLM closes idle ones after seconds, and a POST that meets the closing one is lost.
    agent: false,
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      Accept: 'text/event-stream',
      ...(config.apiKey ? { Authorization: `Bearer ${config.apiKey}` } : {}),
    },
  });

  let settled = false;
  const settle = (outcome: string): boolean => {
    if (settled) return false;
    settled = true;
    clearTimeout(patience);
    upstream.destroy();
    ended({ outcome, bytes: stream.bytes });
    return true;
  };
  const fail = (failure: UpstreamFailure): void => {
    if (settle(`failed with ${failure.status}: ${failure.kind}`)) stream.fail(failure);
  };

  // Also before the model's first byte: a CPU would go on reading a prompt for nobody.
  res.on('close', () => settle('the browser left'));

  const connectSeconds = Math.min(CONNECT_SECONDS, config.upstreamTimeoutSeconds);
  let patience = setTimeout(() => fail(noConnection(connectSeconds)), connectSeconds * 1000);
  const connected = (): void => {
    if (settled) return;
    clearTimeout(patience);
    const seconds = config.upstreamTimeoutSeconds;
    patience = setTimeout(() => fail(silent(seconds)), seconds * 1000);
  };
  upstream.on('socket', (socket) => socket.once('connect', connected));

  upstream.on('error', (error: NodeJS.ErrnoException) => {
    fail(stream.bytes > 0 ? brokenOff() : unreachable(error));
  });
  upstream.on('response', (response) => {
    const status = response.statusCode ?? 0;
    const type = response.headers['content-type'];
    patience.refresh();
    if (status !== 200) {
      readStart(response, (text) => fail(refused(status, text, config.model)));
    } else if (!/^text\/event-stream[ \t]*(;|$)/i.test(type ?? '')) {
      fail(notAStream(type));
    } else {
      pass(response);
    }
  });
  upstream.on('finish', sent);
  upstream.end(body);

  /** What the model writes is the answer that was asked for: only failures are searched for the key, not this. */
  function pass(response: IncomingMessage): void {
    stream.open();
    response.on('data', (chunk: Buffer) => {
      if (settled) return;
      patience.refresh();
      if (!stream.write(chunk)) response.pause();
      // Not at the end of the response: a server or a proxy may keep that open.
      if (stream.done) finish();
    });
    res.on('drain', () => {
      patience.refresh();
      response.resume();
    });
    response.on('error', () => fail(brokenOff()));
    response.on('end', () => {
      if (stream.doneAtEnd) finish();
      else fail(brokenOff());
    });
  }

  function finish(): void {
    if (settle('finished')) stream.end();
  }
}

/** The start of an error's body: enough for its message, whatever its size and however it ends. */
function readStart(response: IncomingMessage, then: (text: string) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const finish = (): void => then(Buffer.concat(chunks).toString('utf8'));
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_ERROR_BYTES) finish();
  });
  response.on('end', finish);
  response.on('error', finish);
}
