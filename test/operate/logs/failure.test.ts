import { describe, expect, test } from 'vitest';
import type { Member } from '../../../src/operate/group/members';
import { instancesOf } from '../../../src/operate/group/instances';
import { endWords, failureOf, lastWords, type Written } from '../../../src/operate/logs/failure';

const written = (rank: number, log: string[], end?: Written['end']): Written => {
  const name = rank === 0 ? 'gemma-0' : `gemma-0-${rank}`;
  const role = rank === 0 ? 'leader' : 'worker';
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name } };
  const member: Member = { rank, role, name, uid: `uid-${rank}`, container: 'vllm', object };
  return { member, source: { rank, role, pod: name, uid: `uid-${rank}`, restart: 0 }, log, ...(end && { end }) };
};

const EAGER = [
  'Traceback (most recent call last):',
  '  File "gpu_model_runner.py", line 1, in sync_and_gather_intermediate_tensors',
  '    assert self.intermediate_tensors is not None',
  'AssertionError',
];

describe('a rank that ended by itself', () => {
  test('is told with its own last lines, and what they mean', () => {
    const dead = written(1, ['INFO started', ...EAGER], { code: 1, reason: 'Error' });
    const failure = failureOf(dead, [written(0, ['INFO all is well'])], '2026-01-02T03:04:05Z');
    expect(failure).toMatchObject({ kind: 'failure', rank: 1, pod: 'gemma-0-1', how: 'ended with 1' });
    expect(failure.lines).toEqual(['INFO started', ...EAGER]);
    expect(failure.breakage).toMatchObject({ rank: 1, what: 'ended with 1' });
    expect(failure.breakage.remedy).not.toBe('');
  });

  test('whose own lines tell nothing is read with those of the others', () => {
    const dead = written(0, ['INFO bye'], { code: 0, reason: 'Completed' });
    const failure = failureOf(dead, [written(1, EAGER)], '2026-01-02T03:04:05Z');
    expect(failure).toMatchObject({ rank: 0, how: 'ended with 0', breakage: { rank: 1 } });
  });
});

test('the last words hold a whole traceback, and not more than a screen or two', () => {
  const lines = Array.from({ length: 500 }, (_, i) => `line ${i}`);
  expect(lastWords(lines)).toHaveLength(20);
  const traceback = ['Traceback (most recent call last):', ...lines.slice(0, 60), 'ValueError: no'];
  expect(lastWords([...lines, ...traceback])).toEqual(traceback);
  expect(lastWords([...lines, traceback[0]!, ...lines])).toHaveLength(20);
  expect(lastWords(['one'])).toEqual(['one']);
  expect(lastWords([])).toEqual([]);
});

test.each([
  [{ code: 1, reason: 'Error' }, 'ended with 1'],
  [{ code: 137, reason: 'OOMKilled' }, 'ended with 137: signal 9 (OOMKilled)'],
  [{ code: 0, reason: 'Completed' }, 'ended with 0'],
  [{ signal: 9 }, 'was ended by signal 9'],
  [{}, 'ended'],
])('%j is said as %s', (end, words) => {
  expect(endWords(end)).toBe(words);
});

describe('the lives of a container', () => {
  const pod = (status: object) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a' },
    status: { containerStatuses: [{ name: 'vllm', ...status }] },
  });
  const ended = { terminated: { exitCode: 1, finishedAt: '2026-01-02T03:04:05Z' } };

  test.each([
    ['it waits for its first', { restartCount: 0, state: { waiting: {} } }, ['0 waiting']],
    ['it is in its first', { restartCount: 0, state: { running: {} } }, ['0 running']],
    ['it has just ended', { restartCount: 0, state: ended }, ['0 ended']],
    [
      'it waits for its second',
      { restartCount: 1, state: { waiting: {} }, lastState: ended },
      ['0 ended', '1 waiting'],
    ],
    ['it is in its third', { restartCount: 2, state: { running: {} }, lastState: ended }, ['1 ended', '2 running']],
  ])('%s', (_, status, lives) => {
    expect(instancesOf(pod(status), 'vllm').map(({ restart, state }) => `${restart} ${state}`)).toEqual(lives);
  });

  test('are none before the kubelet has said anything', () => {
    expect(instancesOf(pod({}), 'other')).toEqual([]);
  });
});
