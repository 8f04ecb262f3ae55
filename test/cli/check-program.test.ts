import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DUPLICATE_ENV, Folder, thing } from './check-runner';

const root = join(__dirname, '../..');
let folder: Folder;
let program: string;

beforeAll(async () => {
  folder = new Folder();
  program = join(folder.path, 'cli.cjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/bin.ts'],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'silent',
  });
});

afterAll(() => folder.remove());

function run(
  args: readonly string[],
  input?: string | Buffer,
): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [program, 'check', ...args], {
    cwd: folder.path,
    encoding: 'utf8',
    input,
    maxBuffer: 2 ** 28,
  });
}

describe('check as a program', () => {
  test('reads the standard input, and files beside it', () => {
    expect(run(['-'], thing('a'))).toEqual(
      expect.objectContaining({ status: 0, stdout: 'no findings in 1 object of 1 file\n', stderr: '' }),
    );
    folder.file('a.yaml', thing('a'));
    const both = run(['a.yaml', '-', '-'], thing('a'));
    expect(both.status).toBe(1);
    expect(both.stdout).toMatch(/^stdin:4:3 error k8s\/duplicate-name {2}/);
    expect(run(['-'], '')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('the standard input is empty; it takes manifests: see whether') as string,
    });
    expect(run(['-'], 'a: 1\n')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('there is no Kubernetes object in the standard input; it takes') as string,
    });
  });

  test('names files of SARIF relative to the working folder', () => {
    folder.file('some where/b.yaml', DUPLICATE_ENV);
    const { stdout } = run(['some where', '-o', 'sarif']);
    expect(stdout).toContain('"uri": "some%20where/b.yaml",\n                  "uriBaseId": "%SRCROOT%"');
  });

  test('prints all of a long answer, and ends quietly when nobody reads on', async () => {
    const text = Array.from({ length: 3000 }, () => `${thing('a')}---\n`).join('');
    folder.file('many.yaml', text);
    const { stdout, status } = run(['many.yaml']);
    expect(status).toBe(1);
    expect(stdout).toMatch(/2999 errors in 3000 objects of 1 file\n$/);
    const child = spawn(process.execPath, [program, 'check', 'many.yaml'], {
      cwd: folder.path,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let error = '';
    child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
    child.stdout.once('data', () => child.stdout.destroy());
    await new Promise((resolve) => child.on('close', resolve));
    expect(error).toBe('');
  });

  test.runIf(process.platform === 'linux')('what has no end is refused', () => {
    expect(run(['/dev/zero'])).toMatchObject({
      status: 2,
      stdout: expect.stringContaining('it has more than 100 MiB') as string,
    });
  });

  test('50 MB are read, or refused in words', { timeout: 120_000 }, () => {
    const fill = (line: string): string => line.repeat(Math.ceil((50 * 2 ** 20) / line.length));
    const config = 'apiVersion: example.org/v1\nkind: Thing\nmetadata: {name: a}\ndata:\n  a: |\n';
    expect(run(['-'], config + fill('    a line of text as it stands in a block\n'))).toMatchObject({
      status: 0,
      stderr: '',
    });
    expect(run(['-'], fill('[{"a":1},'))).toMatchObject({
      status: 2,
      stdout: expect.stringContaining('could not be read') as string,
      stderr: '',
    });
  });
});
