import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'signals-'));
  const { outputFiles } = buildSync({
    entryPoints: [join(__dirname, '../../src/cli/signals.ts')],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
  });
  // The program and each of its commands are files of their own, with a state of their own.
  ['program', 'command'].forEach((name) => writeFileSync(join(folder, `${name}.js`), outputFiles[0]!.contents));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs lines in which there are both. */
function run(lines: string) {
  const script = `const program = require('./program.js'), command = require('./command.js');\n${lines}`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: folder, encoding: 'utf8' });
  return { status, stdout, stderr };
}

const REPAIR = `
let times = 0;
command.endOnSignals(async () => {
  times++;
  await new Promise((resolve) => setTimeout(resolve, 100));
  console.log('put right ' + times);
});
setInterval(() => undefined, 1000);`;

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
])('%s, once or more, ends the program when what was broken is put right', (signal, status) => {
  const again = `process.kill(process.pid, '${signal}'); setTimeout(() => process.kill(process.pid, '${signal}'), 30);`;
  expect(run(`${REPAIR} ${again}`)).toEqual({ status, stdout: 'put right 1\n', stderr: '' });
});

test('SIGHUP ends it by itself, which a terminal that is gone takes', () => {
  const again = "process.kill(process.pid, 'SIGHUP'); setTimeout(() => process.kill(process.pid, 'SIGHUP'), 30);";
  expect(run(`${REPAIR} ${again}`)).toMatchObject({ status: null, stdout: 'put right 1\n', stderr: '' });
});

test('a program that cannot tell anybody anything ends as well as by a signal, and once', () => {
  const both = "program.endProgram(70); program.endProgram(0); process.kill(process.pid, 'SIGINT');";
  expect(run(`${REPAIR} ${both}`)).toEqual({ status: 70, stdout: 'put right 1\n', stderr: '' });
});

test.each([
  ['an error that nobody catches', "setTimeout(() => { throw new Error('odd') })"],
  ['a promise that nobody waits for', "void Promise.reject(new Error('odd'))"],
])('a fault in the program ends it as well: %s', (_, fault) => {
  const { status, stdout, stderr } = run(`${REPAIR} ${fault}; ${fault};`);
  expect({ status, stdout }).toEqual({ status: 70, stdout: 'put right 1\n' });
  expect(stderr).toMatch(/^cdk8s-vllm: this is a fault in the program, please report it\nError: odd\n/);
});

test('where nothing is to be put right, it ends at once', () => {
  expect(run("program.endProgram(70); console.log('goes on');")).toEqual({ status: 70, stdout: '', stderr: '' });
});
