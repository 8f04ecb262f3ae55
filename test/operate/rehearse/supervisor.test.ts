import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../../../src/operate/server/http';
import { findIsolation, type Isolation, SHARED } from '../../../src/operate/rehearse/machine/isolation';
import type { Launch } from '../../../src/operate/rehearse/machine/protocol';
import { Ranks } from '../../../src/operate/rehearse/machine/ranks';

const isLinux = process.platform === 'linux';
const isolation = isLinux ? findIsolation() : SHARED;
/** A server of the rank's own address that answers with its host name and hosts file, and reads what is posted. */
const SERVER = `
const { createServer } = require('node:http');
const { hostname } = require('node:os');
const { readFileSync } = require('node:fs');
createServer((request, response) => {
  request.resume().on('end', () => response.end(hostname() + '\\n' + readFileSync('/etc/hosts', 'utf8')));
}).listen(Number(process.env.PORT), process.env.ADDRESS, () => console.log('listens'));
`;

let folder: string;
let program: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'supervisor-'));
  program = join(folder, 'supervisor.cjs');
  buildSync({
    entryPoints: ['src/operate/rehearse/machine/supervisor.ts'],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile: program,
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function launch(own: string, rank: number, command: string[], port: number, isShared: boolean): Launch {
  mkdirSync(own, { recursive: true });
  const address = isShared ? `127.0.0.${rank + 1}` : `10.244.0.${rank + 10}`;
  const hosts = join(own, `hosts.${rank}`);
  writeFileSync(hosts, `127.0.0.1 localhost\n10.244.0.10 the-leader\n`);
  return {
    command,
    env: { PATH: process.env.PATH ?? '', ADDRESS: address, PORT: String(port) },
    folder: own,
    log: join(own, `rank${rank}.log`),
    address,
    hostname: `pod-${rank}`,
    hosts,
    sharedMemory: 2 ** 20,
  };
}

/** Processes whose command line holds a word that is nowhere else. */
function processesWith(word: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(word);
    } catch {
      return false;
    }
  });
}

const ways: [string, Isolation][] = [['on the loopback interface', SHARED]];
if (isolation.kind === 'isolated') {
  ways.unshift(['in namespaces', isolation]);
}

describe.skipIf(!isLinux).each(ways)('ranks %s', (_, way) => {
  const isShared = way.kind === 'shared';
  const port = 20_000 + (process.pid % 20_000);

  test('are started, asked, counted, signalled and ended', async () => {
    const own = join(folder, `own-${way.kind}`);
    mkdirSync(own);
    const marker = `marker-${way.kind}-${process.pid}`;
    const ranks = await Ranks.open(way, program, own);
    try {
      const node = [process.execPath, '-e', `/* ${marker} */ ${SERVER}`];
      await ranks.start(0, launch(own, 0, node, port, isShared));
      await ranks.start(1, launch(own, 1, ['sleep', '1000'], port, isShared));
      await expect.poll(() => readFileSync(join(own, 'rank0.log'), 'utf8')).toContain('listens');
      await ranks.forward(0, port, join(own, 'door'));
      const { status, text } = await ask({ socketPath: join(own, 'door') }, { path: '/', seconds: 10 });
      expect(status).toBe(200);
      if (!isShared) {
        expect(text).toBe('pod-0\n127.0.0.1 localhost\n10.244.0.10 the-leader\n');
      }

      const [before] = await ranks.sample(true);
      expect(before).toMatchObject({ rank: 0, isAlive: true });
      expect(before!.memoryBytes).toBeGreaterThan(2 ** 20);
      // From rank 1 to rank 0, by its name where names are its own.
      const host = isShared ? '127.0.0.1' : 'the-leader';
      const post = `fetch('http://${host}:${port}', { method: 'POST', body: 'x'.repeat(100000) }).then((r) => process.exit(r.ok ? 0 : 1))`;
      expect(await ranks.exec(1, [process.execPath, '-e', post], 20)).toMatchObject({ code: 0 });
      const [after] = await ranks.sample();
      if (!isShared) {
        const received = after!.received! - before!.received!;
        expect(received).toBeGreaterThan(100_000);
        expect(received).toBeLessThan(120_000);
        const space = await ranks.exec(1, ['df', '-k', '--output=size', '/dev/shm'], 5);
        expect(space.output).toMatch(/1024$/);
      }

      expect(await ranks.exec(0, ['sh', '-c', 'echo no; exit 3'], 5)).toEqual({ code: 3, output: 'no' });
      expect(await ranks.exec(0, ['sleep', '100'], 0.2)).toEqual({ output: '' });
      await ranks.signal(1, 'SIGKILL', 'all');
      await expect.poll(() => ranks.exits.get(1)).toEqual({ code: null, signal: 'SIGKILL' });
      expect((await ranks.sample())[1]).toMatchObject({ rank: 1, isAlive: false, processes: 0 });
      await expect(ranks.signal(7, 'SIGTERM', 'main')).rejects.toThrow('rank 7 was not started');
    } finally {
      await ranks.close();
    }
    expect(processesWith(marker)).toEqual([]);
    expect(existsSync(own)).toBe(false);
  });

  test('leave no shared memory behind', async () => {
    const own = join(folder, `shm-${way.kind}`);
    const name = `rehearse-test-${way.kind}-${process.pid}`;
    const ranks = await Ranks.open(way, program, own);
    const hold = `
import mmap, time
file = open('/dev/shm/${name}', 'w+b'); file.truncate(4096); area = mmap.mmap(file.fileno(), 4096)
print('mapped', flush=True); time.sleep(1000)`;
    try {
      await ranks.start(0, launch(own, 0, ['python3', '-c', hold], port, isShared));
      await expect.poll(() => readFileSync(join(own, 'rank0.log'), 'utf8')).toContain('mapped');
      expect(existsSync(`/dev/shm/${name}`)).toBe(isShared);
    } finally {
      await ranks.close();
    }
    expect(existsSync(`/dev/shm/${name}`)).toBe(false);
  });

  test('end when whoever holds the supervisor is killed', async () => {
    const own = join(folder, `killed-${way.kind}`);
    const marker = `killed-${way.kind}-${process.pid}`;
    // It ignores what asks it to end, and so does its child.
    const stubborn = ['sh', '-c', `trap '' TERM HUP INT; sleep 1000 & while :; do sleep 1000; done # ${marker}`];
    const order = { id: 0, do: 'start', rank: 0, launch: launch(own, 0, stubborn, port, isShared) };
    const command = [...way.command, process.execPath, program, way.kind, own];
    const holder = `
      const { spawn } = require('node:child_process');
      const child = spawn(${JSON.stringify(command[0])}, ${JSON.stringify(command.slice(1))}, { stdio: ['pipe', 'inherit', 'inherit'], detached: true });
      child.stdin.write(${JSON.stringify(`${JSON.stringify(order)}\n`)});
    `;
    const process_ = spawn(process.execPath, ['-e', holder], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    process_.stdout.on('data', (part: Buffer) => (said += part.toString()));
    await expect.poll(() => said).toContain('"answer"');
    expect(processesWith(marker)).not.toEqual([]);
    process_.kill('SIGKILL');
    await expect.poll(() => processesWith(marker), { timeout: 20_000 }).toEqual([]);
    await expect.poll(() => existsSync(own), { timeout: 20_000 }).toBe(false);
  });
});

test.skipIf(isolation.kind === 'shared')('namespaces leave no name behind', () => {
  expect(spawnSync('ip', ['netns'], { encoding: 'utf8' }).stdout).not.toContain('rank');
  expect(readFileSync('/proc/mounts', 'utf8')).not.toContain('rehearse');
});
