import { describe, expect, test } from 'vitest';
import { wire } from '../../../src/fit/wire';
import { breakageOf } from '../../../src/operate/breakage';
import { hangBound, startBound } from '../../../src/operate/bounds';
import { type Expected, judge } from '../../../src/operate/rehearse/judge';
import type { Observations } from '../../../src/operate/rehearse/observe';
import { labelsOf } from '../../../src/operate/server/metrics';
import { Stillness } from '../../../src/operate/rehearse/stillness';
import { bundle } from './reference';

const CHAT = { status: 200, seconds: 1, text: 'x', promptTokens: 51, cachedTokens: 0, outputTokens: 16, parts: 16 };
const sample = (rank: number, isAlive = true) => ({
  rank,
  isAlive,
  processes: 3,
  isBusy: false,
  cpuSeconds: 1,
  memoryBytes: 1,
});

/** What the reference group was seen to do on 0.32.0. */
const SEEN: Observations = {
  chat: CHAT,
  stream: CHAT,
  guarded: [{ path: '/v1/models', without: 401, wrong: 401, right: 200 }],
  open: [{ path: '/health', without: 200 }],
  idleSeconds: 3,
  idle: [
    { rank: 0, received: 140, sent: 0 },
    { rank: 1, received: 140, sent: 0 },
  ],
  busy: [
    { rank: 0, received: 31431, sent: 124489 },
    { rank: 1, received: 124489, sent: 31431 },
  ],
  cache: { num_gpu_blocks: '4096', kv_cache_size_tokens: '195083' },
  later: { health: 200, ranks: [sample(0), sample(1)] },
};
const EXPECTED: Expected = {
  questions: { model: 'm', key: 'k', release: '0.32.0', outputTokens: 16 },
  ranks: 2,
  pipelineParallelSize: 2,
  tensorParallelSize: 1,
  wire: wire(256, 2),
  cache: { blocks: 4096, tokens: 195083, concurrency: 1, fits: true, blockSize: 128 },
};

const SCENE = { happened: 'x', release: '0.32.0', otherwise: 'Read its log.' };

function not(seen: Partial<Observations>, expected: Partial<Expected> = {}): string[] {
  return judge({ ...SEEN, ...seen }, { ...EXPECTED, ...expected }).flatMap(({ id, held }) =>
    held === 'yes' ? [] : [`${id} ${held}`],
  );
}

describe('what is judged of a group that is up', () => {
  test('all of it holds for what was seen of a sound one', () => {
    expect(not({})).toEqual([]);
  });

  test.each<[string, Partial<Observations>, string[]]>([
    ['an answer of 500', { chat: { ...CHAT, status: 500, outputTokens: 0 } }, ['chat no', 'crossing no']],
    ['fewer tokens than asked for', { chat: { ...CHAT, outputTokens: 15 } }, ['chat no']],
    ['a stream in one part', { stream: { ...CHAT, parts: 1 } }, ['stream no']],
    ['a path without guard', { guarded: [{ path: '/v1/models', without: 200, wrong: 200, right: 200 }] }, ['key no']],
    [
      'a key that is not taken',
      { guarded: [{ path: '/v1/models', without: 401, wrong: 401, right: 401 }] },
      ['key no'],
    ],
    ['a health that asks for the key', { open: [{ path: '/health', without: 401 }] }, ['open-paths no']],
    ['a worker that got too little', { busy: [{ rank: 1, received: 40_000, sent: 1 }] }, ['crossing no']],
    ['a worker that gets as much at rest', { idle: [{ rank: 1, received: 124_489, sent: 0 }] }, ['crossing no']],
    ['bytes that cannot be told apart', { idle: undefined }, ['crossing unproven']],
    ['another number of blocks', { cache: { num_gpu_blocks: '4095' } }, ['cache no']],
    ['a rank that is gone', { later: { health: 200, ranks: [sample(0), sample(1, false)] } }, ['alive no']],
    ['a health that fails later', { later: { health: 503, ranks: [sample(0), sample(1)] } }, ['alive no']],
  ])('%s', (_, seen, wanted) => {
    expect(not(seen)).toEqual(wanted);
  });

  test('without a key, or a number of the planner, nothing is proven', () => {
    expect(not({}, { questions: { ...EXPECTED.questions, key: undefined }, cache: undefined })).toEqual([
      'key unproven',
      'cache unproven',
    ]);
  });

  test('labels of a metric', () => {
    expect(labelsOf('a', '# HELP a\na{x="1",y="b\\"c"} 1\n')).toEqual({ x: '1', y: 'b\\"c' });
  });
});

describe('what broke', () => {
  const { members } = bundle();
  const state = (rank: number, log: string, exit?: { code: number; signal: null }) => ({
    rank,
    podName: `p${rank}`,
    log,
    ...(exit && { exit, endedAs: 0 }),
  });

  test('is told from the rank whose line names the cause, not from the one that ended', () => {
    const leader = '(EngineCore) ERROR EngineCore encountered a fatal error.\nRuntimeError: Worker failed';
    const worker = '  assert self.intermediate_tensors is not None\nAssertionError';
    const found = breakageOf(members, [state(0, leader, { code: 0, signal: null }), state(1, worker)], SCENE);
    expect(found).toMatchObject({ rank: 1, symptom: 'pipeline-buffer-missing', what: 'x' });
    expect(found.lastLines.at(-1)).toBe('AssertionError');
    expect(found.others).toEqual([{ rank: 0, what: 'ended with 0', lastLine: 'RuntimeError: Worker failed' }]);
  });

  test('is told from what ranks do not agree on when they only wait', () => {
    const odd = bundle((text) => {
      const at = text.lastIndexOf('--master-port=29501');
      return `${text.slice(0, at)}--master-port=29999${text.slice(at + 19)}`;
    });
    const found = breakageOf(odd.members, [state(0, 'waits'), state(1, 'waits')], SCENE);
    expect(found).toMatchObject({
      rank: 1,
      disagreements: [{ flag: '--master-port', leader: '29501', rank: 1, value: '29999' }],
      remedy: 'Give every rank the same --master-port.',
    });
  });

  test('is said with its own lines: those that only underline, or are empty, are left out', () => {
    const prefix = '(Worker_PP1 pid=56) ERROR 11-30 00:28:54 [multiproc_executor.py:1063]';
    const log = `${prefix}     assert x\n${prefix}            ^^^^^^\n${prefix} ValueError: x is 3\n${prefix}\n`;
    const found = breakageOf(
      members,
      [state(0, 'RuntimeError: y\nbye'), state(1, log, { code: 1, signal: null })],
      SCENE,
    );
    expect(found.lastLines).toEqual([`${prefix}     assert x`, `${prefix} ValueError: x is 3`]);
    expect(found.others[0]!.lastLine).toBe('RuntimeError: y');
  });

  test('is said with the line that tells, however much came behind it', () => {
    const echo = Array.from({ length: 40 }, (_, i) => `echo ${i}`).join('\n');
    const log = `before\n  assert self.intermediate_tensors is not None\n${echo}`;
    const { lastLines, line } = breakageOf(members, [state(0, 'ok'), state(1, log)], SCENE);
    expect(lastLines).toEqual(['before', '  assert self.intermediate_tensors is not None']);
    expect(line).toBe('assert self.intermediate_tensors is not None');
  });

  test('is the kernel where a rank was killed and says nothing of it', () => {
    const killed = { ...state(1, 'loads'), exit: { code: null, signal: 'SIGKILL' }, endedAs: 0 };
    const found = breakageOf(members, [state(0, 'waits'), killed], SCENE);
    expect(found).toMatchObject({ rank: 1, what: 'was ended by SIGKILL' });
    expect(found.cause).toContain('where memory runs out');
  });

  test('is the last error where no symptom is known', () => {
    const found = breakageOf(
      members,
      [state(0, 'ok'), state(1, 'ValueError: something new', { code: 1, signal: null })],
      SCENE,
    );
    expect(found).toMatchObject({ rank: 1, what: 'ended with 1', line: 'ValueError: something new' });
  });
});

describe('whether ranks wait for ever', () => {
  const run = (each: (second: number) => { cpu: number; written: number; isBusy: boolean }): number | undefined => {
    const stillness = new Stillness();
    for (let second = 0; second < 120; second++) {
      const { cpu, written, isBusy } = each(second);
      if (stillness.look(second, [{ ...sample(0), cpuSeconds: cpu, isBusy }], written)) {
        return second;
      }
    }
    return undefined;
  };

  test('they do when none computes and none writes', () => {
    expect(run(() => ({ cpu: 20, written: 100, isBusy: false }))).toBe(40);
  });

  test.each([
    ['compute', (second: number) => ({ cpu: second, written: 1, isBusy: true })],
    ['write', (second: number) => ({ cpu: 1, written: second, isBusy: false })],
    ['would compute if the machine let them', () => ({ cpu: 1, written: 1, isBusy: true })],
  ])('they do not when they %s', (_, each) => {
    expect(run(each)).toBeUndefined();
  });
});

test('the bounds of a hang are those of the manifest', () => {
  const { leader } = bundle();
  expect(hangBound(leader)).toEqual({ seconds: 80, by: 'VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS=60' });
  expect(startBound(leader)).toEqual({ seconds: 906, by: 'the startup probe' });
  const probeAlone = bundle((text) => text.replaceAll('VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS', 'OTHER'));
  // 120 s without progress, three runs of at most 40 s, one period before the first, and the grace of the probe.
  expect(hangBound(probeAlone.leader)).toEqual({ seconds: 256, by: 'the liveness probe' });
});
