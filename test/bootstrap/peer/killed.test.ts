import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Account } from './cloud/state';
import { attempt, changedText, type Scenario, SCENARIOS } from './scenarios';
import { exampleText, HAS_MODELS, world } from './world';

let folder: string;
const files: Record<string, string> = {};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'killed-'));
  for (const [name, text] of Object.entries({ apply: exampleText(), replace: changedText, destroy: exampleText() })) {
    files[name] = join(folder, `${name}.yaml`);
    writeFileSync(files[name], text);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a scenario in a process of its own; gives how it ended. */
async function victim(
  name: string,
  url: string,
  onStart: (child: ChildProcess) => void,
): Promise<number | string | null> {
  const script = join(__dirname, 'victim.cjs');
  const child = spawn(process.execPath, [script, join(inject('built'), 'bootstrap.cjs'), name, url, files[name]!], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onStart(child);
  return new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal ?? code)));
}

const CASES: readonly [name: string, scenario: Scenario][] = [
  ['apply', SCENARIOS[0]!],
  ['replace', SCENARIOS[1]!],
  ['destroy', SCENARIOS[3]!],
];

describe.skipIf(!HAS_MODELS)('a process that is killed (SIGKILL) at each call in turn', () => {
  test.concurrent.each(CASES)(
    '%s: run again, it ends in the same state, with nothing doubled',
    async (name, scenario) => {
      const calm = await scenario.before();
      const undisturbed = await world({ account: calm });
      expect(await attempt(scenario, undisturbed)).toMatchObject({ succeeded: true });
      await undisturbed.peer.close();
      const state = calm.summary();

      // Every changing call is met before its effect and after it. Reading ones leave nothing behind: all of them for apply, each
      // third of the others.
      const moments = undisturbed.peer.calls.flatMap(({ n, name: call }) =>
        /\.(Describe|List|Get)/.test(call)
          ? name === 'apply' || n % 3 === 0
            ? [[n, 'before'] as const]
            : []
          : [[n, 'before'] as const, [n, 'after'] as const],
      );
      let killed = 0;
      for (const [n, moment] of moments) {
        const account: Account = await scenario.before();
        let child: ChildProcess | undefined;
        let isDead = false;
        const cut = await world({
          account,
          onCall: (call, when) => {
            if (call.n === n && when === moment) {
              isDead = true;
              child!.kill('SIGKILL');
            }
          },
          // What it was about to ask for never arrives.
          fault: (call) => (call.n === n && moment === 'before' ? 'lost before' : undefined),
        });
        const ended = await victim(name, cut.peer.url, (started) => (child = started));
        expect(ended).toBe(isDead ? 'SIGKILL' : 0);
        killed += Number(isDead);
        await cut.peer.close();
        const again = await world({ account });
        const where = `killed ${moment} call ${n}`;
        expect(await attempt(scenario, again), where).toMatchObject({ succeeded: true });
        expect(account.summary(), where).toEqual(state);
        expect([...cut.peer.violations, ...again.peer.violations], where).toEqual([]);
        await again.peer.close();
      }
      console.log(`${name}: killed at ${killed} moments of ${undisturbed.peer.calls.length} calls`);
      expect(killed).toBeGreaterThan(moments.length - 5);
    },
  );
});
