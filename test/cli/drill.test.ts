import { describe, expect, test } from 'vitest';
import { markdownOf } from '../../src/cli/drill/markdown';
import { readOptions, usage } from '../../src/cli/drill/options';
import { textOf } from '../../src/cli/drill/text';
import { readOptions as readLogs, usage as logsUsage } from '../../src/cli/logs/options';
import { LogText } from '../../src/cli/logs/text';
import type { ClusterDrillReport } from '../../src/operate/drill/report';

const REPORT: ClusterDrillReport = {
  group: { kind: 'LeaderWorkerSet', name: 'gemma', namespace: 'vllm', size: 2, nodes: ['n1', 'n2'] },
  vllm: '0.31.0',
  isDryRun: false,
  planned: [
    { fault: 'delete-worker', does: 'deletes the pod of the last rank', bound: { seconds: 4, by: '1 s of grace' } },
  ],
  notOffered: [
    { fault: 'cut', why: "it takes a shell of root on the node of the last rank: --node-shell 'ssh root@{node}'" },
  ],
  faults: [
    {
      fault: 'delete-worker',
      at: '2026-01-02T03:04:05.000Z',
      did: 'kubectl delete pod gemma-0-1',
      request: { tokensBefore: 7, tokens: 9, seconds: 2.5, status: 200, isWhole: false, said: 'it broke off: a|b' },
      steps: [
        { step: 'detected', seconds: 0.1, what: 'gemma-0 is deleted as well' },
        { step: 'first token', seconds: 44.5, what: 'a request to the new leader is answered' },
      ],
      isWholeGroupNew: true,
      before: ['a', 'b'],
      after: ['c', 'd'],
      totalSeconds: 44.5,
      loadSeconds: 40,
      overheadSeconds: 4.5,
      bound: { seconds: 4, by: '1 s of grace' },
      held: 'yes',
      said: 'it healed by itself, as one group',
    },
  ],
  notMade: [{ fault: 'drain', why: 'the eviction was refused' }],
  held: true,
};

describe('drill', () => {
  test.each([
    [
      '--fault stop-wroker',
      "--fault is 'stop-wroker'; it takes one of delete-worker, delete-leader, stop-worker, stop-worker-idle, cut, cut-idle, drain, lose-node; did you mean 'stop-worker'?",
    ],
    ['--fault x', "--fault is 'x'; it takes one of delete-worker, delete-leader"],
    ['--node-shell ssh', "--node-shell is 'ssh'; it takes a command with {node} in it"],
    ['--timeout', '--timeout has no value; it takes SECONDS: for a group to come back (1200)'],
    ['-o yaml', "--output is 'yaml'; it takes text, json or markdown"],
    ['--timeout 0', "--timeout is '0'; it takes whole seconds from 1"],
    ['gemma', "'gemma' is no flag; --group names a group"],
    ['--yse', "'--yse' is not known; did you mean '--yes'?"],
  ])('refuses %s', (args, message) => {
    expect(() => readOptions(args.split(' '))).toThrow(message);
  });

  test('does nothing unless it is told to', () => {
    expect(readOptions([])).toMatchObject({ isMeant: false, faults: [], seconds: 1200 });
    const shell = readOptions(['--node-shell', 'ssh -i key root@{node}', '--yes', '--fault', 'cut', '--fault=cut']);
    expect(shell).toMatchObject({
      isMeant: true,
      faults: ['cut'],
      shell: { words: ['ssh', '-i', 'key', 'root@{node}'] },
    });
  });

  test('tells it in 80 columns', () => {
    const text = textOf(REPORT, false);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(text).toMatchInlineSnapshot(`
      "held: LeaderWorkerSet gemma in vllm, 2 pods on n1, n2, vLLM 0.31.0

      ok  delete-worker: it healed by itself, as one group
          did       kubectl delete pod gemma-0-1
              0.1 s  detected       gemma-0 is deleted as well
             44.5 s  first token    a request to the new leader is answered
          request   7 tokens before the fault, 9 in all; it broke off: a|b (2.5 s
                    after the fault)
          cost      44.5 s from the fault to the first good token: 40.0 s from
                    container start to the first 200, 4.5 s for everything else
          bound     4 s (1 s of grace) and 10 s for controllers and scheduler
          pods      all 2 are new

      What was not made, or not to its end
        drain             the eviction was refused

      What cannot be done here
        cut               it takes a shell of root on the node of the last rank:
                          --node-shell 'ssh root@{node}'
      "
    `);
    const dry = textOf({ ...REPORT, isDryRun: true, faults: [] }, false);
    expect(dry).toContain('nothing was done: --yes breaks LeaderWorkerSet gemma');
    expect(dry.replace(/\s+/g, ' ')).toContain(
      'healed within 4 s (1 s of grace) and 10 s for controllers and scheduler, and a start',
    );
    const none = textOf({ ...REPORT, isDryRun: true, planned: [], faults: [] }, false);
    expect(none).toContain('nothing was done: nothing can be broken of LeaderWorkerSet gemma');
  });

  test('keeps to 80 columns where a fault did not hold, in colour as well', () => {
    const said = 'nothing ended it within 1200 s: every pod is still the one that it was';
    const report = { ...REPORT, faults: [{ ...REPORT.faults[0]!, fault: 'stop-worker', held: 'no', said }] } as const;
    expect(
      Math.max(
        ...textOf(report, false)
          .split('\n')
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(80);
    expect(textOf(report, false)).toMatch(/^NO {2}stop-worker: nothing ended it within 1200 s/m);
    // eslint-disable-next-line no-control-regex
    expect(textOf(report, true).replace(/\u001b\[[\d;]*m/g, '')).toBe(textOf(report, false));
  });

  test('tells it in Markdown, whose tables no text breaks', () => {
    const text = markdownOf(REPORT);
    expect(text).toContain('| delete-worker | yes | 44.5 s | 40 s | 4.5 s | 4 s |');
    expect(text).toContain('it broke off: a\\|b');
    expect(markdownOf({ ...REPORT, isDryRun: true, faults: [] })).toContain('Nothing was done.');
  });

  test.each([usage, logsUsage])('has a usage of 80 columns', (text) => {
    expect(
      Math.max(
        ...text()
          .split('\n')
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(80);
  });
});

describe('logs', () => {
  test.each([
    ['--previous --follow', '--previous and --follow exclude each other'],
    ['-p --keep here', '--previous and --keep exclude each other'],
    ['--keep here --tail 5', '--tail and --keep exclude each other'],
    ['--since 5', "--since is '5'; it takes a time as 30s, 10m or 2h"],
    ['--since 0s', "--since is '0s'"],
    ['--rank one', "--rank is 'one'; it takes a whole number from 0"],
    ['--keep', '--keep has no value'],
    ['gemma', "'gemma' is no flag"],
  ])('refuses %s', (args, message) => {
    expect(() => readLogs(args.split(' '))).toThrow(message);
  });

  test('reads times, and follows what it keeps', () => {
    expect(readLogs(['--since', '2h', '--rank=1', '--rank', '0'])).toMatchObject({
      sinceSeconds: 7200,
      ranks: [1, 0],
      isFollowed: false,
    });
    expect(readLogs(['--keep', 'here'])).toMatchObject({ isFollowed: true, keep: 'here' });
  });

  test('paints ranks, and lets nothing that they write drive the terminal', () => {
    const line = {
      kind: 'line',
      time: '2026-01-02T03:04:05.678900000Z',
      rank: 1,
      role: 'worker',
      pod: 'gemma-0-1',
      uid: 'u',
      restart: 0,
    } as const;
    const text = '\u001b[1;36m(Worker pid=1)\u001b[0m INFO \u001b]0;title\u0007 ok';
    expect(new LogText(2, false).of({ ...line, text })).toBe('03:04:05.678 worker (Worker pid=1) INFO ?]0;title? ok\n');
    expect(new LogText(3, true).of({ ...line, text: 'a' })).toBe('03:04:05.678 \u001b[35mworker 1 \u001b[0m a\n');
    expect(new LogText(2, false).of({ ...line, role: 'single', text: '' })).toBe('03:04:05.678 gemma-0-1 \n');
  });
});
