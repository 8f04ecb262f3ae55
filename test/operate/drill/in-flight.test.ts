import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { InFlight } from '../../../src/operate/drill/in-flight';

type Serve = (response: ServerResponse) => void | Promise<void>;
let close: (() => void) | undefined;
afterEach(() => close?.());

async function asked(serve: Serve, key?: string): Promise<InFlight> {
  const server = createServer((_, response) => void serve(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  const { port } = server.address() as AddressInfo;
  return new InFlight(`http://127.0.0.1:${port}`, { path: '/', seconds: 20, ...(key !== undefined && { key }) });
}

const token = (text: string) => `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, text }] })}\n\n`;
const usage = `data: ${JSON.stringify({ id: 'c', choices: [], usage: { completion_tokens: 3 } })}\n\n`;

describe('a request in flight', () => {
  test('counts tokens, also one without a text and one that comes in two parts, and comes to its end', async () => {
    const request = await asked(async (response) => {
      response.write(token('a') + token('').slice(0, 20));
      await new Promise((resolve) => setTimeout(resolve, 20));
      response.write(token('').slice(20));
      response.end(`${token('b')}${usage}data: [DONE]\n\n`);
    });
    await request.ended;
    expect(request.tokens).toBe(3);
    expect(request.tokenSeconds).toBeGreaterThanOrEqual(0.001);
    expect(await request.report(Date.now() + 1000)).toMatchObject({
      tokensBefore: 3,
      tokens: 3,
      status: 200,
      isWhole: true,
      said: 'it came to its end',
    });
  });

  test.each<[string, Serve, object]>([
    [
      'an error within the stream, though it ends as it should',
      (response) =>
        void response.end(
          `${token('a')}data: {"error": {"message": "EngineCore \\"encountered\\"", "code": 500}}\n\ndata: [DONE]\n\n`,
        ),
      { isWhole: false, said: 'it ended with an error: EngineCore "encountered"', tokens: 1, status: 200 },
    ],
    [
      'an error before the first token',
      (response) => void response.writeHead(503).end('{"error":{"message":"no engine"}}'),
      { isWhole: false, said: 'it ended with an error: no engine', tokens: 0, status: 503 },
    ],
    [
      'a page of something on the way',
      (response) => void response.writeHead(502).end('<html>Bad Gateway</html>'),
      { isWhole: false, said: 'it ended with an error: <html>Bad Gateway</html>', tokens: 0, status: 502 },
    ],
    [
      'an end of the connection',
      (response) => {
        response.write(token('a'));
        setTimeout(() => response.destroy(), 50);
      },
      { isWhole: false, said: 'it was cut off: the answer broke off: aborted', tokens: 1, status: 200 },
    ],
    [
      'an end without the last word',
      (response) => void response.end(token('a')),
      { isWhole: false, said: 'it was cut off: the connection was closed before its end', tokens: 1, status: 200 },
    ],
  ])('is told apart: %s', async (_, serve, told) => {
    const request = await asked(serve);
    await request.ended;
    expect(await request.report(Date.now())).toMatchObject(told);
  });

  test.each<[string, (said: string) => Serve]>([
    ['an answer', (said) => (response) => void response.writeHead(401).end(said)],
    ['a stream', (said) => (response) => void response.end(`${token('a')}data: {"error": {"message": "${said}"}}\n\n`)],
  ])('that %s repeats the key to is shown without it, also where that is cut', async (_, serve) => {
    const key = 'a-key-that-nobody-may-see';
    const request = await asked(serve(`${'x'.repeat(190)}${key}`), key);
    expect((await request.ended).text).not.toContain('a-key');
    const { said } = await request.report(Date.now());
    expect(said).toBe(`it ended with an error: ${'x'.repeat(190)}***`);
  });

  test.each([
    [0, 'it was still being answered when it was given up'],
    [1100, 'nothing came any more, until it was given up'],
  ])('that is given up %i ms after a token says so', async (milliseconds, said) => {
    const request = await asked((response) => void response.write(token('a')));
    while (request.tokens === 0) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    expect(await request.report(Date.now())).toMatchObject({ isWhole: false, said, status: 200 });
  });
});
