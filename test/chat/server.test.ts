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
      'Message 1 has fields this server does not take: ["name"].',
    ],
    [
      '{"messages":[{"role":"user","content":"x"}],"model":"y"}',
      'fields this server does not take: ["model"]. Allowed: messages.',
    ],
  ])('is refused: %s', async (body, why) => {
    const [status, said] = await refuse(body);
    expect(status).toBe(400);
    expect(said).toContain(why);
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
    expect(chat.output()).toContain('"outcome":"failed with 400"');
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

describe('key', () => {
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
