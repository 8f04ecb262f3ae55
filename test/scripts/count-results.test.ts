import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const SCRIPT = join(__dirname, '../../scripts/count-results.mjs');
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'count-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function report(suite: string, numPassedTests: number, numFailedTests = 0, numPendingTests = 0): void {
  writeFileSync(join(folder, `${suite}.json`), JSON.stringify({ numPassedTests, numFailedTests, numPendingTests }));
}

/** Last line and exit code, which is all that CI looks at. */
function count(passed: number, failed: number, ...suites: string[]): [string | undefined, number | null] {
  return run(String(passed), String(failed), '0', folder, ...suites);
}

function run(...args: string[]): [string | undefined, number | null] {
  const { stdout, status } = spawnSync(process.execPath, [SCRIPT, ...args], { encoding: 'utf8' });
  return [stdout.trim().split('\n').at(-1), status];
}

describe('the count of a CI run', () => {
  test('adds checks and suites, and names what was skipped', () => {
    report('unit', 10);
    report('browser', 5, 0, 2);
    expect(count(3, 0, 'unit', 'browser')).toEqual(['18 passed, 0 failed, 2 skipped', 0]);
    expect(count(3, 0, 'unit')).toEqual(['13 passed, 0 failed', 0]);
  });

  test('counts what there was no time for', () => {
    report('unit', 10);
    expect(run('1', '0', '2', folder, 'unit')).toEqual(['11 passed, 0 failed, 2 skipped', 0]);
  });

  test('fails with a failed test and with a failed check', () => {
    report('unit', 9, 1);
    expect(count(1, 0, 'unit')).toEqual(['10 passed, 1 failed', 1]);
    report('unit', 9);
    expect(count(1, 2, 'unit')).toEqual(['10 passed, 2 failed', 1]);
  });

  test('fails with a suite that ran nothing, wrote nothing, or wrote half', () => {
    report('unit', 0);
    expect(count(1, 0, 'unit')).toEqual(['1 passed, 1 failed', 1]);
    expect(count(1, 0, 'none')).toEqual(['1 passed, 1 failed', 1]);
    writeFileSync(join(folder, 'half.json'), '{"numPassed');
    expect(count(1, 0, 'half')).toEqual(['1 passed, 1 failed', 1]);
  });

  test('fails with a runner that failed although no test did', () => {
    report('unit', 10);
    writeFileSync(join(folder, 'unit.failed'), '');
    expect(count(0, 0, 'unit')).toEqual(['10 passed, 1 failed', 1]);
  });
});
