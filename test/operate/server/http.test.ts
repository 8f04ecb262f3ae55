import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { expect, test } from 'vitest';
import { type Answer, ask, withoutKey } from '../../../src/operate/server/http';

async function answerOf(listener: RequestListener, seconds = 30): Promise<Answer> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await ask({ base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }, { path: '/', seconds });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('a body without an end is left, and fills no memory', async () => {
  const { status, text } = await answerOf((_, response) => {
    const part = 'x'.repeat(2 ** 20);
    const more = (): void => {
      while (!response.destroyed && response.write(part));
    };
    response.on('drain', more).on('error', () => undefined);
    more();
  });
  expect(status).toBe(0);
  expect(text).toBe('the answer does not end: it has more than 16 million characters');
});

test('an answer that breaks off is no answer', async () => {
  const { status, text } = await answerOf((_, response) => {
    response.write('half', () => response.destroy());
  });
  expect(status).toBe(0);
  expect(text).toContain('the answer broke off');
});

test('an answer that does not come is given up', async () => {
  const { status, text } = await answerOf(() => undefined, 0.2);
  expect(status).toBe(0);
  expect(text).toBe('no whole answer within 0.2 s');
});

test('a server that closes a connection without having said so answers the next request as well', async () => {
  // It answers the first request of a connection, and hears none after it.
  const server = createNetServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      socket.once('data', () => socket.destroy());
      setTimeout(() => socket.destroy(), 200);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const statuses: number[] = [];
  for (let i = 0; i < 3; i++) {
    statuses.push((await ask({ base }, { path: '/', seconds: 30 })).status);
  }
  server.close();
  expect(statuses).toEqual([200, 200, 200]);
});

test('the key is taken out of a text; a word so short that it stands everywhere is left', () => {
  expect(withoutKey('Bearer s3cret, s3cret', 's3cret')).toBe('Bearer ***, ***');
  expect(withoutKey('a b', 'a')).toBe('a b');
  expect(withoutKey('a b', undefined)).toBe('a b');
});
