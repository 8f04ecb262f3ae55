import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { run as runCommand } from './runner';
import { textOf } from '../../src/cli/prove/text';
import type { ProveReport } from '../../src/operate/prove/report';
import { validatorOf } from './schemas';
import { standInKubectl } from './group-behind-kubectl';
import { openServer, type Ways } from './vllm-server';

const run = (...args: string[]) => runCommand('prove', ...args);

describe('wrong input is answered with 2 and one line', () => {
  test.each([
    [['--token', '3'], "'--token' is not known; did you mean '--tokens'?"],
    [['vllm'], "'vllm' is no flag; --group names a group"],
    [['--counters', 'exce'], "--counters is 'exce'; it takes auto, summary or exec"],
    [['--rest', '0'], "--rest is '0'; it takes whole seconds from 1 to 86400"],
    [['--config', '/no/config.json'], "'/no/config.json' cannot be read"],
    [['--kubectl', '/no/kubectl'], "--kubectl is '/no/kubectl', and there is no such program"],
  ])('%j', async (args, said) => {
    const { code, out, error } = await run(...args);
    expect(error).toContain(said);
    expect(out).toBe('');
    expect(code).toBe(2);
  });
});

test('--help', async () => {
  const { code, out } = await run('--help');
  expect(code).toBe(0);
  expect(out).toContain('usage: cdk8s-vllm prove');
  expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});

test('what was recorded of a group in a cluster is of the documented form, and within 80 columns', () => {
  const recorded = JSON.parse(readFileSync('test/fixtures/prove/reference.json', 'utf8')) as ProveReport;
  const validate = validatorOf('prove');
  expect(validate(recorded) ? [] : validate.errors).toEqual([]);
  expect(validate(ARTICLE) ? [] : validate.errors).toEqual([]);
  const lines = textOf(recorded, false).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

const GROUP = { kind: 'LeaderWorkerSet', name: 'vllm-gemma', namespace: 'vllm', size: 2 };

/** The article's counters. */
const ARTICLE: ProveReport = {
  group: GROUP,
  verdict: 'crossed',
  said: 'the request worked on all 2 pods, on 2 nodes',
  request: {
    model: 'google/gemma-3-1b-it',
    status: 200,
    seconds: 12,
    promptTokens: 28,
    cachedTokens: 0,
    outputTokens: 146,
  },
  counters: 'summary',
  hidden: { size: 1152, from: 'the catalogue (google/gemma-3-1b-it)' },
  others: { atRest: 0, request: 0 },
  pods: [
    {
      rank: 0,
      role: 'leader',
      name: 'vllm-gemma-0',
      node: 'ip-10-0-1-23.ec2.internal',
      address: '10.0.1.55',
      atRest: { seconds: 20, cpuSeconds: 0.1, received: 2104, sent: 9310 },
      request: { seconds: 12.4, cpuSeconds: 27, received: 300_000, sent: 1_370_000 },
      predicted: { received: 280_400, sent: 1_356_592 },
    },
    {
      rank: 1,
      role: 'worker',
      name: 'vllm-gemma-0-1',
      node: 'ip-10-0-1-99.ec2.internal',
      address: '10.0.1.77',
      atRest: { seconds: 20, cpuSeconds: 0, received: 0, sent: 0 },
      request: { seconds: 12.4, cpuSeconds: 27, received: 1_310_000, sent: 290_000 },
      predicted: { received: 1_356_592, sent: 280_400 },
      ifUntouched: 0,
      least: 801_792,
      verdict: 'crossed',
    },
  ],
};

describe('the report for a person', () => {
  test('has the verdict first, and every number of it', () => {
    expect(textOf(ARTICLE, false)).toMatchInlineSnapshot(`
      "crossed: the request worked on all 2 pods, on 2 nodes

      LeaderWorkerSet vllm-gemma in vllm
        0  vllm-gemma-0    leader  ip-10-0-1-23.ec2.internal  10.0.1.55
        1  vllm-gemma-0-1  worker  ip-10-0-1-99.ec2.internal  10.0.1.77

      The request: 28 tokens in, 146 out, 12.0 s, by google/gemma-3-1b-it

      Counters of the kubelets
        rank               seconds  CPU s   bytes in  bytes out
        0     at rest         20.0   0.10      2,104      9,310
        0     the request     12.4  27.00    300,000  1,370,000
        0     predicted                      280,400  1,356,592
        1     at rest         20.0   0.00          0          0
        1     the request     12.4  27.00  1,310,000    290,000
        1     predicted                    1,356,592    280,400

      Null hypothesis: the request does not touch the worker, which gets what it gets
        at rest.
        - rank 1: then 0 B, if touched at least 801,792 B; it got 1,310,000 B: it is
          rejected
      Hidden states of 1152 numbers, by the catalogue (google/gemma-3-1b-it).
      "
    `);
  });

  test('marks the verdict by colour', () => {
    expect(textOf(ARTICLE, true).split('\n')[0]).toBe(
      '\u001b[1;32mcrossed\u001b[0m: the request worked on all 2 pods, on 2 nodes',
    );
  });

  test('of one pod has no counters', () => {
    const said = 'LeaderWorkerSet vllm-gemma has one pod: there is nothing that a request could cross';
    const pods = [{ rank: 0, role: 'single', name: 'vllm-gemma-0', node: 'n1' }] as const;
    const text = textOf({ group: { ...GROUP, size: 1 }, verdict: 'not-crossed', said, pods }, false);
    expect(text).toMatch(/^did not cross: LeaderWorkerSet vllm-gemma has one pod/);
    expect(text).not.toContain('Counters');
  });
});

describe('a group behind kubectl', () => {
  async function proved(ways: Ways, kubectl: { readonly drops?: boolean } = {}) {
    const { url, close } = await openServer(ways);
    try {
      return await run('--kubectl', standInKubectl(url, kubectl), '--rest', '1', '-o', 'json');
    } finally {
      await close();
    }
  }

  test('whose worker gets nothing did not work on the request', async () => {
    const { code, out } = await proved({});
    expect(validatorOf('prove')(JSON.parse(out))).toBe(true);
    expect((JSON.parse(out) as ProveReport).said).toContain('g-0-1 got 0 B of');
    expect(code).toBe(1);
  });

  test('whose port-forward breaks off proves nothing', async () => {
    const { code, out } = await proved({}, { drops: true });
    expect((JSON.parse(out) as { error: string }).error).toContain('the port-forward to g-0 broke off');
    expect(code).toBe(2);
  });

  test('that counts no tokens proves nothing: least of all that nothing had to come', async () => {
    const { code, out } = await proved({ failure: { status: 200, text: '{"choices":[{}]}' } });
    expect((JSON.parse(out) as { error: string }).error).toContain('the answer counts no tokens (usage)');
    expect(code).toBe(2);
  });

  test('that answers with something else is shown with what it says', async () => {
    const { code, out } = await proved({ failure: { status: 200, text: '<h1>Welcome</h1>' } });
    expect((JSON.parse(out) as ProveReport).said).toContain('answered with 200: no completion but <h1>Welcome</h1>');
    expect(code).toBe(1);
  });
});
