import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { redaction } from '../../chat/server/redact';
import {
  API_KEY,
  basic,
  call,
  cleanUp,
  DONE,
  fakeUpstream,
  HELLO,
  open,
  PASSWORD,
  reader,
  spawnChat,
  startChat,
  startEvents,
  text,
  token,
  words,
} from './harness';

afterEach(cleanUp);

/** No model's server: for what must be decided before it is asked. */
const NOWHERE = 'http://127.0.0.1:9';

describe('start', () => {
  it('refuses to start without a password', async () => {
    const chat = spawnChat({ HOST: '127.0.0.1', PORT: '0', UPSTREAM_URL: NOWHERE, MODEL: 'gemma' });
    expect(await chat.exit).toBe(1);
    expect(chat.output()).toContain('- PASSWORD: is not set or empty.');
  });

  it('lists every wrong value and exits', async () => {
    const chat = spawnChat({ PORT: 'http', PATH_PREFIX: 'chat', API_KEY: 'a b' });
    expect(await chat.exit).toBe(1);
    expect(chat.output().match(/^- \w+/gm)).toEqual([
      '- PORT',
      '- PATH_PREFIX',
      '- UPSTREAM_URL',
      '- MODEL',
      '- API_KEY',
      '- PASSWORD',
    ]);
  });

  it('says in words that its port is taken', async () => {
    const first = await startChat(NOWHERE);
    const second = spawnChat({
      HOST: '127.0.0.1',
      PORT: String(first.port),
      UPSTREAM_URL: NOWHERE,
      MODEL: 'gemma',
      PASSWORD,
    });
    expect(await second.exit).toBe(1);
    expect(second.output()).toContain(`cannot listen on 127.0.0.1:${first.port} (EADDRINUSE)`);
  });

  it('runs hardened, from a directory it cannot write to', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'chat-'));
    chmodSync(directory, 0o555);
    try {
      const chat = await startChat(
        NOWHERE,
        {},
        {
          cwd: directory,
          nodeArguments: ['--disallow-code-generation-from-strings', '--frozen-intrinsics', '--max-old-space-size=64'],
        },
      );
      expect((await call(chat.port, '/chat/')).status).toBe(200);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe('password', () => {
  it('is asked for everywhere but at the health check', async () => {
    const { port } = await startChat(NOWHERE);
    const nobody = { headers: { Authorization: '' } };
    for (const path of ['/', '/chat', '/chat/', '/chat/nothing']) {
      const answer = await call(port, path, nobody);
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Basic realm="chat", charset="UTF-8"');
      expect(answer.text).toBe('The password is missing or wrong. Any user name will do.\n');
    }
    const api = await call(port, '/chat/api/chat', { ...nobody, body: HELLO });
    expect(api.status).toBe(401);
    expect(words(api)).toContain('password is missing or wrong');
    for (const path of ['/healthz', '/chat/healthz', '/healthz?probe=1']) {
      expect(await call(port, path, nobody)).toMatchObject({ status: 200, text: 'ok\n' });
    }
  });

  it('is compared as a whole, in UTF-8, after the first colon', async () => {
    const { port } = await startChat(NOWHERE, { PASSWORD: 'a:ü 密' });
    const status = async (header: string): Promise<number> =>
      (await call(port, '/chat/', { headers: { Authorization: header } })).status;
    expect(await status(basic('a:ü 密'))).toBe(200);
    expect(await status(basic('a:ü 密', ''))).toBe(200);
    expect(await status(basic('a'))).toBe(401);
    expect(await status(basic('a:u 密'))).toBe(401);
    expect(await status(basic('a:ü 密').replace('Basic', 'Bearer'))).toBe(401);
    expect(await status('Basic %%%')).toBe(401);
    expect(await status('Basic')).toBe(401);
  });
});

describe('routes', () => {
  it.each([
    ['/', '/', ''],
    ['/chat', '/chat/', 'chat/'],
    ['/a/b', '/a/b/', 'b/'],
  ])('serves under %s', async (prefix, page, location) => {
    const upstream = await fakeUpstream();
    const { port } = await startChat(upstream.url, { PATH_PREFIX: prefix });
    const answer = await call(port, page);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('fetch("api/chat"');
    expect(await call(port, `${page}healthz`)).toMatchObject({ status: 200, text: 'ok\n' });
    if (location) {
      const redirect = await call(port, prefix);
      expect(redirect.status).toBe(308);
      expect(redirect.headers.location).toBe(location);
      expect(new URL(location, `http://host${prefix}`).pathname).toBe(page);
      expect((await call(port, '/')).status).toBe(404);
    }

    const chat = call(port, `${page}api/chat`, { body: HELLO });
    const asked = await upstream.next();
    startEvents(asked.res);
    asked.res.end(DONE);
    expect(await chat).toMatchObject({ status: 200, text: DONE });
  });

  it('answers in words where there is nothing', async () => {
    const { port } = await startChat(NOWHERE);
    for (const path of ['/', '/chat/x', '/chat/../chat/', '//', '/chatter', '/chat/api/chat/']) {
      expect(await call(port, path)).toMatchObject({
        status: 404,
        text: 'There is nothing at this address. The chat is at /chat/.\n',
      });
    }
  });

  it('answers in words to a method that is not possible', async () => {
    const { port } = await startChat(NOWHERE);
    const api = await call(port, '/chat/api/chat');
    expect(api).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    expect(words(api)).toBe('GET is not possible here, only POST.');
    for (const path of ['/healthz', '/chat', '/chat/']) {
      expect(await call(port, path, { method: 'DELETE' })).toMatchObject({
        status: 405,
        headers: { allow: 'GET, HEAD' },
        text: 'DELETE is not possible here, only GET and HEAD.\n',
      });
    }
    expect(await call(port, '/chat/', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
  });

  it('lets the page run and load nothing but its own', async () => {
    const { port } = await startChat(NOWHERE, { MODEL: `a<b>"&'$&{{model}}` });
    const { headers, text: page } = await call(port, '/chat/');
    expect(page).toContain('<meta name="model" content="a&#60;b&#62;&#34;&#38;&#39;$&#38;{{model}}" />');
    expect(page).not.toMatch(/(src|href)="(?!data:)|@import|url\(/);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect(headers['content-security-policy']).toMatch(
      /default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-/,
    );
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  });
});

describe('request', () => {
  const refuse = async (body: string, headers: Record<string, string> = {}): Promise<[number, string]> => {
    const { port } = await startChat(NOWHERE);
    const answer = await call(port, '/chat/api/chat', { body, headers });
    return [answer.status, words(answer)];
  };

  it.each([
    ['{', 'not valid JSON'],
    ['', 'not valid JSON'],
    ['[]', 'must be a JSON object with messages, not [].'],
    ['null', 'must be a JSON object with messages, not null.'],
    ['{}', '"messages" must be a list with at least one message.'],
    ['{"messages":[]}', '"messages" must be a list with at least one message.'],
    ['{"messages":["x"]}', 'Message 1 must be a JSON object with role and content, not "x".'],
    [
      '{"messages":[{"role":"tool","content":"x"}]}',
      'Message 1 has the role "tool"; allowed are system, user, assistant.',
    ],
    ['{"messages":[{"content":"x"}]}', 'Message 1 has the role nothing; allowed are'],
    [
      '{"messages":[{"role":"user","content":"x"},{"role":"user"}]}',
      'Message 2 has the content nothing; it must be a text.',
    ],
    ['{"messages":[{"role":"user","content":[]}]}', 'Message 1 has the content []; it must be a text.'],
    [
      '{"messages":[{"role":"user","content":"x","name":"y"}]}',
      'Message 1 has fields this server does not take: "name".',
    ],
    [
      '{"messages":[{"role":"user","content":"x"}],"model":"y"}',
      'fields this server does not take: "model". Allowed: messages.',
    ],
  ])('is refused: %s', async (body, why) => {
    const [status, said] = await refuse(body);
    expect(status).toBe(400);
    expect(said).toContain(why);
  });

  it.each([
    ['lists', '['.repeat(120_000), 'nested too deeply'],
    ['closed lists', '['.repeat(50_000) + ']'.repeat(50_000), 'nested too deeply'],
    ['objects', '{"a":'.repeat(40_000), 'nested too deeply'],
    ['a message', `{"messages":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 'nested too deeply'],
    [
      'a content',
      `{"messages":[{"role":"user","content":${'['.repeat(50_000)}${']'.repeat(50_000)}}]}`,
      'nested too deeply',
    ],
    ['a list in the place of a text', '{"messages":[{"role":"user","content":["a"]}]}', 'has the content […]; it must'],
    ['an object in the place of a role', '{"messages":[{"role":{"a":1}}]}', 'has the role {…}; allowed'],
    ['many messages', `{"messages":[${'{},'.repeat(20_000)}{}]}`, 'more than 10000 messages or fields'],
    ['many numbers', `{"messages":[${'1,'.repeat(60_000)}1]}`, 'more than 10000 messages or fields'],
    ['many names', `{${Array.from({ length: 9000 }, (_, i) => `"n${i}":1`).join()}}`, '"n4" and 8995 more. Allowed'],
    ['a long name', `{"${'n'.repeat(100_000)}":1}`, `"${'n'.repeat(79)}…`],
  ])('is refused in words, however it is built: %s', async (_, body, why) => {
    const [status, said] = await refuse(body);
    expect(said).toContain(why);
    expect(said.length).toBeLessThan(600);
    expect(status).toBe(400);
  });

  it('may hold brackets and quotes in its text', async () => {
    const upstream = await fakeUpstream();
    const { port } = await startChat(upstream.url);
    const messages = [{ role: 'user', content: `${'[{"'.repeat(5000)}\\"\\\\ü密` }];
    void call(port, '/chat/api/chat', { body: JSON.stringify({ messages }) }).catch(() => {});
    expect((await upstream.next()).body.messages).toEqual(messages);
  });

  it.each([
    ['http://evil.example', 'chat.example', 403],
    ['http://chat.example:8080', 'chat.example', 403],
    ['http://chat.example', 'chat.example:8080', 403],
    ['http://chat.example.evil', 'chat.example', 403],
    ['null', 'chat.example', 403],
    ['file://', 'chat.example', 403],
    ['http://chat.example', 'chat.example', 503],
    ['http://CHAT.example', 'chat.example:80', 503],
    ['http://[::1]:8080', '[::1]:8080', 503],
    ['https://chat.example', 'chat.example', 503],
  ])('over plain HTTP comes from the page: %s to %s', async (origin, host, status) => {
    const { port } = await startChat(NOWHERE);
    const answer = await call(port, '/chat/api/chat', { body: HELLO, headers: { Origin: origin, Host: host } });
    expect(answer.status).toBe(status);
    if (status === 403) expect(words(answer)).toContain(`this request came from ${origin} to ${host}.`);
  });

  it('is judged by Sec-Fetch-Site where the browser sends it, whatever a proxy makes of Host', async () => {
    expect((await refuse(HELLO, { Origin: 'https://chat.example', 'Sec-Fetch-Site': 'same-origin' }))[0]).toBe(503);
    expect((await refuse(HELLO, { Origin: 'http://127.0.0.1', 'Sec-Fetch-Site': 'cross-site' }))[0]).toBe(403);
  });

  it.each([
    ['/chat/api/chat', basic(), '10000', 413],
    ['/chat/api/chat', basic('wrong'), '10', 401],
    ['/chat/nothing', basic(), '10', 404],
  ])('that waits to be told to go on is refused without that: %s', async (path, authorization, length, status) => {
    const { port } = await startChat(NOWHERE, { MAX_REQUEST_BYTES: '1024' });
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: chat\r\nAuthorization: ${authorization}\r\nExpect: 100-continue\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
    );
    // The end of the connection: a body that may or may not follow must not be taken for another request.
    const all = await text(socket);
    expect(all.startsWith(`HTTP/1.1 ${status} `)).toBe(true);
    expect(all).not.toContain('100 Continue');
  });

  it('that waits to be told to go on is told', async () => {
    const upstream = await fakeUpstream();
    const { port } = await startChat(upstream.url);
    const socket = connect(port, '127.0.0.1');
    const received = reader(socket);
    socket.write(
      `POST /chat/api/chat HTTP/1.1\r\nHost: chat\r\nAuthorization: ${basic()}\r\nExpect: 100-continue\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${HELLO.length}\r\n\r\n`,
    );
    await received.until('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(HELLO);
    const { res } = await upstream.next();
    startEvents(res);
    res.end(DONE);
    expect(await received.end()).toContain(DONE);
  });

  it('is refused when it is not UTF-8', async () => {
    const { port } = await startChat(NOWHERE);
    const body = Buffer.from('{"messages":[{"role":"user","content":"\xff"}]}', 'latin1');
    expect((await call(port, '/chat/api/chat', { body })).status).toBe(400);
  });

  it.each(['cross-site', 'same-site'])('is refused from elsewhere (%s)', async (site) => {
    const [status, said] = await refuse(HELLO, { 'Sec-Fetch-Site': site });
    expect(status).toBe(403);
    expect(said).toContain(`came from elsewhere (${site})`);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])(
    'is refused as %s',
    async (type) => {
      expect(await refuse(HELLO, { 'Content-Type': type })).toEqual([
        415,
        `The content type must be application/json, not "${type}".`,
      ]);
    },
  );

  it('has a bound, announced or not', async () => {
    const { port } = await startChat(NOWHERE, { MAX_REQUEST_BYTES: '1024' });
    const large = JSON.stringify({ messages: [{ role: 'user', content: 'x'.repeat(2_000_000) }] });
    for (const headers of [{}, { 'Transfer-Encoding': 'chunked' }]) {
      const answer = await call(port, '/chat/api/chat', { body: large, headers });
      expect(answer.status).toBe(413);
      expect(words(answer)).toContain('larger than 1024 bytes');
    }
  });

  it('is cut off when it goes on and on past the bound', async () => {
    const { port } = await startChat(NOWHERE, { MAX_REQUEST_BYTES: '1024' });
    // A bare socket, because node's client stops sending once it has the answer.
    const socket = connect(port, '127.0.0.1');
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    socket.on('error', () => {});
    const received = reader(socket);
    socket.write(
      `POST /chat/api/chat HTTP/1.1\r\nHost: chat\r\nAuthorization: ${basic()}\r\n` +
        `Content-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n`,
    );
    expect(await received.until('shorter message')).toContain('HTTP/1.1 413');
    const piece = Buffer.alloc(64 * 1024, ' ');
    const more = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', more);
    more();
    await closed;
  });
});

describe('relay', () => {
  it('asks the model with the key and nothing of the browser', async () => {
    const upstream = await fakeUpstream();
    const { port } = await startChat(upstream.url, { MAX_TOKENS: '64' });
    const answer = call(port, '/chat/api/chat', {
      body: HELLO,
      headers: { Cookie: 'a=b', 'X-Forwarded-For': '10.0.0.1' },
    });
    const asked = await upstream.next();
    expect(asked.url).toBe('/v1/chat/completions');
    expect(asked.body).toEqual({
      model: 'gemma',
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
      max_completion_tokens: 64,
    });
    expect(Object.keys(asked.headers).sort()).toEqual([
      'accept',
      'authorization',
      'connection',
      'content-length',
      'content-type',
      'host',
    ]);
    expect(asked.headers.authorization).toBe(`Bearer ${API_KEY}`);
    startEvents(asked.res);
    asked.res.end(token('Hi', 'stop') + DONE);
    const { headers, text: events } = await answer;
    expect(events).toBe(token('Hi', 'stop') + DONE);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
  });

  it('sends no key and no bound when it has none', async () => {
    const upstream = await fakeUpstream();
    const { port } = await startChat(upstream.url, { API_KEY: '' });
    void call(port, '/chat/api/chat', { body: HELLO }).catch(() => {});
    const asked = await upstream.next();
    expect(asked.headers).not.toHaveProperty('authorization');
    expect(asked.body).not.toHaveProperty('max_completion_tokens');
  });

  it('passes every piece on as it comes', async () => {
    const upstream = await fakeUpstream();
    const { port } = await startChat(upstream.url);
    const answer = open(port, '/chat/api/chat', { body: HELLO });
    const asked = await upstream.next();
    startEvents(asked.res);
    // Headers come before any token, so that the page knows its request was taken.
    const events = reader(await answer);
    // Each piece is only sent once the one before has come through the relay; pieces need not be whole events.
    for (const piece of ['data: {"a', '":1}\n', '\ndata: é', '\n\n', DONE]) {
      asked.res.write(piece);
      await events.until(piece);
    }
    asked.res.end();
    expect(await events.end()).toBe(`data: {"a":1}\n\ndata: é\n\n${DONE}`);
  });

  it.each([
    ['as it is', [token('a'), DONE]],
    ['in one piece', [token('a') + DONE]],
    ['with more after it', [token('a') + DONE + ': bye\n\n']],
    ['byte by byte', [token('a'), ...DONE]],
    ['with CRLF', [token('a'), 'data: [DONE]\r\n\r\n']],
  ])('ends with the last event, though the model keeps its response open: %s', async (_, pieces) => {
    const upstream = await fakeUpstream();
    const { port } = await startChat(upstream.url, { UPSTREAM_TIMEOUT_SECONDS: '60' });
    const answer = call(port, '/chat/api/chat', { body: HELLO });
    const { res, left } = await upstream.next();
    startEvents(res);
    for (const piece of pieces) {
      res.write(piece);
      if (pieces.length > 2) await new Promise(setImmediate);
    }
    expect((await answer).text).toBe(pieces.join('').replace(': bye\n\n', ''));
    await left;
  });

  it('gives the last event the line break that its end has taken', async () => {
    const upstream = await fakeUpstream();
    const { port } = await startChat(upstream.url);
    const answer = call(port, '/chat/api/chat', { body: HELLO });
    const { res } = await upstream.next();
    startEvents(res);
    res.end(`${token('a')}data: [DONE]`);
    expect((await answer).text).toBe(token('a') + DONE);
  });

  it.each([
    ['Text/Event-Stream; charset=utf-8', 200],
    ['text/event-stream ;x=y', 200],
    ['text/event-stream', 200],
    ['text/event-streamish', 502],
    ['text/event-stream-2;', 502],
    ['application/text/event-stream', 502],
  ])('takes nothing but an event stream: %s', async (type, status) => {
    const upstream = await fakeUpstream();
    const { port } = await startChat(upstream.url);
    const answer = call(port, '/chat/api/chat', { body: HELLO });
    const { res } = await upstream.next();
    res.writeHead(200, { 'Content-Type': type });
    res.end(DONE);
    expect((await answer).status).toBe(status);
  });

  it('ends the request to the model when the browser leaves before the first byte', async () => {
    const upstream = await fakeUpstream();
    const chat = await startChat(upstream.url);
    const req = request({
      host: '127.0.0.1',
      port: chat.port,
      path: '/chat/api/chat',
      method: 'POST',
      headers: { Authorization: basic(), 'Content-Type': 'application/json' },
    });
    req.on('error', () => {});
    req.end(HELLO);
    const asked = await upstream.next();
    const log = reader(chat.process.stdout);
    req.destroy();
    // The model never sends a byte, so only the browser's leaving can have ended this.
    await asked.left;
    expect(asked.res.headersSent).toBe(false);
    await log.until('"outcome":"the browser left"');
  });

  it('ends the request to the model when the browser leaves in the middle', async () => {
    const upstream = await fakeUpstream();
    const { port } = await startChat(upstream.url);
    const answer = open(port, '/chat/api/chat', { body: HELLO });
    const asked = await upstream.next();
    startEvents(asked.res);
    asked.res.write(token('a'));
    const res = await answer;
    res.on('error', () => {});
    await reader(res).until(token('a'));
    res.destroy();
    await asked.left;
  });

  it('holds the model back while the browser does not read', async () => {
    const upstream = await fakeUpstream();
    const { port } = await startChat(upstream.url);
    const answer = open(port, '/chat/api/chat', { body: HELLO });
    const asked = await upstream.next();
    startEvents(asked.res);
    const res = await answer;
    const piece = token('x'.repeat(64 * 1024));
    let sent = 0;
    // Far more than the buffers of both connections hold, and the relay may not fill its memory with the rest.
    while (sent < 1000 && asked.res.write(piece)) sent++;
    while (sent < 1000 && (await Promise.race([once(asked.res, 'drain'), stalled()]))) {
      sent++;
      while (sent < 1000 && asked.res.write(piece)) sent++;
    }
    expect(sent).toBeLessThan(1000);
    const all = text(res);
    asked.res.end(DONE);
    expect((await all).endsWith(DONE)).toBe(true);
  });

  it('pings while the model is silent, and only between events', async () => {
    const upstream = await fakeUpstream();
    const { port } = await startChat(upstream.url, { PING_SECONDS: '0.02' });
    const answer = open(port, '/chat/api/chat', { body: HELLO });
    const asked = await upstream.next();
    const events = reader(await answer);
    await events.until(': ping\n\n: ping\n\n');
    startEvents(asked.res);
    asked.res.write('data: half');
    await events.until('data: half');
    await stalled();
    asked.res.end(` and half\n\n${DONE}`);
    expect(await events.end()).toContain('data: half and half\n\n');
  });
});

/** Only to give a fault the time to show: a slow machine makes such a test blind, never red. */
function stalled(): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), 150));
}

describe('failure of the model', () => {
  const answerWith = async (
    status: number,
    body: unknown,
    env: Record<string, string> = {},
  ): Promise<[number, string]> => {
    const upstream = await fakeUpstream();
    const { port } = await startChat(upstream.url, env);
    const answer = call(port, '/chat/api/chat', { body: HELLO });
    const { res } = await upstream.next();
    res.writeHead(status, { 'Content-Type': 'application/json' });
    res.end(typeof body === 'string' ? body : JSON.stringify(body));
    const { status: got, text: said } = await answer;
    return [got, (JSON.parse(said) as { error: string }).error];
  };

  it('is told as starting or restarting when nobody listens', async () => {
    const { port } = await startChat(NOWHERE);
    const answer = await call(port, '/chat/api/chat', { body: HELLO });
    expect(answer.status).toBe(503);
    expect(words(answer)).toBe(
      "The model's server cannot be reached (ECONNREFUSED): it is starting or restarting. Try again in a minute or two.",
    );
  });

  it('is told as starting or restarting when its name is not known', async () => {
    const { port } = await startChat('http://no-such-name.invalid:8000');
    const answer = await call(port, '/chat/api/chat', { body: HELLO });
    expect(answer.status).toBe(503);
    expect(words(answer)).toMatch(/cannot be reached \((ENOTFOUND|EAI_AGAIN)\)/);
  });

  it('is told when the connection breaks before an answer', async () => {
    const upstream = await fakeUpstream();
    const { port } = await startChat(upstream.url);
    const answer = call(port, '/chat/api/chat', { body: HELLO });
    (await upstream.next()).res.destroy();
    expect((await answer).status).toBe(503);
    expect(words(await answer)).toContain('(ECONNRESET)');
  });

  it("passes vLLM's own words about a bad request on", async () => {
    const message = "This model's maximum context length is 2048 tokens. However, you requested 3000 tokens.";
    const nested = { error: { message, type: 'BadRequestError', code: 400 } };
    expect(await answerWith(400, nested)).toEqual([400, message]);
    expect(await answerWith(400, { object: 'error', message })).toEqual([400, message]);
    expect(await answerWith(422, { detail: message })).toEqual([400, message]);
    expect(await answerWith(400, '<html>')).toEqual([400, "The model's server refused the request (400)."]);
    expect(await answerWith(400, 'null')).toEqual([400, "The model's server refused the request (400)."]);
  });

  it.each([
    [401, 502, "refused the chat server's API key (401)"],
    [403, 502, "refused the chat server's API key (403)"],
    [404, 502, 'does not serve "gemma" (404)'],
    [429, 503, 'is busy (429)'],
    [500, 503, 'failed (500) and is probably restarting. Try again in a minute or two.'],
    [503, 503, 'failed (503) and is probably restarting'],
    [302, 502, 'gave an unexpected answer (302)'],
  ])('turns %i into %i with words', async (status, expected, said) => {
    const [got, error] = await answerWith(status, { error: { message: 'inner words' } });
    expect(got).toBe(expected);
    expect(error).toContain(said);
  });

  it('never shows the key, even if the model repeats it', async () => {
    const [, error] = await answerWith(400, { error: { message: `bad key ${API_KEY}!` } });
    expect(error).toBe('bad key ***!');
  });

  it('is told when something else than vLLM answers', async () => {
    const [status, error] = await answerWith(200, { hello: 'world' });
    expect(status).toBe(502);
    expect(error).toContain('answered with application/json where an event stream was expected');
  });

  it('takes only the start of an endless error', async () => {
    const upstream = await fakeUpstream();
    const { port } = await startChat(upstream.url);
    const answer = call(port, '/chat/api/chat', { body: HELLO });
    const { res, left } = await upstream.next();
    res.writeHead(500);
    res.write('x'.repeat(100_000));
    await left;
    expect((await answer).status).toBe(503);
  });

  it('is bounded in time before the first byte', async () => {
    const upstream = await fakeUpstream();
    const { port } = await startChat(upstream.url, { UPSTREAM_TIMEOUT_SECONDS: '0.5' });
    const answer = call(port, '/chat/api/chat', { body: HELLO });
    await (
      await upstream.next()
    ).left;
    expect((await answer).status).toBe(504);
    expect(words(await answer)).toContain('sent nothing for 0.5 seconds');
  });

  it('is bounded in time in the middle', async () => {
    const upstream = await fakeUpstream();
    const { port } = await startChat(upstream.url, { UPSTREAM_TIMEOUT_SECONDS: '1' });
    const answer = call(port, '/chat/api/chat', { body: HELLO });
    const { res, left } = await upstream.next();
    startEvents(res);
    res.write(token('a'));
    await left;
    expect((await answer).text).toMatch(
      /^data: .*\n\nevent: error\ndata: {"error":".*sent nothing for 1 seconds.*"status":504}\n\n$/,
    );
  });

  it('comes as an event once pings have begun', async () => {
    const upstream = await fakeUpstream();
    const { port } = await startChat(upstream.url, { PING_SECONDS: '0.02' });
    const answer = open(port, '/chat/api/chat', { body: HELLO });
    const { res } = await upstream.next();
    const stream = await answer;
    expect(stream.statusCode).toBe(200);
    const events = reader(stream);
    await events.until(': ping\n\n');
    res.writeHead(500);
    res.end();
    expect(await events.end()).toMatch(
      /: ping\n\nevent: error\ndata: {"error":"The model's server failed \(500\).*"status":503}\n\n$/,
    );
  });

  it.each([
    ['between two events', token('a'), '', false],
    ['within an event', `${token('a')}data: {"cho`, '\n\n', false],
    ['with a reset', token('a'), '', true],
  ])('in the middle never looks like the end: %s', async (_, sent, gap, reset) => {
    const upstream = await fakeUpstream();
    const { port } = await startChat(upstream.url);
    const answer = open(port, '/chat/api/chat', { body: HELLO });
    const { res } = await upstream.next();
    startEvents(res);
    res.write(sent);
    const events = reader(await answer);
    await events.until(sent);
    if (reset) res.socket?.resetAndDestroy();
    else res.destroy();
    const all = await events.end();
    expect(all.startsWith(`${sent}${gap}event: error\ndata: {"error":"The model's server stopped before`)).toBe(true);
    expect(all.endsWith('\n\n')).toBe(true);
  });

  it('is told when connection attempts come to nothing, as when a node is gone', async () => {
    // A stopped process with a full queue: the kernel drops further attempts, as a dead node does.
    const deaf = spawn(
      process.execPath,
      ['-e', 'const s = require("net").createServer().listen(0, "127.0.0.1", 1, () => console.log(s.address().port))'],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const sockets: Socket[] = [];
    try {
      const [line] = (await once(deaf.stdout, 'data')) as [Buffer];
      const dead = Number(line.toString());
      deaf.kill('SIGSTOP');
      const connected = Array.from({ length: 4 }, () => {
        const socket = connect(dead, '127.0.0.1').on('error', () => {});
        sockets.push(socket);
        return new Promise<void>((resolve) => socket.on('connect', () => resolve()));
      });
      await Promise.all(connected.slice(0, 2));
      const { port } = await startChat(`http://127.0.0.1:${dead}`, { UPSTREAM_TIMEOUT_SECONDS: '0.2' });
      const answer = await call(port, '/chat/api/chat', { body: HELLO });
      expect(words(answer)).toContain("The model's server took no connection within 0.2 seconds.");
      expect(answer.status).toBe(503);
    } finally {
      for (const socket of sockets) socket.destroy();
      deaf.kill('SIGKILL');
    }
  });

  it('leaves what the model quotes of the conversation out of the log', async () => {
    const upstream = await fakeUpstream();
    const chat = await startChat(upstream.url);
    const answer = call(chat.port, '/chat/api/chat', { body: HELLO });
    (await upstream.next()).res.writeHead(400).end('{"error":{"message":"bad input: private words"}}');
    expect(words(await answer)).toBe('bad input: private words');
    chat.process.kill('SIGTERM');
    await chat.exit;
    expect(chat.output()).toContain(`"outcome":"failed with 400: the model's server answered 400"`);
    expect(chat.output()).not.toContain('private words');
  });

  it('is noticed when the stream ends properly but without its last event', async () => {
    const upstream = await fakeUpstream();
    const { port } = await startChat(upstream.url);
    const answer = call(port, '/chat/api/chat', { body: HELLO });
    const { res } = await upstream.next();
    startEvents(res);
    res.end(token('a [DONE]'));
    expect((await answer).text).toContain('event: error\ndata: {"error":"The model\'s server stopped');
  });
});

describe('log', () => {
  it.each([
    [404, 'application/json', "failed with 502: the model's server answered 404"],
    [422, 'application/json', "failed with 400: the model's server answered 422"],
    [500, 'application/json', "failed with 503: the model's server answered 500"],
    [418, 'application/json', "failed with 502: the model's server answered 418"],
    [200, 'text/private words', 'failed with 502: no event stream'],
  ])("holds no word of the model's server: %i", async (status, type, outcome) => {
    const upstream = await fakeUpstream();
    const chat = await startChat(upstream.url);
    const answer = call(chat.port, '/chat/api/chat', { body: HELLO });
    const { res } = await upstream.next();
    res.writeHead(status, { 'Content-Type': type }).end('{"error":{"message":"it was about private words"}}');
    await answer;
    chat.process.kill('SIGTERM');
    await chat.exit;
    expect(chat.output()).toContain(`"outcome":"${outcome}"`);
    expect(chat.output()).not.toContain('private');
  });
});

describe('key', () => {
  const HARD = 'sk/+"\\&<%key~1?>>';
  const forms = (key: string): [string, string][] => [
    ['as it is', key],
    ['URL-encoded', encodeURIComponent(key)],
    ['URL-encoded in lower case', encodeURIComponent(key).replace(/%../g, (each) => each.toLowerCase())],
    ['wholly URL-encoded', [...key].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('')],
    ['twice URL-encoded', encodeURIComponent(encodeURIComponent(key))],
    ['base64', Buffer.from(key).toString('base64')],
    ['base64url', Buffer.from(key).toString('base64url')],
    ['base64, URL-encoded', encodeURIComponent(Buffer.from(key).toString('base64'))],
    ['base64 of the header', Buffer.from(`Bearer ${key}`).toString('base64')],
    ['base64 behind one byte', Buffer.from(`x${key}`).toString('base64')],
    ['base64 of credentials', Buffer.from(`me:${key}:you`).toString('base64url')],
    ['JSON-escaped', JSON.stringify(key).slice(1, -1)],
    ['twice JSON-escaped', JSON.stringify(JSON.stringify(key)).slice(3, -3)],
    [
      'JSON-escaped to the last',
      [...key].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
    ],
    ['escaped for HTML', key.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)],
    ['escaped for HTML by name', key.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')],
  ];

  describe.each([API_KEY, HARD])('%s', (key) => {
    it.each(forms(key))('is taken out of words: %s', (_, form) => {
      const redact = redaction(key);
      expect(redact(`begin ${form} end`)).toMatch(/^begin \S{0,12}\*\*\*\S{0,8} end$/);
      expect(redact(redact(form))).toBe(redact(form));
    });

    it('leaves other words alone', () => {
      const other = `${key.slice(0, -1)} ${key.slice(1)} The model's server failed (500).`;
      expect(redaction(key)(other)).toBe(other);
    });

    it.each(forms(key))(
      "is neither in an answer nor in the log, whatever the model's server repeats: %s",
      async (_, form) => {
        const upstream = await fakeUpstream();
        const chat = await startChat(upstream.url, { API_KEY: key });
        const seen: string[] = [];
        const long = 'x'.repeat(60);
        for (const [status, type, body] of [
          [200, `text/${form}`, ''],
          // Cut in the middle of the key, half of it would be left.
          [200, `text/${long}${form}`, ''],
          [400, 'application/json', { error: { message: form } }],
          [422, 'application/json', { detail: `${'x'.repeat(985)}${form}` }],
          [404, 'application/json', { message: form }],
          [500, 'application/json', { error: form }],
        ] as const) {
          const answer = call(chat.port, '/chat/api/chat', { body: HELLO });
          const { res } = await upstream.next();
          res.writeHead(status, { 'Content-Type': type }).end(JSON.stringify(body));
          seen.push((JSON.parse((await answer).text) as { error: string }).error);
        }
        chat.process.kill('SIGTERM');
        await chat.exit;
        expect(seen.slice(2, 3)[0]).toContain('***');
        // Ten characters in a row of any form would be half of the key; "Bearer" in base64 is no secret.
        const pieces = [form, key].flatMap((each) =>
          Array.from({ length: each.length - 11 }, (__, i) => each.slice(i, i + 12)).slice(12),
        );
        for (const text of [...seen, chat.output()]) for (const piece of pieces) expect(text).not.toContain(piece);
      },
    );
  });

  it('is searched for in no time', () => {
    const backslashes = '\\'.repeat(30);
    const start = performance.now();
    redaction(`${backslashes}a%&`)('\\'.repeat(20_000));
    redaction(API_KEY)('sk-only%25252525'.repeat(2000));
    expect(performance.now() - start).toBeLessThan(2000);
  });

  it('is in no answer, page or log', async () => {
    const upstream = await fakeUpstream();
    const chat = await startChat(upstream.url);
    const seen: string[] = [];
    for (const path of ['/chat', '/chat/', '/healthz', '/nothing']) {
      const answer = await call(chat.port, path);
      seen.push(JSON.stringify(answer.headers), answer.text);
    }
    for (const status of [200, 401, 500]) {
      const answer = call(chat.port, '/chat/api/chat', { body: HELLO });
      const { res } = await upstream.next();
      res.writeHead(status, { 'Content-Type': 'text/event-stream', 'X-Inner': API_KEY });
      res.end(status === 200 ? DONE : JSON.stringify({ error: API_KEY }));
      seen.push(JSON.stringify((await answer).headers), (await answer).text);
    }
    chat.process.kill('SIGTERM');
    expect(await chat.exit).toBe(0);
    seen.push(chat.output());
    expect(chat.output().match(/"event":"chat"/g)).toHaveLength(3);
    for (const each of seen) {
      expect(each).not.toContain(API_KEY);
      expect(each).not.toContain(PASSWORD);
    }
  });
});

describe('stop', () => {
  it('lets a stream in flight finish, takes no new connection and exits with 0', async () => {
    const upstream = await fakeUpstream();
    const chat = await startChat(upstream.url);
    const answer = open(chat.port, '/chat/api/chat', { body: HELLO });
    const { res } = await upstream.next();
    startEvents(res);
    res.write(token('a'));
    const events = reader(await answer);
    await events.until(token('a'));
    const log = reader(chat.process.stdout);
    chat.process.kill('SIGTERM');
    await log.until('"event":"stopping"');
    await expect(call(chat.port, '/healthz')).rejects.toThrow(/ECONNREFUSED|ECONNRESET/);
    res.end(token('b') + DONE);
    expect(await events.end()).toBe(token('a') + token('b') + DONE);
    expect(await chat.exit).toBe(0);
  });

  it('does not wait for connections that are only kept alive', async () => {
    const chat = await startChat(NOWHERE, { KEEP_ALIVE_SECONDS: '61' });
    const agent = new Agent({ keepAlive: true });
    const req = request({ host: '127.0.0.1', port: chat.port, path: '/healthz', agent });
    req.end();
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    expect(res.headers['keep-alive']).toBe('timeout=61');
    res.resume();
    await once(res, 'end');
    chat.process.kill('SIGTERM');
    expect(await chat.exit).toBe(0);
    agent.destroy();
  });

  it('cuts streams that do not end in time, and still exits with 0', async () => {
    const upstream = await fakeUpstream();
    const chat = await startChat(upstream.url, { SHUTDOWN_SECONDS: '0.05' });
    const answer = open(chat.port, '/chat/api/chat', { body: HELLO });
    const { res, left } = await upstream.next();
    startEvents(res);
    const stream = await answer;
    stream.on('error', () => {});
    chat.process.kill('SIGTERM');
    await left;
    expect(await chat.exit).toBe(0);
  });
});
