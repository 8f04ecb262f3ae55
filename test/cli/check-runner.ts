import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CheckDocument } from '../../src/cli/check/json';
import { type Ran, run } from './runner';

/** A folder of manifests that is gone after the tests. */
export class Folder {
  public readonly path = mkdtempSync(join(tmpdir(), 'check-test-'));

  public file(name: string, content: string | Buffer): string {
    const path = join(this.path, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  public remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Runs `check` in this process. */
export function check(...args: string[]): Promise<Ran> {
  return run('check', ...args);
}

/** The document of `-o json`. */
export async function checked(...args: string[]): Promise<CheckDocument> {
  return JSON.parse((await check('-o', 'json', ...args)).out) as CheckDocument;
}

/** An object of a kind that no rule knows. */
export function thing(name: string, more = ''): string {
  return `apiVersion: example.org/v1\nkind: Thing\nmetadata:\n  name: ${name}\n${more}`;
}

/** Two things of one name, which is an error in line 9. */
export const FAULTY = `${thing('a')}---\n${thing('a')}`;

/** A group that LWS refuses: a variable stands twice. */
export const DUPLICATE_ENV = `apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata:
  name: group
spec:
  leaderWorkerTemplate:
    size: 2
    workerTemplate:
      spec:
        containers:
          - name: engine
            image: example.org/engine:1
            env:
              - {name: A, value: "1"}
              - {name: A, value: "2"}
`;
