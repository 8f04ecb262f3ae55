import { describe, expect, test } from 'vitest';
import { wire } from '../../../src/fit/wire';
import type { LiveGroup } from '../../../src/operate/group/live';
import { groupsOf } from '../../../src/operate/group/live';
import { judgeProof, type ProveSeen } from '../../../src/operate/prove/judge';
import { pod } from '../group/pods';

const HIDDEN = wire(1152, 2);
const REQUEST = { model: 'm', status: 200, seconds: 12, promptTokens: 28, cachedTokens: 0, outputTokens: 146 };

/** The article's counters: idle for 20 s, then one request of 146 tokens in 12 s. */
const ARTICLE: ProveSeen = {
  start: [counted(0, 0, 0, 0, 0), counted(1, 0, 0, 0, 0)],
  rested: [counted(0, 20, 0.1, 2000, 9000), counted(1, 20, 0, 0, 0)],
  end: [counted(0, 32, 27, 302_000, 1_379_000), counted(1, 32, 27, 1_310_000, 290_000)],
  request: REQUEST,
  others: { atRest: 0, request: 0 },
};

function counted(rank: number, at: number, cpuSeconds: number, received: number, sent: number) {
  return { rank, at, cpuSeconds, received, sent };
}

function group(nodes = ['n1', 'n2'], args: readonly string[] = []): LiveGroup {
  return groupsOf(
    nodes.map((node, rank) => pod({ rank, size: nodes.length, node, args: ['--pipeline-parallel-size=2', ...args] })),
  )[0]!;
}

/** The worker's counters at the end, everything else as in the article. */
function worker(received: number, more: Partial<ProveSeen> = {}): ProveSeen {
  return { ...ARTICLE, end: [ARTICLE.end[0]!, counted(1, 32, 27, received, 290_000)], ...more };
}

describe('what the counters say of a request', () => {
  test("the article's crossed, and its bytes are the predicted ones", () => {
    const { verdict, said, pods } = judgeProof(group(), ARTICLE, HIDDEN);
    expect(verdict).toBe('crossed');
    expect(said).toBe('the request worked on all 2 pods, on 2 nodes');
    const [leader, follower] = pods;
    expect(follower).toMatchObject({ ifUntouched: 0, least: 4608 * 174, verdict: 'crossed' });
    expect(follower!.request!.received / follower!.predicted!.received).toBeCloseTo(1, 1);
    expect(follower!.request!.sent / follower!.predicted!.sent).toBeCloseTo(1, 1);
    expect(leader!.request!.sent / leader!.predicted!.sent).toBeCloseTo(1, 1);
    expect(leader?.verdict).toBeUndefined();
  });

  test.each<[string, ProveSeen, LiveGroup, string, string]>([
    ['a worker that got nothing', worker(0), group(), 'not-crossed', 'g-0-1 got 0 B of 801792 B'],
    ['a worker that got too little', worker(200_000), group(), 'not-crossed', 'it did not work on it'],
    [
      'noise in which it drowns',
      { ...worker(3_000_000), rested: [ARTICLE.rested[0]!, counted(1, 20, 0, 1_000_000, 0)] },
      group(),
      'not-judged',
      'in the time of the request g-0-1 gets 600000 B, 801792 B have to stand out',
    ],
    [
      'others who used it at rest',
      { ...ARTICLE, others: { atRest: 40, request: 0 } },
      group(),
      'not-judged',
      'tokens of theirs, 40 while it was to be at rest',
    ],
    [
      'others who used it with the request',
      { ...ARTICLE, others: { atRest: 0, request: 7 } },
      group(),
      'not-judged',
      '7 during the request',
    ],
    [
      'counters that went back with the request',
      { ...worker(10), rested: [ARTICLE.rested[0]!, counted(1, 20, 0, 5000, 0)] },
      group(),
      'not-judged',
      'the counters of g-0-1 went back meanwhile',
    ],
    [
      'counters that went back at rest, which made the request stand out',
      { ...ARTICLE, start: [ARTICLE.start[0]!, counted(1, 0, 0, 900_000, 0)] },
      group(),
      'not-judged',
      'the counters of g-0-1 went back meanwhile',
    ],
    [
      'a leader whose CPU was counted anew',
      { ...ARTICLE, end: [counted(0, 32, 0, 302_000, 1_379_000), ARTICLE.end[1]!] },
      group(),
      'not-judged',
      'the counters of g-0 went back meanwhile',
    ],
    ['two pods on one node', ARTICLE, group(['n1', 'n1']), 'not-crossed', 'all of them on n1: no network lies between'],
  ])('%s', (_, seen, of, verdict, said) => {
    const judged = judgeProof(of, seen, HIDDEN);
    expect(judged.verdict).toBe(verdict);
    expect(judged.said).toContain(said);
  });

  test('a server that does not count its tokens is judged by the bytes', () => {
    expect(judgeProof(group(), { ...ARTICLE, others: undefined }, HIDDEN).verdict).toBe('crossed');
  });

  test('tokens from a prefix cache do not cross', () => {
    const request = { ...REQUEST, promptTokens: 1028, cachedTokens: 1000 };
    expect(judgeProof(group(), { ...ARTICLE, request }, HIDDEN).pods[1]?.least).toBe(4608 * 174);
  });

  test('without the size of a hidden state, orders alone have to come, and nothing is predicted', () => {
    const { verdict, pods } = judgeProof(group(), ARTICLE, undefined);
    expect(verdict).toBe('crossed');
    expect(pods[1]).toMatchObject({ least: 146_000 });
    expect(pods[1]?.predicted).toBeUndefined();
    expect(judgeProof(group(), worker(1000), undefined).verdict).toBe('not-crossed');
  });

  test('with tensor parallelism nothing is predicted', () => {
    expect(
      judgeProof(group(['n1', 'n2'], ['--tensor-parallel-size=2']), ARTICLE, HIDDEN).pods[1]?.predicted,
    ).toBeUndefined();
  });
});
