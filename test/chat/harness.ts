import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

export const SERVER_FILE = join(__dirname, '../../lib/chat/server.mjs');
export const API_KEY = 'sk-only-the-server-knows-this';
export const PASSWORD = 'correct: horse';

const cleanups: (() => Promise<void> | void)[] = [];

/** For afterEach: ends what the test started, last first. */
export async function cleanUp(): Promise<void> {
  for (const clean of cleanups.splice(0).reverse()) await clean();
}

export interface UpstreamCall {
  readonly headers: IncomingHttpHeaders;
  readonly url: string;
  readonly body: { model: string; stream: boolean; messages: unknown[]; max_completion_tokens?: number };
  readonly res: ServerResponse;
  /** Resolves when the relay's connection closes before the answer ended. */
  readonly left: Promise<void>;
}

export interface Upstream {
  readonly url: string;
  readonly server: Server;
  /** The next request of the relay that no one has taken yet. */
  next(): Promise<UpstreamCall>;
}

/** A model's server in which the test itself decides what is sent, and when. */
export async function fakeUpstream(): Promise<Upstream> {
  const calls: UpstreamCall[] = [];
  const waiting: ((call: UpstreamCall) => void)[] = [];
  const server = createServer((req, res) => {
    void (async () => {
      // A caller may leave before its request is whole: that is no call.
      const body = await text(req).catch(() => undefined);
      if (body === undefined) return;
      const left = new Promise<void>((resolve) => {
        res.on('close', () => {
          if (!res.writableFinished) resolve();
        });
      });
      const call = {
        headers: req.headers,
        url: req.url ?? '',
        body: JSON.parse(body) as UpstreamCall['body'],
        res,
        left,
      };
      const taker = waiting.shift();
      if (taker) taker(call);
      else calls.push(call);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    next: () => {
      const call = calls.shift();
      return call ? Promise.resolve(call) : new Promise((resolve) => waiting.push(resolve));
    },
  };
}

export function startEvents(res: ServerResponse): void {
  res.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' });
  res.flushHeaders();
}

export function token(content: string, finish: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
}

export const DONE = 'data: [DONE]\n\n';

export interface Chat {
  readonly port: number;
  readonly process: ChildProcessByStdio<null, Readable, Readable>;
  readonly exit: Promise<number | null>;
  /** Everything written to stdout and stderr so far. */
  output(): string;
}

export interface StartOptions {
  readonly nodeArguments?: string[];
  readonly cwd?: string;
}

/** Runs the built file as the container does. */
export function spawnChat(env: Record<string, string>, options: StartOptions = {}): Omit<Chat, 'port'> {
  const child = spawn(process.execPath, [...(options.nodeArguments ?? []), SERVER_FILE], {
    env,
    cwd: options.cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const pipe of [child.stdout, child.stderr]) pipe.setEncoding('utf8').on('data', (piece) => (output += piece));
  const exit = once(child, 'close').then(([code]) => code as number | null);
  cleanups.push(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  return { process: child, exit, output: () => output };
}

export async function startChat(
  upstream: string,
  env: Record<string, string> = {},
  options: StartOptions = {},
): Promise<Chat> {
  const chat = spawnChat(
    { HOST: '127.0.0.1', PORT: '0', UPSTREAM_URL: upstream, MODEL: 'gemma', PASSWORD, API_KEY, ...env },
    options,
  );
  const port = await new Promise<number>((resolve, reject) => {
    chat.process.stdout.on('data', () => {
      const found = /"event":"listening","port":(\d+)/.exec(chat.output())?.[1];
      if (found) resolve(Number(found));
    });
    void chat.exit.then(() => reject(new Error(`The chat server did not start: ${chat.output()}`)));
  });
  return { ...chat, port };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export function basic(password = PASSWORD, user = 'anyone'): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

export interface CallOptions {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

/** Sends one request and gives the response as soon as its headers are there. */
export async function open(port: number, path: string, options: CallOptions = {}): Promise<IncomingMessage> {
  const req = request({
    host: '127.0.0.1',
    port,
    path,
    agent: false,
    method: options.method ?? (options.body === undefined ? 'GET' : 'POST'),
    headers: {
      Authorization: basic(),
      ...(options.body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...options.headers,
    },
  });
  req.end(options.body);
  const [res] = (await once(req, 'response')) as [IncomingMessage];
  return res;
}

export async function call(port: number, path: string, options: CallOptions = {}): Promise<Answer> {
  const res = await open(port, path, options);
  return { status: res.statusCode ?? 0, headers: res.headers, text: await text(res) };
}

export const HELLO = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] });

export function words(answer: Answer): string {
  return (JSON.parse(answer.text) as { error: string }).error;
}

export async function text(stream: Readable): Promise<string> {
  let all = '';
  for await (const piece of stream.setEncoding('utf8')) all += piece as string;
  return all;
}

/** Reads until the text holds what is looked for; more may be read later with the same reader. */
export function reader(stream: Readable): { until(wanted: string): Promise<string>; end(): Promise<string> } {
  let all = '';
  let ended = false;
  let wake: (() => void) | undefined;
  stream.setEncoding('utf8');
  stream.on('data', (piece: string) => {
    all += piece;
    wake?.();
  });
  for (const event of ['end', 'error', 'close']) {
    stream.on(event, () => {
      ended = true;
      wake?.();
    });
  }
  const change = (): Promise<void> => new Promise((resolve) => (wake = resolve));
  return {
    async until(wanted) {
      while (!all.includes(wanted)) {
        if (ended) throw new Error(`The stream ended without ${JSON.stringify(wanted)}: ${JSON.stringify(all)}`);
        await change();
      }
      return all;
    },
    async end() {
      while (!ended) await change();
      return all;
    },
  };
}
