import { spawn } from 'node:child_process';
import { rmSync, writeFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import { expect, test } from 'vitest';
import { Running } from '../../../src/operate/kubectl/running';

/** A program that says its number and goes on for ever. */
const ENDLESS = ['-e', 'console.log(process.pid); setInterval(() => undefined, 1000)'];

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function untilGone(pid: number): Promise<void> {
  const end = Date.now() + 30_000;
  while (isThere(pid) && Date.now() < end) {
    await pause(20);
  }
  expect(isThere(pid)).toBe(false);
}

test('what it says comes line by line, and close ends it', async () => {
  const lines: string[] = [];
  const pid = await new Promise<number>((resolve) => {
    const running = new Running(process.execPath, ENDLESS, {
      onLine: (line) => {
        lines.push(line);
        void running.close().then(() => resolve(Number(line)));
      },
    });
  });
  expect(lines).toHaveLength(1);
  expect(isThere(pid)).toBe(false);
});

test('a script around it is closed with it', async () => {
  const script = ['-c', '"$0" "$@"; true', process.execPath, ...ENDLESS];
  const pid = await new Promise<number>((resolve) => {
    const running = new Running('/bin/sh', script, {
      onLine: (line) => void running.close().then(() => resolve(Number(line))),
    });
  });
  await untilGone(pid);
});

test('its own end is seen with its code and last words', async () => {
  const running = new Running(process.execPath, ['-e', 'console.error("no pods"); process.exitCode = 3'], {
    onLine: () => undefined,
  });
  expect(await running.ended).toBe(3);
  expect(running.code).toBe(3);
  expect(running.said).toBe('no pods\n');
  await running.close();
});

test('a program that is not there ends with 127', async () => {
  const running = new Running('/no/such/kubectl', [], { onLine: () => undefined });
  expect(await running.ended).toBe(127);
  expect(running.said).toContain('/no/such/kubectl');
});

test('it does not outlive a kill -9 of the process that started it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'running-'));
  try {
    const { outputFiles } = buildSync({
      stdin: {
        contents: `import { Running } from './src/operate/kubectl/running';
          new Running(process.execPath, ${JSON.stringify(ENDLESS)}, { onLine: (line) => console.log(line) });`,
        resolveDir: join(__dirname, '../../..'),
        loader: 'ts',
      },
      bundle: true,
      write: false,
      platform: 'node',
      format: 'cjs',
    });
    const script = join(folder, 'owner.cjs');
    writeFileSync(script, outputFiles[0]!.text);
    const owner = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const pid = await new Promise<number>((resolve) =>
      createInterface({ input: owner.stdout }).on('line', (line) => resolve(Number(line))),
    );
    expect(isThere(pid)).toBe(true);
    owner.kill('SIGKILL');
    await untilGone(pid);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each([
  [0, ['a', 'b\rc', 'rest']],
  [3, ['a', 'b\rc']],
])('a line without its end counts only where the program ended with 0: %i', async (code, expected) => {
  const lines: string[] = [];
  const script = `process.stdout.write('a\\nb\\rc\\r\\nrest'); process.stderr.write('last words'); process.exitCode = ${code}`;
  const running = new Running(process.execPath, ['-e', script], { onLine: (line) => lines.push(line) });
  expect(await running.ended).toBe(code);
  expect(lines).toEqual(expected);
  expect(running.said).toBe('last words\n');
});
