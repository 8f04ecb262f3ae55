import { readdirSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { command } from './commands';
import { entriesIn, Following } from './following';
import { describeInLab, lab } from './harness/given';
import { kubectl } from './harness/kubectl';
import { apply, readyPods, removeNamespace } from './live';
import { talkingGroup } from './talkers';
import { until } from './wait';

const NAMESPACE = 'logs';
const SELECTOR = 'app=talker';

describeInLab('logs of a group', () => {
  let logs: Following;
  beforeAll(async () => {
    await apply(talkingGroup(NAMESPACE));
    await readyPods(NAMESPACE, SELECTOR, 2);
  });
  afterAll(async () => await removeNamespace(NAMESPACE));
  beforeEach(() => (logs = new Following(NAMESPACE)));
  afterEach(() => logs.leave());

  const numbersIn = (text: string) => [...text.matchAll(/ number (\d+)$/gm)].map(([, number]) => Number(number));

  test('come in the order of time, as far back as is asked for', async () => {
    const { code, stdout, stderr } = await command(['logs', '-n', NAMESPACE, '--tail', '5', '-o', 'json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = entriesIn(stdout).flatMap((entry) => (entry.kind === 'line' ? entry : []));
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
      await logs.start();
      const before = pods.map((pod) => numbersIn(logs.kept(pod)).length);
      await until('more lines in both files', () =>
        Promise.resolve(pods.every((pod, i) => numbersIn(logs.kept(pod)).length > before[i]! + 5)),
      );
      expect(await logs.end(signal)).toBe(signal === 'SIGINT' ? 130 : null);
    }
    for (const pod of pods) {
      const numbers = numbersIn(logs.kept(pod));
      expect(numbers).toEqual(numbers.map((_, i) => i));
    }
  });

  test('hold the last words of a rank that died, after its group was recreated', async () => {
    const pods = await readyPods(NAMESPACE, SELECTOR, 2);
    await logs.start('-o', 'json');
    await kubectl(lab(), ['exec', '-n', NAMESPACE, 'talker-0-1', '--', 'touch', '/tmp/die']);
    const old = new Set(pods.map(({ metadata }) => metadata.uid));
    const next = await readyPods(NAMESPACE, SELECTOR, 2, ({ metadata }) => !old.has(metadata.uid));
    await until('the logs of the next group', () => Promise.resolve(next.every((pod) => logs.kept(pod) !== '')));
    const worker = logs.kept(pods[1]!);
    expect(worker).toMatch(
      / Traceback \(most recent call last\):\n.* {3}File "worker.py".*\n.* RuntimeError: the end of talker-0-1\n/,
    );
    expect(numbersIn(worker)).toEqual(numbersIn(worker).map((_, i) => i));
    const failure = await until('what its lines tell', () =>
      Promise.resolve(logs.entries().find(({ kind }) => kind === 'failure')),
    );
    expect(failure).toMatchObject({
      pod: 'talker-0-1',
      uid: pods[1]!.metadata.uid,
      how: 'ended with 1',
      breakage: { rank: 1, line: 'RuntimeError: the end of talker-0-1' },
    });
    // Of the recreated group as well, from its first line on.
    for (const pod of next) {
      expect(numbersIn(logs.kept(pod))[0]).toBe(0);
    }
    expect(await logs.end('SIGINT')).toBe(130);
    expect(readdirSync(logs.folder).filter((name) => !name.endsWith('.log'))).toEqual([]);
    const { stdout, stderr } = await command(['logs', '-n', NAMESPACE, '--tail', '1']);
    expect(stdout).toContain('number');
    expect(stderr).toMatch(/the group was recreated at .*`logs --keep FOLDER` keeps it/);
  });
});
