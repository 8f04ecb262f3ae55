import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, type ServerResponse, createServer as createHttp } from 'node:http';
import { type AddressInfo, type Server, createServer as createTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PROGRESS_PROBE } from '../../src/engine/probe/progress';

const root = join(__dirname, '../..');
const script = readFileSync(join(root, 'src/engine/probe/progress.py'), 'utf8');
const fixtures = join(root, 'test/fixtures/vllm');
const versions = readdirSync(fixtures).filter((name) => /^\d/.test(name));
const python = spawnSync('python3', ['--version']).status === 0;

/**
 * Answers of the real server, unchanged. Tiny Gemma 3, two pipeline ranks; `hung`: the follower stopped (SIGSTOP) under
 * a request, `hung-idle`: stopped before it; `prefill`: one 3 500-token prompt in chunks of 256 on a slowed follower.
 */
const recorded = (version: string, file: string) => readFileSync(join(fixtures, version, `${file}.txt`), 'utf8');
const LATEST = versions.at(-1) ?? 'none';
const COUNT = /^(vllm:iteration_tokens_total_count\{.*\}) (.*)$/m;
const USAGE = /^(vllm:kv_cache_usage_perc\{.*\}) (.*)$/m;
const set = (metrics: string, mark: RegExp, value: number) => metrics.replace(mark, `$1 ${value}.0`);

test('the embedded script is progress.py (node scripts/embed-probe.mjs)', () => {
  expect(PROGRESS_PROBE).toBe(script);
});

test('the script can stand in a manifest', () => {
  expect(script).not.toMatch(/\t| $|[^\x20-\x7e\n]/m);
  expect(script.split('\n').every((line) => line.length <= 120)).toBe(true);
  expect(script).not.toContain('$('); // Kubernetes expands it in commands
});

test('python3 is there', ({ skip }) => {
  if (!python && !process.env.CI) {
    console.warn('NO python3: the liveness probe was NOT tested');
    skip('python3 is missing');
  }
  expect(python).toBe(true);
});

interface Answer {
  readonly status?: number;
  readonly body?: string;
  /** Never answers; `now` runs when the request has arrived. */
  readonly silent?: boolean;
  readonly now?: () => void;
}

interface RunOptions {
  readonly stall?: number;
  readonly wait?: number;
  readonly key?: string | null;
  readonly file?: string;
}

describe.skipIf(!python)('progress.py', () => {
  let dir = '';
  let state = '';
  let open: Server[] = [];
  let asked: { line: string; key: string | undefined; body: string }[] = [];
  /** What the server answers at present. */
  let load: Answer = {};
  let metrics: Answer = {};
  let canary: Answer = {};

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'progress-'));
    state = join(dir, 'state');
    open = [];
    asked = [];
    canary = { silent: true };
    record('busy');
  });
  afterEach(() => {
    for (const server of open) server.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const record = (file: string, version = LATEST) => {
    load = { body: recorded(version, `load-${file}`) };
    metrics = { body: recorded(version, `metrics-${file}`) };
  };

  const listen = (server: Server) =>
    new Promise<number>((resolve) => {
      open.push(server);
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    });

  const serve = () => {
    const http = createHttp((request: IncomingMessage, response: ServerResponse) => {
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.on('end', () => {
        asked.push({ line: `${request.method} ${request.url}`, key: request.headers.authorization, body });
        const answers: Record<string, Answer> = { '/load': load, '/metrics': metrics, '/v1/completions': canary };
        const answer = answers[request.url ?? ''] ?? { status: 404 };
        answer.now?.();
        if (answer.silent) return;
        response.writeHead(answer.status ?? 200, { 'Content-Length': Buffer.byteLength(answer.body ?? '') });
        response.end(answer.body);
      });
    });
    return listen(http);
  };

  /** One run, as kubelet does it. The server under test lives in this process, so this must not block it. */
  const run = (port: number, { stall = 0, wait = 0.3, key = 'sekret', file = state }: RunOptions = {}) =>
    new Promise<{ code: number | null; said: string; error: string }>((resolve, reject) => {
      const child = spawn(
        'python3',
        ['-I', '-S', '-c', PROGRESS_PROBE, String(port), String(stall), file, String(wait)],
        { env: { PATH: process.env.PATH, ...(key === null ? {} : { VLLM_API_KEY: key }) } },
      );
      let said = '';
      let error = '';
      child.stdout.on('data', (part: Buffer) => (said += part.toString()));
      child.stderr.on('data', (part: Buffer) => (error += part.toString()));
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, said, error }));
    });

  const canaries = () => asked.filter((each) => each.line === 'POST /v1/completions').length;
  const expectRun = async (port: number, code: number, said: RegExp, options: RunOptions = {}) => {
    const result = await run(port, options);
    expect(result).toEqual({ code, said: expect.stringMatching(said) as string, error: '' });
    expect(result.said.trimEnd().split('\n')).toHaveLength(1);
  };

  describe.each(versions)('with the answers of vLLM %s', (version) => {
    test('idle is healthy and leaves nothing behind', async () => {
      const port = await serve();
      record('busy', version);
      await expectRun(port, 0, /^working/);
      record('idle', version);
      await expectRun(port, 0, /^idle\n$/);
      expect(readdirSync(dir)).toEqual([]);
    });

    test('busy and moving is healthy, without a test request', async () => {
      const port = await serve();
      for (const file of ['idle-before', 'busy', 'busy-later']) {
        metrics = { body: recorded(version, `metrics-${file}`) };
        load = { body: recorded(version, 'load-busy') };
        await expectRun(port, 0, /^working: 1 in the server/);
      }
      expect(canaries()).toBe(0);
    });

    test.each(['hung', 'hung-idle'])('%s is found', async (file) => {
      const port = await serve();
      record(file, version);
      await expectRun(port, 0, /^working/);
      await expectRun(port, 0, /^no step since number \d+, \d/, { stall: 1000 });
      expect(canaries()).toBe(0);
      await expectRun(port, 1, /^hung: no step since number \d+, .*with 1 in the server; the test request failed/);
      expect(canaries()).toBe(1);
      await expectRun(port, 1, /^hung/);
    });

    test('the chunks of a long prompt count as steps', async () => {
      const port = await serve();
      record('prefill', version);
      await expectRun(port, 0, /^working/);
      const later = recorded(version, 'metrics-prefill-later');
      expect(COUNT.exec(later)?.[2]).toBe(COUNT.exec(metrics.body ?? '')?.[2]);
      metrics = { body: later };
      await expectRun(port, 0, /^working/);
      expect(canaries()).toBe(0);
    });
  });

  test('a client that stopped reading does not kill the server', async () => {
    const port = await serve();
    canary = { body: '{}' };
    await expectRun(port, 0, /^working/);
    await expectRun(port, 0, /^alive: .*the test request got a 200/);
    expect(asked.at(-1)).toMatchObject({ line: 'POST /v1/completions', body: '{"prompt":"a","max_tokens":1}' });
    await expectRun(port, 0, /^no step/, { stall: 1000 }); // the time starts again
  });

  test('a step during the test request is proof of life', async () => {
    const port = await serve();
    await expectRun(port, 0, /^working/);
    const moved = set(metrics.body ?? '', COUNT, 4711);
    canary = { silent: true, now: () => (metrics = { body: moved }) };
    await expectRun(port, 0, /^alive: .*the test request failed/);
    await expectRun(port, 0, /^working: 1 in the server, 4711 steps/);
  });

  test.each([
    [500, 1, /^hung: .*got a 500/],
    [401, 0, /^alive: .*got a 401/], // a wrong key: the engine was not asked
    [404, 0, /^alive: .*got a 404/],
  ])('test request answered with %d', async (status, code, said) => {
    const port = await serve();
    canary = { status };
    await expectRun(port, 0, /^working/);
    await expectRun(port, code, said);
  });

  test('garbage instead of an answer to the test request', async () => {
    const port = await serve();
    canary = { status: 999 };
    await expectRun(port, 0, /^working/);
    await expectRun(port, 1, /^hung: .*got a 999/);
  });

  test('counters that went down belong to a restarted server', async () => {
    const port = await serve();
    await expectRun(port, 0, /^working/);
    metrics = { body: set(metrics.body ?? '', COUNT, 1) };
    await expectRun(port, 0, /^working: 1 in the server, 1 steps/);
    expect(canaries()).toBe(0);
  });

  test('the counters of all engines are added up', async () => {
    const port = await serve();
    const one = set(metrics.body ?? '', COUNT, 10);
    const line = COUNT.exec(one)?.[0] ?? '';
    const both = (second: number) => ({
      body: one.replace(COUNT, `$&\n${line.replace('engine="0"', 'engine="1"').replace(/ .*$/, ` ${second}.0`)}`),
    });
    metrics = both(5);
    await expectRun(port, 0, /^working: 1 in the server, 15 steps/);
    metrics = both(6);
    await expectRun(port, 0, /^working: 1 in the server, 16 steps/);
    await expectRun(port, 1, /^hung: no step since number 16/);
  });

  test.each([
    ['/load is missing', () => (load = { status: 404 }), /^\/load answers 404: nothing can be said/],
    ['/load is garbage', () => (load = { body: '<html>' }), /^nothing can be said: JSONDecodeError/],
    ['/load says nothing', () => (load = { body: '{}' }), /^nothing can be said: KeyError/],
    ['/load is of another kind', () => (load = { body: '{"server_load":"x"}' }), /^nothing can be said: ValueError/],
    ['statistics are off', () => (metrics = { body: 'python_info 1.0\n' }), /does not count engine steps: nothing can/],
    ['/metrics is missing', () => (metrics = { status: 404 }), /does not count engine steps: nothing can/],
    [
      'the counter is garbage',
      () => (metrics = { body: 'vllm:iteration_tokens_total_count{engine="0"} x\n' }),
      /^nothing can be said: ValueError/,
    ],
  ])('%s: no reason to restart', async (_, change, said) => {
    const port = await serve();
    change();
    await expectRun(port, 0, said);
    await expectRun(port, 0, said);
  });

  test('only the cache gauge is missing: the counter still counts', async () => {
    const port = await serve();
    metrics = { body: (metrics.body ?? '').replace(USAGE, '') };
    await expectRun(port, 0, /^working/);
    await expectRun(port, 1, /^hung/);
  });

  test('nobody listens', async () => {
    const port = await listen(createTcp());
    await new Promise((resolve) => open.pop()?.close(resolve));
    await expectRun(port, 1, /^the API server does not answer: .*refused/);
  });

  test('closes without an answer', async () => {
    const port = await listen(createTcp((socket) => socket.on('data', () => socket.end())));
    await expectRun(port, 1, /^the API server does not answer: closed without an answer/);
  });

  test('accepts and never answers', async () => {
    const sockets: { destroy(): void }[] = [];
    const port = await listen(createTcp((socket) => sockets.push(socket)));
    // Five seconds of real waiting: the time is the probe's own, and nothing here measures it.
    await expectRun(port, 1, /^the API server does not answer: timed out/);
    for (const socket of sockets) socket.destroy();
  }, 60_000);

  test('a drip of bytes is no answer to the test request', async () => {
    const port = await serve();
    await expectRun(port, 0, /^working/);
    const old = open.pop();
    await new Promise((resolve) => old?.close(resolve));
    const plain = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const drip = createTcp((socket) => {
      socket.on('error', () => socket.destroy());
      socket.once('data', (part) => {
        const text = part.toString();
        if (text.startsWith('GET /load')) return socket.end(plain(load.body ?? ''));
        if (text.startsWith('GET /metrics')) return socket.end(plain(metrics.body ?? ''));
        const timer = setInterval(() => socket.write('H'), 50);
        socket.on('close', () => clearInterval(timer));
        return undefined;
      });
    });
    open.push(drip);
    await new Promise<void>((resolve) => drip.listen(port, '127.0.0.1', resolve));
    await expectRun(port, 1, /^hung: .*timed out/);
  });

  test('something that is not HTTP', async () => {
    const port = await listen(createTcp((socket) => socket.on('data', () => socket.end('SSH-2.0-x\r\n'))));
    await expectRun(port, 0, /^nothing can be said: ValueError: not HTTP/);
  });

  test('the key goes with every request, and none without one', async () => {
    const port = await serve();
    await expectRun(port, 0, /^working/);
    await expectRun(port, 1, /^hung/);
    expect(asked.map((each) => each.line)).toEqual([
      ...['GET /load', 'GET /metrics'],
      ...['GET /load', 'GET /metrics', 'POST /v1/completions', 'GET /metrics'],
    ]);
    expect(new Set(asked.map((each) => each.key))).toEqual(new Set(['Bearer sekret']));
    asked = [];
    await expectRun(port, 1, /^hung/, { key: null });
    expect(new Set(asked.map((each) => each.key?.trim()))).toEqual(new Set(['Bearer']));
  });

  describe('the state file', () => {
    /** The state that a first run leaves, with one thing changed. */
    const changed = async (port: number, change: (state: [string, number, number[]]) => unknown) => {
      await expectRun(port, 0, /^working/);
      const before = JSON.parse(readFileSync(state, 'utf8')) as [string, number, number[]];
      writeFileSync(state, JSON.stringify(change(before)));
    };

    test('survives between runs: this is what the other tests rest on', async () => {
      const port = await serve();
      await changed(port, (same) => same);
      await expectRun(port, 1, /^hung/);
      expect(readdirSync(dir)).toEqual(['state']);
    });

    test.each([
      ['of another life of the container', ([, since, old]: [string, number, number[]]) => ['12', since, old]],
      ['from the future', ([life, since, old]: [string, number, number[]]) => [life, since + 1e9, old]],
      ['from before the clock', ([life, , old]: [string, number, number[]]) => [life, -1, old]],
      ['with other fields', ([life]: [string, number, number[]]) => [life]],
      ['of another form', () => ({ hello: 'world' })],
      ['with no time', ([life, , old]: [string, number, number[]]) => [life, 'x', old]],
    ])('%s is ignored', async (_, change) => {
      const port = await serve();
      await changed(port, change);
      await expectRun(port, 0, /^working/);
      expect(canaries()).toBe(0);
      await expectRun(port, 1, /^hung/); // and was replaced by a good one
    });

    test.each([
      ['empty', ''],
      ['not JSON', 'x'],
      ['cut off', '[1,2'],
      ['binary', '\0\xff'],
      ['nested too deep', '['.repeat(4000)],
    ])('damaged (%s) is ignored', async (_, text) => {
      const port = await serve();
      writeFileSync(state, text);
      await expectRun(port, 0, /^working/);
      await expectRun(port, 1, /^hung/);
    });

    test('a link in its place is neither followed nor written through', async () => {
      const port = await serve();
      const victim = join(dir, 'victim');
      await changed(port, (same) => {
        writeFileSync(victim, JSON.stringify(same));
        return same;
      });
      const text = readFileSync(victim, 'utf8');
      rmSync(state);
      symlinkSync(victim, state);
      await expectRun(port, 0, /^working/);
      expect(readFileSync(victim, 'utf8')).toBe(text);
      symlinkSync(victim, `${state}.new`);
      rmSync(state);
      await expectRun(port, 0, /^nothing can be said: OSError/);
      expect(readFileSync(victim, 'utf8')).toBe(text);
    });

    test('that cannot be written is said, and kills nothing', async () => {
      const port = await serve();
      const file = join(dir, 'no', 'such', 'folder');
      await expectRun(port, 0, /^nothing can be said: FileNotFoundError/, { file });
    });
  });

  test('wrong arguments kill nothing', async () => {
    await expectRun(NaN, 0, /^nothing can be said: ValueError/);
  });
});
