import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeInLab } from './harness/given';
import { MACHINES } from './harness/lab';
import { leftOf, surroundings } from './harness/snapshot';
import { until } from './wait';

type Facts = Parameters<typeof leftOf>[0];

const ROOT = join(__dirname, '../..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

/** A run beside this one, with a lab of its own. */
describeInLab('a run', () => {
  let folder: string;
  let run: ChildProcess;
  let before: readonly string[];
  beforeEach(() => {
    before = surroundings();
    folder = mkdtempSync(join(tmpdir(), 'run-'));
    const own = {
      LAB_TESTS: 'test/lab/runs/endless.ts',
      FACTS: join(folder, 'facts.json'),
      STARTED_BY: String(process.pid),
    };
    const env = { ...process.env, ...own };
    const args = [VITEST, 'run', '--config', 'vitest.lab.config.mts', '--root', ROOT];
    const log = openSync(join(folder, 'log'), 'a');
    run = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', log, log] });
    closeSync(log);
  });
  afterEach(() => {
    run.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  /** Waits for something that a run does that goes on. */
  const whileItRuns = async <T>(what: string, look: () => T | undefined): Promise<T> =>
    await until(what, () => {
      if (run.exitCode !== null) {
        throw new Error(`the run has ended:\n${readFileSync(join(folder, 'log'), 'utf8')}`);
      }
      return Promise.resolve(look());
    });

  const halfWay = async () =>
    await whileItRuns('the run to be half-way', () => {
      try {
        return JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8')) as Facts;
      } catch {
        // Not there, or not all of it.
        return undefined;
      }
    });

  const end = async (signal: NodeJS.Signals) => {
    const exit = once(run, 'exit');
    run.kill(signal);
    await exit;
  };

  const nothingIsLeft = async (facts: Facts) => {
    await until(
      'the run to leave nothing behind',
      () => Promise.resolve(leftOf(facts).length === 0),
      () => Promise.resolve(leftOf(facts).join('\n')),
    );
    expect(surroundings()).toEqual(before);
  };

  /** Three machines with their daemons and pods, networks, cgroups, a folder. */
  const expectAll = (facts: Facts) => {
    const kinds = leftOf(facts).map((each) => each.split(' ')[0]!);
    expect(new Set(kinds)).toEqual(new Set(['process', 'mount', 'network', 'cgroup', 'folder']));
    expect(kinds.filter((kind) => kind === 'process').length).toBeGreaterThan(15);
  };

  test.each(['SIGKILL', 'SIGINT'] as const)('that is ended half-way by %s leaves nothing behind', async (signal) => {
    const facts = await halfWay();
    expectAll(facts);
    await end(signal);
    await nothingIsLeft(facts);
  });

  test('that is killed while its lab starts leaves nothing behind', async () => {
    const others = namesOfLabs();
    const name = await whileItRuns('its start', () =>
      namesOfLabs().find((each) => !others.includes(each) && existsSync(join(tmpdir(), each, 'n1/init.log'))),
    );
    const facts = { name, folder: join(tmpdir(), name) };
    await end('SIGKILL');
    await nothingIsLeft(facts);
  });

  test('whose keeper is killed as well is tidied up by the next', async () => {
    const facts = await halfWay();
    process.kill(Number(facts.name.split('-').at(-1)), 'SIGKILL');
    await end('SIGKILL');
    expectAll(facts);
    execFileSync(join(MACHINES, 'sweep.sh'), [tmpdir()]);
    await nothingIsLeft(facts);
  });
});

function namesOfLabs(): string[] {
  return readdirSync(tmpdir()).filter((name) => /^vllm-lab-\d+$/.test(name));
}
