import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  basic,
  call,
  cleanUp,
  DONE,
  fakeUpstream,
  HELLO,
  open,
  reader,
  startChat,
  startEvents,
  words,
} from './harness';
import type { Chat } from './harness';

const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await cleanUp();
});

const NOWHERE = 'http://127.0.0.1:9';
const MIB = 1024 * 1024;

function raw(port: number, text = ''): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  if (text) socket.write(text);
  return socket;
}

function head(length: number): string {
  return (
    `POST /chat/api/chat HTTP/1.1\r\nHost: chat\r\nAuthorization: ${basic()}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
  );
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function eventually<T>(get: () => Promise<T>, good: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await get();
    if (good(value)) return value;
    await sleep(20);
  }
}

describe('conversations', () => {
  it('in flight have a bound, and one that ends makes room', async () => {
    const upstream = await fakeUpstream();
    const { port } = await startChat(upstream.url, { MAX_CONVERSATIONS: '2' });
    const first = call(port, '/chat/api/chat', { body: HELLO });
    const { res } = await upstream.next();
    // One that is still being read counts as well.
    const second = raw(port, head(100));
    const third = await eventually(
      () => open(port, '/chat/api/chat', { body: HELLO }),
      ({ statusCode }) => statusCode === 503,
    );
    expect(third.headers['retry-after']).toBe('60');
    expect((await reader(third).end()).trim()).toBe(
      '{"error":"The chat server is busy with 2 conversations, which is the most it takes at a time. Try again in a minute or two."}',
    );
    expect((await call(port, '/chat/')).status).toBe(200);
    startEvents(res);
    res.end(DONE);
    expect((await first).text).toBe(DONE);
    second.destroy();
    for (let i = 0; i < 2; i++) {
      await eventually(
        () => call(port, '/chat/api/chat', { body: '{}' }),
        ({ status }) => status === 400,
      );
    }
  });

  it('being read have a bound together, in words', async () => {
    const { port } = await startChat(NOWHERE, { MAX_REQUEST_BYTES: String(MIB) });
    const body = ' '.repeat(MIB - 1);
    const held: Socket[] = [];
    for (let i = 0; i < 4; i++) {
      const socket = raw(port);
      held.push(socket);
      await new Promise((resolve) => socket.write(head(MIB) + body, resolve));
    }
    // All must have been read, or the next request takes the place of one of them.
    await sleep(500);
    const answer = await eventually(
      () => call(port, '/chat/api/chat', { body: ' '.repeat(MIB - 1) }),
      ({ status }) => status === 503,
    );
    expect(words(answer)).toBe('The chat server is busy reading other long conversations. Try again in a few seconds.');
    for (const socket of held) socket.destroy();
    await eventually(
      () => call(port, '/chat/api/chat', { body }),
      ({ status }) => status === 400,
    );
  });
});

describe('connections', () => {
  it('have a bound', async () => {
    const { port } = await startChat(NOWHERE, { MAX_CONVERSATIONS: '1' });
    const all = Array.from({ length: 66 + 10 }, () => raw(port, 'GET /hea'));
    await eventually(
      () => Promise.resolve(all.filter((socket) => socket.destroyed).length),
      (closed) => closed === 10,
    );
    all.find((socket) => !socket.destroyed)?.destroy();
    await eventually(
      () => call(port, '/healthz').catch(() => undefined),
      (answer) => answer?.status === 200,
    );
  });

  it('end when the headers of a request do not come, on a new one and on one that was used', async () => {
    const { port } = await startChat(NOWHERE, { HEADERS_SECONDS: '0.5' });
    const silent = raw(port);
    const half = raw(port, 'GET /healthz HTTP/1.1\r\nHost: ch');
    const used = raw(port, 'GET /healthz HTTP/1.1\r\nHost: chat\r\n\r\n');
    const received = reader(used);
    await received.until('ok\n');
    used.write('GET /hea');
    await Promise.all([reader(silent).end(), reader(half).end(), received.end()]);
  });

  it('that are idle between two requests live longer than that, and as long as promised', async () => {
    const { port } = await startChat(NOWHERE, { HEADERS_SECONDS: '0.2', KEEP_ALIVE_SECONDS: '60' });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const used = new Set<number | undefined>();
    for (let i = 0; i < 3; i++) {
      const req = request({ host: '127.0.0.1', port, path: '/healthz', agent }).end();
      const [res] = (await once(req, 'response')) as [IncomingMessage];
      expect(res.headers['keep-alive']).toBe('timeout=60');
      used.add(res.socket.localPort);
      await once(res.resume(), 'end');
      await sleep(700);
    }
    agent.destroy();
    expect(used.size).toBe(1);
  });

  it('that are idle end after the time that is promised', async () => {
    const { port } = await startChat(NOWHERE, { KEEP_ALIVE_SECONDS: '0.3' });
    const socket = raw(port, 'GET /healthz HTTP/1.1\r\nHost: chat\r\n\r\n');
    await reader(socket).end();
  });
});

describe('memory', () => {
  const peak = ({ process: { pid } }: Chat): number =>
    Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

  // bench/chat/memory.mjs measures more attacks; this one went to 200 MiB and more.
  it.runIf(process.platform === 'linux')('stays below the limit of the container', { timeout: 30_000 }, async () => {
    const upstream = await fakeUpstream();
    const chat = await startChat(
      upstream.url,
      { MAX_REQUEST_BYTES: String(MIB) },
      { nodeArguments: ['--max-old-space-size=64'] },
    );
    const body = JSON.stringify({ messages: [{ role: 'user', content: '密'.repeat(340_000) }] });
    for (let round = 0; round < 2; round++) {
      const all = Array.from({ length: 48 }, () => raw(chat.port, head(Buffer.byteLength(body)) + body));
      await sleep(1500);
      for (const socket of all) socket.destroy();
    }
    expect((await call(chat.port, '/healthz')).status).toBe(200);
    expect(peak(chat)).toBeLessThan(128);
  });
});
