import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const TOOL = join(__dirname, '../../lib/tools/synth.cjs');
const CDK8S = require.resolve('cdk8s');
const missing = !existsSync(TOOL);
if (missing && process.env.CI !== 'true') {
  console.warn('SKIPPED: the synth tool is not built; `npm ci` builds it');
}
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tool-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function synth(app: string): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [TOOL, app, join(folder, 'dist')], { encoding: 'utf8' });
}

function appFile(name: string, body: string): string {
  const file = join(folder, name);
  writeFileSync(file, `const { App, Chart } = require(${JSON.stringify(CDK8S)});\n${body}`);
  return file;
}

describe.skipIf(missing && process.env.CI !== 'true')('the synth tool, as it is built', () => {
  test('runs an app whose path a URL would read otherwise', () => {
    mkdirSync(join(folder, 'a#b%20c'));
    const app = appFile(
      'a#b%20c/app.js',
      "const app = new App(); new Chart(app, 'one'); app.synth(); exports.app = app;",
    );
    expect(synth(app)).toMatchObject({ status: 0, stdout: expect.stringContaining('one.k8s.yaml') as string });
  });

  test('says what an Error says, and nothing of where it was thrown', () => {
    const { status, stderr } = synth(appFile('plain.js', "throw new Error('layers do not divide');"));
    expect([status, stderr]).toEqual([1, 'layers do not divide\n']);
  });

  test('shows the place of a fault in a program', () => {
    const { status, stderr } = synth(appFile('fault.js', 'undefined.x;'));
    expect(status).toBe(1);
    expect(stderr).toContain('TypeError');
    expect(stderr).toContain('fault.js:2');
  });

  test('says how it is used', () => {
    const { status, stderr } = spawnSync(process.execPath, [TOOL], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, 'usage: synth COMPILED_APP.js [OUTPUT_FOLDER]\n']);
  });
});
