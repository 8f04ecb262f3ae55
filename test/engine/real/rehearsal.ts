import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { DrillReport } from '../../../src/operate/rehearse/drill/report';
import type { RehearsalReport } from '../../../src/operate/rehearse/report';

export const REFERENCE = 'dist/vllm-gemma.k8s.yaml';
export const NEWEST = '0.32.0';
/** For what these tests start, and nothing else: others may rehearse on this machine at the same time. */
export const OWN_TMPDIR = mkdtempSync(join(tmpdir(), 'engine-'));
process.on('exit', () => rmSync(OWN_TMPDIR, { recursive: true, force: true }));

/** The Python of a release that was installed for these tests. */
export function pythonOf(version = NEWEST): string {
  const python = (JSON.parse(process.env.ENGINE_PYTHONS ?? '{}') as Record<string, string>)[version];
  if (python === undefined) {
    throw new Error(`vLLM ${version} is not installed for the tests; run them by npm run test:engine`);
  }
  return python;
}

interface Run<Report> {
  readonly status: number | null;
  readonly report: Report;
}

function run<Report>(bundle: string, version: string, more: readonly string[]): Run<Report> {
  const args = ['lib/cli.cjs', 'rehearse', bundle, '--python', pythonOf(version), '-o', 'json', ...more];
  const env = { ...process.env, TMPDIR: OWN_TMPDIR };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 26, env });
  try {
    return { status, report: JSON.parse(stdout) as Report };
  } catch {
    throw new Error(`no report, exit code ${status}:\n${stdout}\n${stderr}`);
  }
}

/** The program as it is built, on a bundle. */
export function rehearse(bundle: string, version = NEWEST, ...more: string[]): Run<RehearsalReport> {
  const done = run<RehearsalReport>(bundle, version, more);
  const cpu = (done.report.ranks ?? []).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
  console.log(`${bundle.split('/').at(-1)} on ${version}: ${cpu.toFixed(0)} CPU-s of ranks`);
  return done;
}

export function drill(bundle: string, ...faults: string[]): Run<DrillReport> {
  return run<DrillReport>(
    bundle,
    NEWEST,
    faults.flatMap((fault) => ['--fault', fault]),
  );
}

/** A copy of the reference bundle with some of its text replaced; `last` means its last occurrence, which is the worker's. */
export function editedReference(edit: (text: string) => string, use: (path: string) => void): void {
  const text = readFileSync(REFERENCE, 'utf8');
  const edited = edit(text);
  expect(edited).not.toBe(text);
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
  try {
    const path = join(folder, 'bundle.yaml');
    writeFileSync(path, edited);
    use(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function replaceLast(text: string, from: string, to: string): string {
  const at = text.lastIndexOf(from);
  return text.slice(0, at) + to + text.slice(at + from.length);
}

/**
 * What rehearsals of these tests left behind: processes, folders and mounts. A rank works in the folder of its rehearsal, even
 * when it has been removed; the others have it in their command line.
 */
export function leftovers(folder = OWN_TMPDIR): string[] {
  const processes = readdirSync('/proc').flatMap((pid) => {
    const words = /^\d+$/.test(pid)
      ? read(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ')
      : '';
    const place = words === '' ? '' : read(() => readlinkSync(`/proc/${pid}/cwd`));
    return `${words} ${place}`.includes(`${folder}/rehearse-`) ? [`${words.trim()} in ${place}`] : [];
  });
  const folders = readdirSync(folder).filter((name) => name.startsWith('rehearse-'));
  const mounts = read(() => readFileSync('/proc/mounts', 'utf8'))
    .split('\n')
    .filter((line) => line.includes(folder));
  return [...processes, ...folders, ...mounts];
}

/** Empty for what is gone meanwhile. */
function read(from: () => string): string {
  try {
    return from();
  } catch {
    return '';
  }
}
