import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { LogEntry } from '../../src/operate/logs/report';
import { command, PROGRAM } from './commands';
import { describeInLab, lab } from './harness/given';
import { kubectl } from './harness/kubectl';
import { apply, type Pod, readyPods, removeNamespace } from './live';
import { talkingGroup } from './talkers';
import { until } from './wait';

const NAMESPACE = 'logs';
const SELECTOR = 'app=talker';

describeInLab('logs of a group', () => {
  let folder: string;
  let run: ChildProcess | undefined;
  let out: string;
  beforeAll(async () => {
    await apply(talkingGroup(NAMESPACE));
    await readyPods(NAMESPACE, SELECTOR, 2);
  });
  afterAll(async () => await removeNamespace(NAMESPACE));
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'logs-'))));
  afterEach(() => {
    run?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  /** Starts to follow, and waits for lines of both ranks. */
  const follow = async (...args: string[]): Promise<void> => {
    const { folder: place, name } = lab();
    const where = [`--kubectl=${join(place, 'bin/kubectl')}`, `--kubeconfig=${join(place, 'keys/admin.kubeconfig')}`];
    const argv = [process.execPath, PROGRAM, 'logs', '-n', NAMESPACE, ...where, ...args];
    run = spawn('nsenter', [`--net=/run/netns/${name}-control-plane`, ...argv], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    out = '';
    run.stdout!.setEncoding('utf8').on('data', (text: string) => (out += text));
    await until('lines of both ranks', () => Promise.resolve(out.includes('leader') && out.includes('worker')));
  };
  const end = async (signal: NodeJS.Signals): Promise<unknown> => {
    const exit = once(run!, 'exit');
    run!.kill(signal);
    return (await exit)[0];
  };
  const entries = (): LogEntry[] =>
    out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as LogEntry);
  const kept = (pod: Pod, life = 0) => {
    const file = join(folder, `${pod.metadata.name}_${pod.metadata.uid}_${life}.log`);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  const numbersIn = (text: string) => [...text.matchAll(/ number (\d+)$/gm)].map(([, number]) => Number(number));

  test('come in the order of time, as far back as is asked for', async () => {
    const { code, stdout, stderr } = await command(['logs', '-n', NAMESPACE, '--tail', '5', '-o', 'json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    out = stdout;
    const lines = entries().flatMap((entry) => (entry.kind === 'line' ? entry : []));
    expect(lines.map(({ role }) => role).sort()).toEqual([
      ...Array<string>(5).fill('leader'),
      ...Array<string>(5).fill('worker'),
    ]);
    const times = lines.map(({ time }) => time);
    expect(times).toEqual([...times].sort());
    const one = await command(['logs', '-n', NAMESPACE, '--rank', '1', '--tail', '1']);
    expect(one.stdout).toMatch(/^\d\d:\d\d:\d\d\.\d{3} worker number \d+\n$/);
    const none = await command(['logs', '-n', NAMESPACE, '--previous']);
    expect(none).toMatchObject({ code: 2, stdout: '' });
    expect(none.stderr).toContain('no container of the group was restarted within its pod');
  });

  test('are kept over the end of the command, whatever ended it, and no line is lost or comes twice', async () => {
    const pods = await readyPods(NAMESPACE, SELECTOR, 2);
    for (const signal of ['SIGKILL', 'SIGINT', 'SIGKILL'] as const) {
      await follow('--keep', folder);
      const before = pods.map((pod) => numbersIn(kept(pod)).length);
      await until('more lines in both files', () =>
        Promise.resolve(pods.every((pod, i) => numbersIn(kept(pod)).length > before[i]! + 5)),
      );
      expect(await end(signal)).toBe(signal === 'SIGINT' ? 130 : null);
    }
    for (const pod of pods) {
      const numbers = numbersIn(kept(pod));
      expect(numbers).toEqual(numbers.map((_, i) => i));
    }
  });

  test('hold the last words of a rank that died, after its group was recreated', async () => {
    const pods = await readyPods(NAMESPACE, SELECTOR, 2);
    await follow('--keep', folder, '-o', 'json');
    await kubectl(lab(), ['exec', '-n', NAMESPACE, 'talker-0-1', '--', 'touch', '/tmp/die']);
    const old = new Set(pods.map(({ metadata }) => metadata.uid));
    const next = await readyPods(NAMESPACE, SELECTOR, 2, ({ metadata }) => !old.has(metadata.uid));
    await until('the logs of the next group', () => Promise.resolve(next.every((pod) => kept(pod) !== '')));
    const worker = kept(pods[1]!);
    expect(worker).toMatch(
      / Traceback \(most recent call last\):\n.* {3}File "worker.py".*\n.* RuntimeError: the end of talker-0-1\n/,
    );
    expect(numbersIn(worker)).toEqual(numbersIn(worker).map((_, i) => i));
    const failure = await until('what its lines tell', () =>
      Promise.resolve(entries().find(({ kind }) => kind === 'failure')),
    );
    expect(failure).toMatchObject({
      pod: 'talker-0-1',
      uid: pods[1]!.metadata.uid,
      how: 'ended with 1',
      breakage: { rank: 1, line: 'RuntimeError: the end of talker-0-1' },
    });
    // Of the recreated group as well, from its first line on.
    for (const pod of next) {
      expect(numbersIn(kept(pod))[0]).toBe(0);
    }
    expect(await end('SIGINT')).toBe(130);
    expect(readdirSync(folder).filter((name) => !name.endsWith('.log'))).toEqual([]);
    const { stdout, stderr } = await command(['logs', '-n', NAMESPACE, '--tail', '1']);
    expect(stdout).toContain('number');
    expect(stderr).toMatch(/the group was recreated at .*`logs --keep DIR` keeps it/);
  });
});
