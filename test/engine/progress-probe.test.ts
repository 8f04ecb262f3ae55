import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, type ServerResponse, createServer as createHttp } from 'node:http';
import { type AddressInfo, type Server, type Socket, createServer as createTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { progressProbeCommand } from '../../src/engine/probe/command';
import { PROGRESS_PROBE } from '../../src/engine/probe/progress';

const root = join(__dirname, '../..');
const script = readFileSync(join(root, 'src/engine/probe/progress.py'), 'utf8');
const fixtures = join(root, 'test/fixtures/vllm');
const versions = readdirSync(fixtures).filter((name) => /^\d/.test(name));
/** The interpreter itself: `python3` may be a shell script that takes longer than the probe (pyenv). */
const python = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout?.trim();

/**
 * Answers of the real server, unchanged. Tiny Gemma 3, two pipeline ranks; `hung`: the follower stopped (SIGSTOP) under
 * a request, `hung-idle`: stopped before it; `prefill`: one 3 500-token prompt in chunks of 256 on a slowed follower.
 */
const recorded = (version: string, file: string) => readFileSync(join(fixtures, version, `${file}.txt`), 'utf8');
const LATEST = versions.at(-1) ?? 'none';
const COUNT = /^(vllm:iteration_tokens_total_count\{.*\}) (.*)$/m;
const USAGE = /^(vllm:kv_cache_usage_perc\{.*\}) (.*)$/m;
const FLOPS = /^(vllm:estimated_flops_per_gpu_total\{.*\}) (.*)$/m;
const set = (metrics: string, mark: RegExp, value: number) => metrics.replace(mark, `$1 ${value}.0`);

test('the embedded script is progress.py (node scripts/embed-probe.mjs)', () => {
  expect(PROGRESS_PROBE).toBe(script);
});

test('the script can stand in a manifest', () => {
  expect(script).not.toMatch(/\t| $|[^\x20-\x7e\n]/m);
  expect(script.split('\n').every((line) => line.length <= 120)).toBe(true);
  expect(script).not.toContain('$('); // Kubernetes expands it in commands
});

test('a run ends before kubelet loses patience, and remembers where every pod can write', () => {
  const command = progressProbeCommand(8000, 90);
  expect(command.slice(-4, -1)).toEqual(['8000', '90', '/dev/shm/vllm-progress.json']);
  expect(1.7 * Number(command.at(-1))).toBeLessThan(35); // timeoutSeconds: 40
});

test('python3 is there', ({ skip }) => {
  if (!python && !process.env.CI) {
    console.warn('NO python3: the liveness probe was NOT tested');
    skip('python3 is missing');
  }
  expect(python).toBeTruthy();
});

interface Answer {
  readonly status?: number;
  readonly body?: string;
  /** Never answers, or closes the connection without a word; `now` runs when the request has arrived. */
  readonly silent?: boolean;
  readonly closes?: boolean;
  readonly now?: () => void;
}

interface RunOptions {
  readonly stall?: number;
  readonly wait?: number;
  readonly key?: string | null;
  readonly file?: string;
}

interface Memory {
  life: unknown;
  marks: unknown;
  since: unknown;
  silent: unknown;
}

/** A server under test and the folder with the probe's memory. Each test has its own, so that they can run side by side. */
class World {
  public readonly dir = mkdtempSync(join(tmpdir(), 'progress-'));
  public readonly state = join(this.dir, 'state');
  public asked: { line: string; key: string | undefined; body: string }[] = [];
  /** What the server answers at present. The test request fails at once: waiting for silence takes time. */
  public load: Answer = {};
  public metrics: Answer = {};
  public canary: Answer = { closes: true };
  public health: Answer = {};
  public port = NaN;
  private server?: Server;
  private readonly sockets = new Set<Socket>();

  public record(file: string, version = LATEST) {
    this.load = { body: recorded(version, `load-${file}`) };
    this.metrics = { body: recorded(version, `metrics-${file}`) };
  }

  public set serverLoad(value: number) {
    this.load = { body: JSON.stringify({ server_load: value }) };
  }

  public change(mark: RegExp, value: number) {
    this.metrics = { body: set(this.metrics.body ?? '', mark, value) };
  }

  public async listen(server: Server, port = 0) {
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('error', () => socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    this.server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  public async close() {
    const server = this.server;
    this.server = undefined;
    for (const socket of this.sockets) socket.destroy();
    if (server) await new Promise((resolve) => server.close(resolve));
  }

  public serve() {
    return this.listen(
      createHttp((request: IncomingMessage, response: ServerResponse) => {
        let body = '';
        request.on('data', (part: Buffer) => (body += part.toString()));
        request.on('end', () => {
          this.asked.push({ line: `${request.method} ${request.url}`, key: request.headers.authorization, body });
          const answers: Record<string, Answer> = {
            '/load': this.load,
            '/metrics': this.metrics,
            '/v1/completions': this.canary,
            '/health': this.health,
          };
          const answer = answers[request.url ?? ''] ?? { status: 404 };
          answer.now?.();
          if (answer.closes) request.socket.destroy();
          if (answer.silent || answer.closes) return;
          response.writeHead(answer.status ?? 200, { 'Content-Length': Buffer.byteLength(answer.body ?? '') });
          response.end(answer.body);
        });
      }),
    );
  }

  /** One run, as kubelet does it. The server under test lives in this process, so this must not block it. */
  private run({ stall = 0, wait = 20, key = 'sekret', file = this.state }: RunOptions) {
    return new Promise<{ code: number | null; said: string; error: string }>((resolve, reject) => {
      const child = spawn(
        python,
        ['-I', '-S', '-c', PROGRESS_PROBE, String(this.port), String(stall), file, String(wait)],
        { env: { PATH: process.env.PATH, ...(key === null ? {} : { VLLM_API_KEY: key }) } },
      );
      let said = '';
      let error = '';
      child.stdout.on('data', (part: Buffer) => (said += part.toString()));
      child.stderr.on('data', (part: Buffer) => (error += part.toString()));
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, said, error }));
    });
  }

  public async expectRun(code: number, said: RegExp, options: RunOptions = {}) {
    const result = await this.run(options);
    expect(result).toEqual({ code, said: expect.stringMatching(said) as string, error: '' });
    expect(result.said.trimEnd().split('\n')).toHaveLength(1);
  }

  public get canaries() {
    return this.asked.filter((each) => each.line === 'POST /v1/completions').length;
  }

  public get memory() {
    return JSON.parse(readFileSync(this.state, 'utf8')) as Memory;
  }
}

/** Nothing is judged by time that has passed: `stall` 0 is "long enough", this is "not yet". */
const PATIENT = { stall: 1000 };
/** With this the probe waits 0.3 s for /load and /metrics. */
const HASTY = { wait: 1 };

describe.skipIf(!python).concurrent('progress.py', { timeout: 60_000 }, () => {
  /** A test in a world of its own, with a server that is busy unless `bare`. */
  const within = async (body: (w: World) => Promise<void>, bare = false) => {
    const w = new World();
    try {
      w.record('busy');
      if (!bare) await w.serve();
      await body(w);
    } finally {
      await w.close();
      rmSync(w.dir, { recursive: true, force: true });
    }
  };

  test('runs on Python 3.8', () => {
    const check = 'import ast, sys; ast.parse(sys.stdin.read(), feature_version=(3, 8))';
    expect(spawnSync(python, ['-c', check], { input: script }).status).toBe(0);
  });

  describe.each(versions)('with the answers of vLLM %s', (version) => {
    test('idle is healthy and forgets', () =>
      within(async (w) => {
        w.record('busy', version);
        await w.expectRun(0, /^working/);
        w.record('idle', version);
        await w.expectRun(0, /^working: 0 in the server/);
        await w.expectRun(0, /^idle\n$/);
        expect(w.memory).toMatchObject({ marks: null, since: null, silent: null });
        expect(w.canaries).toBe(0);
      }));

    test('busy and moving is healthy, without a test request', () =>
      within(async (w) => {
        for (const file of ['idle-before', 'busy', 'busy-later']) {
          w.record('busy', version);
          w.metrics = { body: recorded(version, `metrics-${file}`) };
          await w.expectRun(0, /^working: 1 in the server/);
        }
        expect(w.canaries).toBe(0);
      }));

    test.each(['hung', 'hung-idle'])('%s is found', (file) =>
      within(async (w) => {
        w.record(file, version);
        await w.expectRun(0, /^working/);
        await w.expectRun(0, /^no step since number \d+, \d/, PATIENT);
        expect(w.canaries).toBe(0);
        await w.expectRun(1, /^hung: no step since number \d+, .*with 1 in the server; the test request failed/);
        expect(w.canaries).toBe(1);
        await w.expectRun(1, /^hung/);
      }),
    );

    test('the chunks of a long prompt count as steps', () =>
      within(async (w) => {
        w.record('prefill', version);
        await w.expectRun(0, /^working/);
        const later = recorded(version, 'metrics-prefill-later');
        expect(COUNT.exec(later)?.[2]).toBe(COUNT.exec(w.metrics.body ?? '')?.[2]);
        w.metrics = { body: later };
        await w.expectRun(0, /^working/);
        expect(w.canaries).toBe(0);
      }));
  });

  describe('clients', () => {
    test('one that stopped reading does not kill the server', () =>
      within(async (w) => {
        w.canary = { body: '{}' };
        await w.expectRun(0, /^working/);
        await w.expectRun(0, /^alive: .*the test request got a 200/);
        expect(w.asked.filter(({ line }) => line.startsWith('POST'))).toMatchObject([
          { line: 'POST /v1/completions', body: '{"prompt":"a","max_tokens":1}' },
        ]);
        await w.expectRun(0, /^working/); // the time starts again
        await w.expectRun(0, /^no step/, PATIENT);
      }));

    test('that give up and come back do not hide a hang', () =>
      within(async (w) => {
        w.record('hung');
        await w.expectRun(0, /^working/, PATIENT);
        const { since } = w.memory;
        for (const load of [0, 2, 0, 0, 1, 0]) {
          w.serverLoad = load;
          await w.expectRun(0, /^no step/, PATIENT);
          expect(w.memory.since).toBe(since);
        }
        w.serverLoad = 0;
        await w.expectRun(1, /^hung: .*with 0 in the server; the test request failed/);
        w.serverLoad = 1;
        await w.expectRun(1, /^hung/);
      }));

    test('one that gave up on a healthy server costs one test request', () =>
      within(async (w) => {
        await w.expectRun(0, /^working/);
        w.serverLoad = 0;
        w.canary = { body: '{}', now: () => w.change(COUNT, 4711) };
        await w.expectRun(0, /^alive: .*got a 200/);
        await w.expectRun(0, /^idle/);
        await w.expectRun(0, /^idle/);
        expect(w.canaries).toBe(1);
      }));

    test('the first one after long idleness is not judged by the idle time', () =>
      within(async (w) => {
        w.record('busy');
        await w.expectRun(0, /^working/);
        w.record('idle');
        await w.expectRun(0, /^working: 0/);
        await w.expectRun(0, /^idle/);
        w.serverLoad = 1;
        await w.expectRun(0, /^working: 1/);
        expect(w.canaries).toBe(0);
        await w.expectRun(0, /^no step since number \d+, \d\.\d s ago/, PATIENT);
      }));

    test.each([-1, -3])('that were taken off twice (load %d) hide nothing and kill nothing', (load) =>
      within(async (w) => {
        w.serverLoad = load;
        await w.expectRun(0, /^working/);
        w.serverLoad = load + 1; // a request, and it hangs
        await w.expectRun(1, /^hung/);
        w.serverLoad = load;
        w.canary = {};
        await w.expectRun(0, /^alive/);
      }),
    );
  });

  describe('the test request', () => {
    test('silence, though bytes drip in', () =>
      within(async (w) => {
        const plain = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
        const drip = createTcp((socket) => {
          socket.once('data', (part) => {
            const text = part.toString();
            if (text.startsWith('GET /load')) return socket.end(plain(w.load.body ?? ''));
            if (text.startsWith('GET /metrics')) return socket.end(plain(w.metrics.body ?? ''));
            const timer = setInterval(() => socket.write('H'), 50);
            socket.on('close', () => clearInterval(timer));
            return undefined;
          });
        });
        await w.listen(drip);
        await w.expectRun(0, /^working/);
        await w.expectRun(1, /^hung: .*timed out/, { wait: 2 });
      }, true));

    test('silence', () =>
      within(async (w) => {
        w.canary = { silent: true };
        await w.expectRun(0, /^working/);
        await w.expectRun(1, /^hung: .*timed out/, { wait: 2 });
      }));

    test('a step meanwhile is proof of life', () =>
      within(async (w) => {
        await w.expectRun(0, /^working/);
        w.canary = { closes: true, now: () => w.change(COUNT, 4711) };
        await w.expectRun(0, /^alive: .*the test request failed/);
        await w.expectRun(0, /^working: 1 in the server, 4711 steps/);
      }));

    test.each([
      [401, 200, 0, /^alive: .*got a 401\n/], // a wrong key: the engine was not asked
      [404, 200, 0, /^alive: .*got a 404\n/],
      [501, 200, 0, /^alive: .*got a 501\n/], // a model that cannot do completions
      [999, 200, 0, /^alive: .*got a 999\n/],
      [500, 200, 0, /^alive: .*got a 500, \/health a 200\n/], // something is wrong with the request alone
      [500, 503, 1, /^hung: .*got a 500, \/health a 503\n/], // the engine is dead
      [503, 200, 1, /^hung: .*got a 503\n/], // its queue is full, and nothing leaves it
    ])('answered with %d, /health with %d: exit %d', (status, health, code, said) =>
      within(async (w) => {
        w.canary = { status };
        w.health = { status: health };
        await w.expectRun(0, /^working/);
        await w.expectRun(code, said);
      }),
    );

    test.each(['health', 'metrics'] as const)(
      'and then /%s is silent: that is another matter, with its own time',
      (which) =>
        within(async (w) => {
          w.canary = { status: which === 'health' ? 500 : 503, now: () => (w[which] = { closes: true }) };
          await w.expectRun(0, /^working/);
          const { since } = w.memory;
          await w.expectRun(1, /^the API server does not answer, for \d\.\d s/);
          expect(w.memory).toMatchObject({ since, silent: expect.any(Number) as number });
        }),
    );
  });

  describe('the API server', () => {
    /** Silence counts from its first run, only if it lasts; one answer ends it. */
    const dated = async (w: World, said: RegExp, options: RunOptions = {}) => {
      await w.expectRun(0, said, { ...options, ...PATIENT });
      const { silent } = w.memory;
      expect(silent).toEqual(expect.any(Number));
      await w.expectRun(0, said, { ...options, ...PATIENT });
      expect(w.memory.silent).toBe(silent);
      await w.expectRun(1, said, options);
    };

    test.each([
      ['/load of an idle server', 'idle', 'load'],
      ['/load of a busy server', 'busy', 'load'],
      ['/metrics of a busy server', 'busy', 'metrics'],
    ] as const)('silent on %s is dated before it is reported', (_, file, which) =>
      within(async (w) => {
        w.record(file);
        const before = w[which];
        w[which] = { silent: true };
        await dated(w, /^the API server does not answer, for \d+\.\d s: timed out/, HASTY);
        w[which] = before;
        await w.expectRun(0, /^(idle|working)/);
        expect(w.memory.silent).toBeNull();
        w[which] = { closes: true };
        await w.expectRun(0, /^the API server does not answer, for \d\.\d s: closed/, PATIENT); // counts anew
        expect(w.canaries).toBe(0);
      }),
    );

    test('that was silent for a while has not moved the engine', () =>
      within(async (w) => {
        await w.expectRun(0, /^working/);
        const { since, marks } = w.memory;
        const before = w.load;
        w.load = { closes: true };
        await w.expectRun(0, /^the API server does not answer/, PATIENT);
        w.load = before;
        await w.expectRun(0, /^no step/, PATIENT);
        expect(w.memory).toMatchObject({ since, marks, silent: null });
        await w.expectRun(1, /^hung/);
      }));

    test('does not listen', () =>
      within(async (w) => {
        await w.close();
        await dated(w, /^the API server does not answer, for .*refused/);
      }));

    test('closes without an answer', () =>
      within(async (w) => {
        w.load = { closes: true };
        await dated(w, /^the API server does not answer, for .*closed without an answer/);
      }));

    test('speaks something that is not HTTP', () =>
      within(async (w) => {
        await w.listen(createTcp((socket) => socket.on('data', () => socket.end('SSH-2.0-x\r\n'))));
        await w.expectRun(0, /^nothing can be said: ValueError: not HTTP/);
      }, true));

    test('gets the key with every request, and none without one', () =>
      within(async (w) => {
        w.canary = { status: 500 };
        w.health = { status: 503 };
        await w.expectRun(0, /^working/);
        await w.expectRun(1, /^hung/);
        expect(w.asked.map((each) => each.line)).toEqual([
          ...['GET /load', 'GET /metrics'],
          ...['GET /load', 'GET /metrics', 'POST /v1/completions', 'GET /health', 'GET /metrics'],
        ]);
        expect(new Set(w.asked.map((each) => each.key))).toEqual(new Set(['Bearer sekret']));
        w.asked = [];
        await w.expectRun(1, /^hung/, { key: null });
        expect(new Set(w.asked.map((each) => each.key?.trim()))).toEqual(new Set(['Bearer']));
      }));
  });

  describe('the marks', () => {
    test('that went down belong to a restarted server', () =>
      within(async (w) => {
        await w.expectRun(0, /^working/);
        w.change(COUNT, 1);
        await w.expectRun(0, /^working: 1 in the server, 1 steps/);
        expect(w.canaries).toBe(0);
      }));

    test('of all engines are added up', () =>
      within(async (w) => {
        const one = set(w.metrics.body ?? '', COUNT, 10);
        const line = COUNT.exec(one)?.[0] ?? '';
        const both = (second: number) => ({
          body: one.replace(COUNT, `$&\n${line.replace('engine="0"', 'engine="1"').replace(/ .*$/, ` ${second}.0`)}`),
        });
        w.metrics = both(5);
        await w.expectRun(0, /^working: 1 in the server, 15 steps/);
        w.metrics = both(6);
        await w.expectRun(0, /^working: 1 in the server, 16 steps/);
        await w.expectRun(1, /^hung: no step since number 16/);
      }));

    test('without the cache gauge the counter still counts', () =>
      within(async (w) => {
        w.metrics = { body: (w.metrics.body ?? '').replace(USAGE, '') };
        await w.expectRun(0, /^working/);
        await w.expectRun(1, /^hung/);
      }));

    test('FLOPS count every step where --enable-mfu-metrics is given', () =>
      within(async (w) => {
        for (const flops of [1, 2, 3]) {
          w.change(FLOPS, flops);
          await w.expectRun(0, /^working/);
        }
        await w.expectRun(1, /^hung/);
      }));

    describe.each(['is_attention_free="False"', 'sliding_window="None"'])('of a model without %s', (label) => {
      const other = label.replace('False', 'True').replace('None', '4096');

      test('do not move in a long prompt: nothing can be said', () =>
        within(async (w) => {
          expect(w.metrics.body).toContain(label);
          w.metrics = { body: (w.metrics.body ?? '').replace(label, other) };
          await w.expectRun(0, /does not count engine steps/);
          await w.expectRun(0, /does not count engine steps/);
          expect(w.canaries).toBe(0);
        }));

      test('but FLOPS do', () =>
        within(async (w) => {
          w.metrics = { body: (w.metrics.body ?? '').replace(label, other) };
          w.change(FLOPS, 1);
          await w.expectRun(0, /^working/);
          w.change(FLOPS, 2);
          await w.expectRun(0, /^working/);
          await w.expectRun(1, /^hung/);
        }));
    });
  });

  test.each<[string, (w: World) => unknown, RegExp]>([
    ['/load is missing', (w) => (w.load = { status: 404 }), /^\/load answers 404: nothing can be said/],
    ['/load is garbage', (w) => (w.load = { body: '<html>' }), /^nothing can be said: JSONDecodeError/],
    ['/load says nothing', (w) => (w.load = { body: '{}' }), /^nothing can be said: KeyError/],
    ['/load is of another kind', (w) => (w.load = { body: '{"server_load":"x"}' }), /^nothing can be said: ValueError/],
    [
      'statistics are off',
      (w) => (w.metrics = { body: 'python_info 1.0\n' }),
      /does not count engine steps: nothing can/,
    ],
    ['/metrics is missing', (w) => (w.metrics = { status: 404 }), /does not count engine steps: nothing can/],
    [
      'the counter is garbage',
      (w) => (w.metrics = { body: 'vllm:iteration_tokens_total_count{engine="0"} x\n' }),
      /^nothing can be said: ValueError/,
    ],
  ])('%s: no reason to restart', (_, change, said) =>
    within(async (w) => {
      change(w);
      await w.expectRun(0, said);
      await w.expectRun(0, said);
    }),
  );

  describe('the state file', () => {
    /** The state that a first run leaves, with one thing changed. */
    const changed = async (w: World, change: (memory: Memory) => unknown) => {
      await w.expectRun(0, /^working/);
      writeFileSync(w.state, JSON.stringify(change(w.memory)));
    };

    test('survives between runs: this is what the other tests rest on', () =>
      within(async (w) => {
        await changed(w, (same) => same);
        await w.expectRun(1, /^hung/);
        expect(readdirSync(w.dir)).toEqual(['state']);
      }));

    test.each<[string, (memory: Memory) => unknown]>([
      ['of another life of the container', (m) => ({ ...m, life: '12' })],
      ['from the future', (m) => ({ ...m, since: Number(m.since) + 1e9 })],
      ['silent in the future', (m) => ({ ...m, silent: 1e12 })],
      ['from before the clock', (m) => ({ ...m, since: -1 })],
      ['with other fields', ({ life, since, silent }) => ({ life, since, silent })],
      ['of an older form', (m) => [m.life, m.since, m.marks]],
      ['with no time', (m) => ({ ...m, since: 'x' })],
    ])('%s is ignored', (_, change) =>
      within(async (w) => {
        await changed(w, change);
        await w.expectRun(0, /^working/);
        expect(w.canaries).toBe(0);
        await w.expectRun(1, /^hung/); // and was replaced by a good one
      }),
    );

    test.each([
      ['empty', ''],
      ['not JSON', 'x'],
      ['cut off', '{"life":"1"'],
      ['binary', '\0\xff'],
      ['nested too deep', '['.repeat(4000)],
    ])('damaged (%s) is ignored', (_, text) =>
      within(async (w) => {
        writeFileSync(w.state, text);
        await w.expectRun(0, /^working/);
        await w.expectRun(1, /^hung/);
      }),
    );

    test('a link in its place is neither followed nor written through', () =>
      within(async (w) => {
        const victim = join(w.dir, 'victim');
        await changed(w, (same) => {
          writeFileSync(victim, JSON.stringify(same));
          return same;
        });
        const text = readFileSync(victim, 'utf8');
        rmSync(w.state);
        symlinkSync(victim, w.state);
        await w.expectRun(0, /^working/);
        expect(readFileSync(victim, 'utf8')).toBe(text);
        symlinkSync(victim, `${w.state}.new`);
        rmSync(w.state);
        await w.expectRun(0, /^WARNING, this probe finds nothing: OSError/);
        expect(readFileSync(victim, 'utf8')).toBe(text);
      }));

    test('that cannot be written is said, and kills nothing', () =>
      within(async (w) => {
        const file = join(w.dir, 'no', 'such', 'folder');
        await w.expectRun(0, /^WARNING, this probe finds nothing: FileNotFoundError/, { file });
        w.load = { closes: true };
        await w.expectRun(0, /^WARNING, this probe finds nothing: FileNotFoundError/, { file });
      }));
  });

  test('wrong arguments kill nothing', () =>
    within((w) => {
      w.port = NaN;
      return w.expectRun(0, /^nothing can be said: ValueError/);
    }, true));
});
