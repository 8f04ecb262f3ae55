import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { DrillReport } from '../../src/operate/rehearse/drill/report';
import { findIsolation } from '../../src/operate/rehearse/machine/isolation';
import type { RehearsalReport } from '../../src/operate/rehearse/report';

/** Its own, and short: what is left behind is looked for in it. */
let folder: string;
let python: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-'));
  python = join(folder, 'bin/python');
  mkdirSync(join(folder, 'bin'));
  const script = (name: string, line: string): void =>
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  script('vllm', `exec '${process.execPath}' '${resolve('test/cli/stand-in-vllm.mjs')}' "$@"`);
  // Asked for its version it says one; what probes run is the real Python.
  script(
    'python',
    `case "$2" in *importlib.metadata*) echo vllm 0.32.0 ;; *) exec /usr/bin/env -u PYTHONHOME /usr/bin/python3 "$@" ;; esac`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(async () => {
  await expect.poll(left, { timeout: 40_000 }).toEqual([]);
}, 60_000);

/** Processes that work in a folder of these tests, and folders of rehearsals. */
function left(): string[] {
  const processes = readdirSync('/proc').filter((pid) => {
    try {
      const place = readlinkSync(`/proc/${pid}/cwd`);
      return `${place} ${readFileSync(`/proc/${pid}/cmdline`, 'latin1')}`.includes(`${folder}/rehearse-`);
    } catch {
      return false;
    }
  });
  return [...processes, ...readdirSync(folder).filter((name) => name.startsWith('rehearse-'))];
}

/** A copy of the reference bundle, with times that a test can wait for. */
function bundle(edit: (text: string) => string = (same) => same): string {
  const path = join(folder, `bundle-${readdirSync(folder).length}.yaml`);
  const quick = readFileSync('dist/vllm-gemma.k8s.yaml', 'utf8')
    .replace(/(VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS\n +value: )"60"/g, '$1"2"')
    .replace(/failureThreshold: 900(\n +httpGet:\n.*\n.*\n +periodSeconds: 1\n)/, 'failureThreshold: 3$1');
  expect(quick).toContain('failureThreshold: 3\n              httpGet:');
  writeFileSync(path, edit(quick));
  return path;
}

function lastReplaced(from: string, to: string): (text: string) => string {
  return (whole) =>
    `${whole.slice(0, whole.lastIndexOf(from))}${to}${whole.slice(whole.lastIndexOf(from) + from.length)}`;
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

function start(args: readonly string[]): ChildProcess & { readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, ['lib/cli.cjs', 'rehearse', '--python', python, ...args], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = (async (): Promise<Ended> => {
    const closed = once(child, 'close') as Promise<[number | null, string | null]>;
    const [out, error, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
    return { code, out, error };
  })();
  return Object.assign(child, { ended });
}

const run = (...args: string[]): Promise<Ended> => start(args).ended;
const ways =
  findIsolation().kind === 'isolated'
    ? ([
        ['in namespaces', []],
        ['on loopback', ['--loopback']],
      ] as const)
    : ([['on loopback', ['--loopback']]] as const);

describe.skipIf(process.platform !== 'linux')('a rehearsal of a program that stands in for vLLM', () => {
  test.each(ways)('%s holds, with exit code 0', async (_, how) => {
    const { code, out, error } = await run(bundle(), ...how);
    expect(error).toContain('rank 1');
    expect(out).toMatch(/^held: LeaderWorkerSet vllm-gemma, 2 ranks/);
    expect(out).toMatch(/\n {2}ok {2}API key +401 without/);
    expect(out).toMatch(/\n {2}(ok|\?) +every rank/);
    expect(code).toBe(0);
  });

  test('a rank that ends is named, with exit code 1, and its log is kept', async () => {
    const logs = join(folder, 'logs/of/it');
    const wrong = bundle(lastReplaced('- --headless', '- --headless\n              - --no-such-flag'));
    const { code, out } = await run(wrong, '-q', '-o', 'json', '--logs', logs);
    const report = JSON.parse(out) as RehearsalReport;
    expect(report.breakage).toMatchObject({ rank: 1, podName: 'vllm-gemma-0-1', what: 'ended with 2' });
    expect(report.breakage!.line).toContain('unrecognized arguments: --no-such-flag');
    expect(code).toBe(1);
    expect(readFileSync(join(logs, 'rank1.log'), 'utf8')).toContain('--no-such-flag');
  });

  test('the report begins with the rank whose line tells the cause, not with the one that ended', async () => {
    const eager = bundle((whole) =>
      whole.replace(/( +)- -cc\.mode=2\n +- -cc\.backend=eager\n/g, '$1- --enforce-eager\n'),
    );
    const { code, out } = await run(eager, '-q');
    expect(out).toMatch(/^did not hold: .*\n.*\n\nRank 1 \(vllm-gemma-0-1\): /);
    expect(out).toContain('(pipeline-buffer-missing)');
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(code).toBe(1);
  });

  test('ports that are taken are others where ranks share those of the machine', async () => {
    const servers = await Promise.all(
      [8000, 29_501].map(async (port) => {
        const server = createServer().listen(port);
        await Promise.race([once(server, 'listening'), once(server, 'error')]);
        return server;
      }),
    );
    try {
      const { code, out } = await run(bundle(), '-q', '--loopback', '-o', 'json');
      const { changes } = JSON.parse(out) as RehearsalReport;
      expect(changes).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ what: '--port', bundle: '8000' }),
          expect.objectContaining({ what: '--master-port', bundle: '29501' }),
        ]),
      );
      expect(code).toBe(0);
    } finally {
      servers.forEach((server) => server.close());
    }
  });

  test.each([
    ['/proc/none', 'ENOENT'],
    ['package.json/logs', 'ENOTDIR'],
  ])('a folder for logs that cannot be had (%s) is said before anything starts', async (logs, why) => {
    const { code, error } = await run(bundle(), '--logs', logs);
    expect(error).toContain(`cdk8s-vllm: the logs cannot be kept in ${logs}: ${why}`);
    expect(code).toBe(2);
  });
});

describe.skipIf(process.platform !== 'linux').each(ways)('nothing is left %s', (_, how) => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGKILL', null],
  ] as const)('after %s', async (signal, wanted) => {
    // The worker never meets the leader, so that both wait when the signal comes.
    const child = start([bundle(lastReplaced('--master-port=29501', '--master-port=29999')), ...how]);
    child.stderr!.once('data', () => child.kill(signal));
    const { code, error } = await child.ended;
    expect(code).toBe(wanted);
    expect(error).not.toContain('fault in the program');
  });
});

describe.skipIf(process.platform !== 'linux')('--keep', () => {
  async function kept(more: readonly string[] = []): Promise<{ child: ReturnType<typeof start>; said: () => string }> {
    const child = start(['--keep', '-q', bundle(), ...more]);
    let said = '';
    child.stderr!.on('data', (part: Buffer) => (said += part.toString()));
    await expect.poll(() => said, { timeout: 30_000 }).toContain('Ctrl-C ends it');
    return { child, said: () => said };
  }

  test('opens the page and the API to this machine until it is interrupted', async () => {
    const logs = join(folder, 'kept');
    const { child, said } = await kept(['--logs', logs]);
    const [, page, password] = /chat page {2}(\S+) {2}\(any user, password (\w+)\)/.exec(said())!;
    const [, api, key] = /API +(\S+) {2}\(key (\S+)\)/.exec(said())!;
    expect((await fetch(page!)).status).toBe(401);
    const authorization = `Basic ${Buffer.from(`me:${password}`).toString('base64')}`;
    expect(await (await fetch(page!, { headers: { authorization } })).text()).toContain('<html');
    expect((await fetch(`${api}/models`)).status).toBe(401);
    expect((await fetch(`${api}/models`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
    child.kill('SIGINT');
    const { code, out } = await child.ended;
    expect(out).toMatch(/^held: /);
    expect(code).toBe(130);
    await expect(fetch(page!)).rejects.toThrow();
    expect(existsSync(join(logs, 'rank1.log'))).toBe(true);
  });

  test('ends with 1 when a rank leaves', async () => {
    const { child, said } = await kept();
    const ranks = left().filter((pid) => {
      try {
        return /stand-in-vllm[^]*--headless/.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
      } catch {
        return false;
      }
    });
    expect(ranks).toHaveLength(1);
    process.kill(Number(ranks[0]), 'SIGKILL');
    const { code } = await child.ended;
    expect(said()).toContain('rank 1 (vllm-gemma-0-1) has ended');
    expect(code).toBe(1);
  });
});

describe.skipIf(process.platform !== 'linux')('a drill', () => {
  // Each fault takes a start, and the wait until something ends it.
  test('says of each fault what it does, and what ends it', { timeout: 400_000 }, async () => {
    const { code, out } = await run(bundle(), '--drill', '-q', '-o', 'json');
    const { faults, held } = JSON.parse(out) as DrillReport;
    const step = { seconds: 22, by: 'VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS=2' };
    const startup = { seconds: 9, by: 'the startup probe' };
    expect(faults.map(({ fault, bound, held: each }) => ({ fault, bound, held: each }))).toEqual([
      { fault: 'worker-killed', bound: step, held: 'yes' },
      { fault: 'leader-killed', bound: undefined, held: 'yes' },
      { fault: 'worker-stopped-idle', bound: step, held: 'yes' },
      { fault: 'worker-stopped-under-load', bound: step, held: 'yes' },
      { fault: 'worker-late', bound: undefined, held: 'yes' },
      { fault: 'wrong-port', bound: startup, held: 'yes' },
      { fault: 'unequal-sizes', bound: startup, held: 'yes' },
    ]);
    for (const { fault, leaderEnd, kubelet, otherRank } of faults) {
      expect(leaderEnd === undefined).toBe(fault === 'worker-late');
      expect(kubelet.some(({ what }) => what.startsWith('startup failed'))).toBe(/port|sizes/.test(fault));
      expect(otherRank).toMatch(/rank 0 .*, rank 1 /);
    }
    expect(held).toBe(true);
    expect(code).toBe(0);
  });

  test.each(ways)('%s holds where the liveness probe alone ends a hang', { timeout: 200_000 }, async (_, how) => {
    // The probe of the library, run as the kubelet runs it; a request that hangs is one that waits.
    const probed = bundle((whole) =>
      whole
        .replaceAll('VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS', 'NOTHING')
        .replace(/- "120"(\n +- \/dev\/shm\/vllm-progress.json\n +- )"20"/, '- "5"$1"2"')
        .replace(/(vllm-progress.json\n.*\n +failureThreshold: )3(\n +periodSeconds: )15/, '$12$22'),
    );
    const { code, out } = await run(probed, '--fault', 'worker-stopped-idle', '-q', '-o', 'json', ...how);
    const { faults } = JSON.parse(out) as DrillReport;
    expect(faults[0]).toMatchObject({ bound: { by: 'the liveness probe' }, held: 'yes' });
    expect(faults[0]!.kubelet[0]!.what).toMatch(/^liveness failed 2 times: exit code 1 hung: no step since number/);
    expect(code).toBe(0);
    expect(existsSync('/dev/shm/vllm-progress.json')).toBe(false);
  });

  test('of a group that hangs for ever fails', { timeout: 200_000 }, async () => {
    const bare = bundle((whole) =>
      whole
        .replaceAll('VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS', 'NOTHING')
        .replace(/ +livenessProbe:\n +exec:[^]*?(?= +name: engine| +ports:)/, ''),
    );
    const { code, out } = await run(bare, '--fault', 'worker-stopped-idle', '-q');
    expect(out).toContain('nothing ends this hang');
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(code).toBe(1);
  });

  test('of a group that does not come up says why', async () => {
    const wrong = bundle(lastReplaced('- --headless', '- --headless\n              - --no-such-flag'));
    const { code, out } = await run(wrong, '--drill', '-q');
    expect(out).toMatch(/^did not hold: .* it did not\s+come up[^]*Rank 1 \(vllm-gemma-0-1\): ended with 2/);
    expect(code).toBe(1);
  });
});
