import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { findIsolation } from '../../src/operate/rehearse/machine/isolation';

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

export type Started = ChildProcess & { readonly ended: Promise<Ended> };

/** Rehearsals of a program that stands in for vLLM, for the tests of a file; nothing may be left after each. */
export class Rehearsals {
  public static forThisFile(): Rehearsals {
    const rehearsals = new Rehearsals();
    beforeAll(() => rehearsals.prepare());
    afterEach(async () => {
      await expect.poll(() => rehearsals.left(), { timeout: 40_000 }).toEqual([]);
    }, 60_000);
    afterAll(() => rmSync(rehearsals.folder, { recursive: true, force: true }));
    return rehearsals;
  }

  /** Its own, and short: what is left behind is looked for in it. */
  public folder = '';

  /** Processes that work in a folder of these tests, and folders of rehearsals. */
  public left(): string[] {
    const processes = readdirSync('/proc').filter((pid) => {
      try {
        const place = readlinkSync(`/proc/${pid}/cwd`);
        return `${place} ${readFileSync(`/proc/${pid}/cmdline`, 'latin1')}`.includes(`${this.folder}/rehearse-`);
      } catch {
        return false;
      }
    });
    return [...processes, ...readdirSync(this.folder).filter((name) => name.startsWith('rehearse-'))];
  }

  /** A copy of the reference bundle, with times that a test can wait for. */
  public bundle(edit: (text: string) => string = (same) => same): string {
    const path = join(this.folder, `bundle-${readdirSync(this.folder).length}.yaml`);
    const quick = readFileSync('dist/vllm-gemma.k8s.yaml', 'utf8')
      .replace(/(VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS\n +value: )"60"/g, '$1"2"')
      .replace(/failureThreshold: 900(\n +httpGet:\n.*\n.*\n +periodSeconds: 1\n)/, 'failureThreshold: 3$1');
    expect(quick).toContain('failureThreshold: 3\n              httpGet:');
    writeFileSync(path, edit(quick));
    return path;
  }

  public start(...args: readonly string[]): Started {
    const words = ['lib/cli.cjs', 'rehearse', '--python', join(this.folder, 'bin/python'), ...args];
    const child = spawn(process.execPath, words, {
      env: { ...process.env, TMPDIR: this.folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = (async (): Promise<Ended> => {
      const closed = once(child, 'close') as Promise<[number | null, string | null]>;
      const [out, error, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
      return { code, out, error };
    })();
    return Object.assign(child, { ended });
  }

  public run(...args: string[]): Promise<Ended> {
    return this.start(...args).ended;
  }

  private prepare(): void {
    this.folder = mkdtempSync(join(tmpdir(), 'run-'));
    mkdirSync(join(this.folder, 'bin'));
    const script = (name: string, line: string): void =>
      writeFileSync(join(this.folder, 'bin', name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    script('vllm', `exec '${process.execPath}' '${resolve('test/cli/stand-in-vllm.mjs')}' "$@"`);
    // Asked for its version it says one; what probes run is the real Python.
    script(
      'python',
      `case "$2" in *importlib.metadata*) echo vllm 0.32.0 ;; *) exec /usr/bin/env -u PYTHONHOME /usr/bin/python3 "$@" ;; esac`,
    );
  }
}

export function lastReplaced(from: string, to: string): (text: string) => string {
  return (whole) =>
    `${whole.slice(0, whole.lastIndexOf(from))}${to}${whole.slice(whole.lastIndexOf(from) + from.length)}`;
}

/** How ranks can be kept apart here, and the flags for it. */
export const ways =
  findIsolation().kind === 'isolated'
    ? ([
        ['in namespaces', []],
        ['on loopback', ['--loopback']],
      ] as const)
    : ([['on loopback', ['--loopback']]] as const);
