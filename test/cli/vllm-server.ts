import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the server differs from a sound one. */
export interface Ways {
  readonly model?: string;
  readonly key?: string;
  /** Sends a whole stream at its end, as some gateways do. */
  readonly isHeldBack?: boolean;
  /** Fails each completion. */
  readonly failure?: { readonly status: number; readonly text: string };
  readonly hasNoChatTemplate?: boolean;
}

/** Answers as vLLM 0.31.0 does to what smoke asks. The real one is asked by npm run test:engine and npm run test:lab. */
export async function openServer(
  ways: Ways = {},
): Promise<{ url: string; asked: string[]; close: () => Promise<void> }> {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    void answer(request, ways).then(({ status, text, isStream }) => {
      asked.push(`${request.method} ${request.url} ${status}`);
      response.writeHead(status, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      response.end(text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly isStream?: boolean;
}

interface Body {
  readonly stream?: boolean;
  readonly max_tokens: number;
}

async function answer(request: IncomingMessage, ways: Ways): Promise<Answered> {
  const { model = 'google/gemma-3-1b-it', key, failure, hasNoChatTemplate, isHeldBack = false } = ways;
  const path = request.url ?? '';
  if (path === '/health') {
    return { status: 200, text: '' };
  }
  if (path === '/version') {
    return { status: 200, text: '{"version":"0.31.0"}' };
  }
  if (key !== undefined && request.headers.authorization !== `Bearer ${key}`) {
    return { status: 401, text: '{"error":"Unauthorized"}' };
  }
  if (path === '/v1/models') {
    return { status: 200, text: JSON.stringify({ object: 'list', data: [{ id: model }] }) };
  }
  const isChat = path === '/v1/chat/completions';
  if (!isChat && path !== '/v1/completions') {
    return { status: 404, text: '{"detail":"Not Found"}' };
  }
  let text = '';
  for await (const part of request) {
    text += String(part);
  }
  if (failure !== undefined) {
    return failure;
  }
  if (isChat && hasNoChatTemplate === true) {
    const message =
      'As of transformers v4.44, default chat template is no longer allowed, so you must provide a chat template';
    return { status: 400, text: JSON.stringify({ error: { message } }) };
  }
  const { stream = false, max_tokens: tokens } = JSON.parse(text) as Body;
  const usage = { prompt_tokens: 18, completion_tokens: tokens, total_tokens: 18 + tokens };
  const words = Array.from({ length: tokens }, (_, i) => ` word${i}`);
  const last = { finish_reason: 'length', index: 0 };
  if (!stream) {
    const said = words.join('');
    const choice = isChat ? { ...last, message: { role: 'assistant', content: said } } : { ...last, text: said };
    return { status: 200, text: JSON.stringify({ model, choices: [choice], usage }) };
  }
  const parts = (isHeldBack ? [words.join('')] : words).map((word, i, all) => {
    const choice = isChat ? { delta: { content: word } } : { text: word };
    return { model, choices: [{ index: 0, ...choice, finish_reason: i === all.length - 1 ? 'length' : null }] };
  });
  const events = [...parts, { model, choices: [], usage }].map((event) => `data: ${JSON.stringify(event)}\n\n`);
  return { status: 200, text: `${events.join('')}data: [DONE]\n\n`, isStream: true };
}
