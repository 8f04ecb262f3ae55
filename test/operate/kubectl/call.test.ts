import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { call } from '../../../src/operate/kubectl/call';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'call-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A script around a program that says its number in a file and goes on for ever. */
function wrapped(file: string): string[] {
  return [
    '-c',
    `"$0" -e 'require("fs").writeFileSync("${file}", String(process.pid)); setInterval(() => 0, 1000)'; true`,
  ];
}

async function numberIn(file: string): Promise<number> {
  for (;;) {
    const number = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
    if (number > 0) {
      return number;
    }
    await pause(20);
  }
}

async function untilGone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await pause(20);
  }
}

test('what does not end in time is ended with all that it started, and awaited no longer', async () => {
  const file = join(folder, 'pid');
  const script = wrapped(file);
  const called = await call('/bin/sh', [script[0]!, script[1]!, process.execPath], 2);
  expect(called.code).toBeUndefined();
  await untilGone(await numberIn(file));
});

test('what a signal ends from elsewhere has failed, and is not late', async () => {
  expect(await call('/bin/sh', ['-c', 'kill -9 $$'], 30)).toMatchObject({ code: 1 });
});

/** A program that runs these lines, in which there is `call`. */
function callerOf(lines: string): string {
  const { outputFiles } = buildSync({
    stdin: {
      contents: `import { call } from './src/operate/kubectl/call'; ${lines}`,
      resolveDir: join(__dirname, '../../..'),
      loader: 'ts',
    },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
  });
  const caller = join(folder, 'caller.cjs');
  writeFileSync(caller, outputFiles[0]!.text);
  return caller;
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s to the caller ends it too', async (signal) => {
  const file = join(folder, 'pid');
  const words = JSON.stringify([...wrapped(file), process.execPath]);
  const child = spawn(process.execPath, [callerOf(`void call('/bin/sh', ${words}, 600);`)], { stdio: 'inherit' });
  const ended = new Promise((resolve) => child.once('exit', (_, by) => resolve(by)));
  const pid = await numberIn(file);
  child.kill(signal);
  expect(await ended).toBe(signal);
  await untilGone(pid);
});

test('a signal leaves who listens the time to call what puts things right, however often it comes', async () => {
  const [file, repairing, repaired] = ['pid', 'repairing', 'repaired'].map((name) => join(folder, name));
  const words = JSON.stringify([...wrapped(file!), process.execPath]);
  const repair = JSON.stringify(['-c', `echo $$ > ${repairing}; sleep 1; echo 1 > ${repaired}`]);
  const caller = callerOf(
    `let isOver = false;
    process.on('SIGINT', () => {
      if (!isOver) {
        isOver = true;
        void call('/bin/sh', ${repair}, 60).then(() => process.exit(130));
      }
    });
    void call('/bin/sh', ${words}, 600);`,
  );
  const child = spawn(process.execPath, [caller], { stdio: 'inherit' });
  const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  const pid = await numberIn(file!);
  child.kill('SIGINT');
  await numberIn(repairing!);
  child.kill('SIGINT');
  expect(await ended).toBe(130);
  expect(existsSync(repaired!)).toBe(true);
  await untilGone(pid);
});
