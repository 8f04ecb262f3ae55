import { request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Message } from './body';
import type { Config } from './config';
import { EventStream } from './event-stream';
import type { Failure } from './failure';
import { brokenOff, noConnection, notAStream, refused, silent, unreachable } from './upstream-failure';

/** A pod whose node is gone answers no connection attempt at all; the kernel alone would try for two minutes. */
const CONNECT_SECONDS = 10;
const MAX_ERROR_BYTES = 16 * 1024;

export interface Outcome {
  readonly outcome: string;
  readonly bytes: number;
}

/** Asks the model and passes its events on as they arrive; `report` is called once, however it ends. */
export function relay(
  config: Config,
  messages: readonly Message[],
  res: ServerResponse,
  report: (outcome: Outcome) => void,
): void {
  const stream = new EventStream(res, config.pingSeconds);
  const body = JSON.stringify({
    model: config.model,
    messages,
    stream: true,
    max_completion_tokens: config.maxTokens,
  });
  const request = config.upstream.protocol === 'https:' ? httpsRequest : httpRequest;
  const upstream = request(new URL('/v1/chat/completions', config.upstream), {
    method: 'POST',
    // A connection of its own: vLLM closes idle ones after seconds, and a POST that meets the closing one is lost.
    agent: false,
    headers: {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
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
    report({ outcome, bytes: stream.bytes });
    return true;
  };
  const fail = (failure: Failure): void => {
    // A refusal of the model's server may quote the conversation, which is nobody's business in a log.
    const reason = failure.status >= 500 ? `: ${failure.message}` : '';
    if (settle(`failed with ${failure.status}${reason}`)) stream.fail(failure);
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
    fail(stream.bytes > 0 ? brokenOff() : unreachable(error.code ?? error.message));
  });
  upstream.on('response', (response) => {
    const status = response.statusCode ?? 0;
    const type = response.headers['content-type'];
    patience.refresh();
    if (status !== 200) {
      readStart(response, (text) => fail(refused(status, text, config)));
    } else if (!type?.startsWith('text/event-stream')) {
      fail(notAStream(type));
    } else {
      pass(response);
    }
  });
  upstream.end(body);

  function pass(response: IncomingMessage): void {
    stream.open();
    response.on('data', (chunk: Buffer) => {
      patience.refresh();
      if (!stream.write(chunk)) response.pause();
    });
    res.on('drain', () => {
      patience.refresh();
      response.resume();
    });
    response.on('error', () => fail(brokenOff()));
    response.on('end', () => {
      if (!stream.done) fail(brokenOff());
      else if (settle('finished')) stream.end();
    });
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
