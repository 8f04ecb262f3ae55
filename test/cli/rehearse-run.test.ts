import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RehearsalReport } from '../../src/operate/rehearse/report';
import { lastReplaced, Rehearsals, type Started, ways } from './rehearsals';

const rehearsals = Rehearsals.forThisFile();

describe.skipIf(process.platform !== 'linux')('a rehearsal of a program that stands in for vLLM', () => {
  test.each(ways)('%s holds, with exit code 0', async (_, how) => {
    const { code, out, error } = await rehearsals.run(rehearsals.bundle(), ...how);
    expect(error).toContain('rank 1');
    expect(out).toMatch(/^held: LeaderWorkerSet vllm-gemma, 2 ranks/);
    expect(out).toMatch(/\n {2}ok {2}API key +401 without/);
    expect(out).toMatch(/\n {2}(ok|\?) +every rank/);
    expect(code).toBe(0);
  });

  test('a rank that ends is named, with exit code 1, and its log is kept', async () => {
    const logs = join(rehearsals.folder, 'logs/of/it');
    const wrong = rehearsals.bundle(lastReplaced('- --headless', '- --headless\n              - --no-such-flag'));
    const { code, out } = await rehearsals.run(wrong, '-q', '-o', 'json', '--logs', logs);
    const report = JSON.parse(out) as RehearsalReport;
    expect(report.breakage).toMatchObject({ rank: 1, podName: 'vllm-gemma-0-1', what: 'ended with 2' });
    expect(report.breakage!.line).toContain('unrecognized arguments: --no-such-flag');
    expect(code).toBe(1);
    expect(readFileSync(join(logs, 'rank1.log'), 'utf8')).toContain('--no-such-flag');
  });

  test('the report begins with the rank whose line tells the cause, not with the one that ended', async () => {
    const eager = rehearsals.bundle((whole) =>
      whole.replace(/( +)- -cc\.mode=2\n +- -cc\.backend=eager\n/g, '$1- --enforce-eager\n'),
    );
    const { code, out } = await rehearsals.run(eager, '-q');
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
      const { code, out } = await rehearsals.run(rehearsals.bundle(), '-q', '--loopback', '-o', 'json');
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
    const { code, error } = await rehearsals.run(rehearsals.bundle(), '--logs', logs);
    expect(error).toContain(`cdk8s-vllm: the logs cannot be kept in ${logs}: ${why}`);
    expect(code).toBe(2);
  });
});

describe.skipIf(process.platform !== 'linux').each(ways)('nothing is left %s', (_, how) => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    // The program ends by the signal itself.
    ['SIGHUP', null],
    ['SIGKILL', null],
  ] as const)('after %s', async (signal, wanted) => {
    // The worker never meets the leader, so that both wait when the signal comes.
    const child = rehearsals.start(
      rehearsals.bundle(lastReplaced('--master-port=29501', '--master-port=29999')),
      ...how,
    );
    child.stderr!.once('data', () => child.kill(signal));
    const { code, error } = await child.ended;
    expect(code).toBe(wanted);
    expect(error).not.toContain('fault in the program');
  });
});

describe.skipIf(process.platform !== 'linux')('--keep', () => {
  async function kept(more: readonly string[] = []): Promise<{ child: Started; said: () => string }> {
    const child = rehearsals.start('--keep', '-q', rehearsals.bundle(), ...more);
    let said = '';
    child.stderr!.on('data', (part: Buffer) => (said += part.toString()));
    await expect.poll(() => said, { timeout: 30_000 }).toContain('Ctrl-C ends it');
    return { child, said: () => said };
  }

  test('opens the page and the API to this machine until it is interrupted', async () => {
    const logs = join(rehearsals.folder, 'kept');
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
    const ranks = rehearsals.left().filter((pid) => {
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
