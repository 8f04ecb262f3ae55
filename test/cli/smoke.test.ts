import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { run as runCommand } from './runner';
import { textOf } from '../../src/cli/smoke/text';
import type { SmokeReport } from '../../src/operate/smoke/report';
import { validatorOf } from './schemas';
import { standInKubectl } from './group-behind-kubectl';
import { openServer, type Ways } from './vllm-server';

const run = (...args: string[]) => runCommand('smoke', ...args);

async function withServer(ways: Ways, use: (url: string, asked: readonly string[]) => Promise<void>): Promise<void> {
  const { url, asked, close } = await openServer(ways);
  try {
    await use(url, asked);
  } finally {
    await close();
  }
}

function notHeld(out: string): string[] {
  const { checks } = JSON.parse(out) as SmokeReport;
  return checks.flatMap(({ id, held, said }) => (held === 'yes' ? [] : [`${id} ${held}: ${said}`]));
}

afterEach(() => vi.unstubAllEnvs());

describe('wrong input is answered with 2 and one line', () => {
  test.each([
    [['--ulr', 'http://x'], "'--ulr' is not known; did you mean '--url'?"],
    [['vllm'], "'vllm' is no flag; --group names a group, --url an address"],
    [['--url', 'my-alb'], "--url is 'my-alb'; it takes an address as http://127.0.0.1:8000"],
    [['--url', 'http://u:p@x'], '--url takes scheme, host, port and path alone'],
    [['--url', 'http://:p@x'], '--url takes scheme, host, port and path alone'],
    [['--url', 'http://x', '--api-key', 'ключ'], 'one beyond Latin-1, which no request can carry'],
    [['--api-key-secret', 'vllm-api-key'], 'it takes name and key of a Secret, as vllm-api-key/key'],
    [['--tokens', '0'], "--tokens is '0'; it takes a whole number from 1 to 100000"],
    [['--wait', '-1'], "--wait is '-1'; it takes whole seconds from 0"],
    [['-o', 'yaml'], "--output is 'yaml'; it takes text or json"],
    [['--kubectl', '/no/kubectl'], "--kubectl is '/no/kubectl', and there is no such program"],
    [['--kubectl', 'sh', '--kubeconfig', '/no/config'], "--kubeconfig is '/no/config', and there is no such file"],
    [['--url', 'http://127.0.0.1:1'], 'http://127.0.0.1:1 does not answer: connect ECONNREFUSED'],
  ])('%j', async (args, said) => {
    const { code, out, error } = await run(...args);
    expect(error).toContain(said);
    expect(out).toBe('');
    expect(code).toBe(2);
  });

  test('without kubectl it says how to come by one, and to a program as well', async () => {
    vi.stubEnv('PATH', '/nowhere');
    const { code, out, error } = await run('-o', 'json');
    expect(error).toContain('there is no `kubectl` on the path');
    expect((JSON.parse(out) as { error: string }).error).toContain('there is no `kubectl` on the path');
    expect(code).toBe(2);
  });
});

test('--help', async () => {
  const { code, out } = await run('--help');
  expect(code).toBe(0);
  expect(out).toContain('usage: cdk8s-vllm smoke');
  expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});

describe('what was recorded of groups in a cluster', () => {
  const recorded = (name: string) =>
    JSON.parse(readFileSync(`test/fixtures/smoke/${name}.json`, 'utf8')) as SmokeReport;
  const validate = validatorOf('smoke');

  test.each(['reference', 'eager', 'service'])('%s is of the documented form, and within 80 columns', (name) => {
    expect(validate(recorded(name)) ? [] : validate.errors).toEqual([]);
    const lines = textOf(recorded(name), false).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('what broke comes first, and the marks have colours where they may', () => {
    expect(textOf(recorded('eager'), false)).toMatch(
      /^did not hold: .*\n.*\n\nRank 1 \(vllm-gemma-0-1\): its pod is gone/,
    );
    expect(textOf(recorded('eager'), true)).toContain('\n  \u001b[1;31mNO\u001b[0m  completion  500: EngineCore');
  });
});

describe('a server at an address', () => {
  test('holds, and progress goes to a terminal alone', async () => {
    await withServer({}, async (url) => {
      const { code, out, error } = await run('--url', `${url}/v1/`);
      expect(out).toMatch(/^held: http:\/\/127\.0\.0\.1:\d+, vLLM 0\.31\.0, google\/gemma-3-1b-it\n/);
      expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
      expect(error).toBe('');
      expect(code).toBe(0);
    });
  });

  test('is asked with the key of the environment, which is nowhere in the report', async () => {
    const key = 'sk-a-secret-key';
    await withServer({ key }, async (url, asked) => {
      vi.stubEnv('VLLM_API_KEY', key);
      const { code, out } = await run('--url', url, '-o', 'json');
      expect(notHeld(out)).toEqual([]);
      expect((JSON.parse(out) as SmokeReport).keyFrom).toBe('VLLM_API_KEY');
      expect(out).not.toContain(key);
      expect(asked.filter((line) => line === 'GET /v1/models 401')).toHaveLength(2);
      expect(code).toBe(0);
    });
  });

  test('that refuses the key is asked for nothing more', async () => {
    await withServer({ key: 'sk-a-secret-key' }, async (url, asked) => {
      const { code, out } = await run('--url', url, '--api-key', 'sk-another', '-o', 'json');
      expect(notHeld(out)).toEqual([
        'model no: /v1/models is 401: {"error":"Unauthorized"}',
        'chat unproven: not asked any more',
        'stream unproven: not asked any more',
        'key no: the server refuses the key; a Secret that was changed is read when the pods start',
      ]);
      expect(asked.filter((line) => line.startsWith('POST'))).toEqual([]);
      expect(code).toBe(1);
    });
  });

  test('that echoes the key has it taken out', async () => {
    const key = 'sk-a-secret-key';
    await withServer({ key, failure: { status: 500, text: `bad header: Bearer ${key}` } }, async (url) => {
      const { code, out } = await run('--url', url, '--api-key', key);
      expect(out).toContain('500: bad header: Bearer ***');
      expect(out).not.toContain(key);
      expect(code).toBe(1);
    });
  });

  test('that echoes the key has it taken out, also where the answer is cut', async () => {
    const key = 'sk-a-secret-key';
    for (const status of [200, 500]) {
      for (const before of [190, 490]) {
        const failure = { status, text: JSON.stringify({ error: 'x'.repeat(before) + key }) };
        await withServer({ key, failure }, async (url) => {
          const { code, out } = await run('--url', url, '--api-key', key, '-o', 'json');
          expect(out).not.toContain('xsk-a');
          expect(code).toBe(1);
        });
      }
    }
  });

  test('that wants a key which nobody has said is not to be tried', async () => {
    await withServer({ key: 'sk-a-secret-key' }, async (url) => {
      const { code, error } = await run('--url', url);
      expect(error).toContain('the server asks for an API key, and none is known');
      expect(code).toBe(2);
    });
  });

  test.each<[string, Ways, readonly string[], string]>([
    ['another model', {}, ['--model', 'llama'], 'model no: it serves google/gemma-3-1b-it, and llama is expected'],
    ['a stream that is held back', { isHeldBack: true }, [], 'stream no: 32 tokens came in 1 part'],
    [
      'a server that fails the first request',
      { failure: { status: 500, text: 'EngineCore encountered an issue' } },
      [],
      'chat no: 500: EngineCore encountered an issue',
    ],
    [
      'what is no JSON',
      { failure: { status: 200, text: '<h1>Welcome</h1>' } },
      [],
      'chat no: 200: no completion but <h1>Welcome</h1>\nstream no: 200: no completion but <h1>Welcome</h1>',
    ],
    ['an answer that is cut', { failure: { status: 200, text: '{"model' } }, [], 'chat no: 200: no completion but {'],
    ['nothing', { failure: { status: 200, text: '' } }, [], 'chat no: 200: no completion but an empty answer'],
    ['null', { failure: { status: 200, text: 'null' } }, [], 'chat no: 200: no completion but null'],
    ['choices that are none', { failure: { status: 200, text: '{"choices":7,"usage":"x"}' } }, [], 'no completion but'],
    [
      'a choice of null',
      { failure: { status: 200, text: '{"choices":[null]}' } },
      [],
      'chat no: it says that no model',
    ],
    [
      'an error with status 200',
      { failure: { status: 200, text: '{"choices":[],"error":{"message":"out of memory"}}' } },
      [],
      'chat no: 200: out of memory',
    ],
    [
      'token counts that are texts',
      { failure: { status: 200, text: '{"choices":[{}],"usage":{"prompt_tokens":"5","completion_tokens":"3"}}' } },
      [],
      'its usage makes no sense: 0 tokens in, 0 out',
    ],
  ])('%s fails', async (_, ways, more, said) => {
    await withServer(ways, async (url) => {
      const { code, out } = await run('--url', url, '-o', 'json', ...more);
      expect(notHeld(out).join('\n')).toContain(said);
      expect(code).toBe(1);
    });
  });

  test('a model without a chat template is asked for text', async () => {
    await withServer({ hasNoChatTemplate: true }, async (url, asked) => {
      const { code, out } = await run('--url', url);
      expect(out).toContain('(as text: the model has no chat');
      expect(asked.filter((line) => line === 'POST /v1/completions 200')).toHaveLength(2);
      expect(code).toBe(0);
    });
  });
});

describe('a group behind kubectl', () => {
  test('holds', async () => {
    await withServer({}, async (url) => {
      const { code, out } = await run('--kubectl', standInKubectl(url), '-o', 'json');
      expect(notHeld(out)).toEqual(['key unproven: no API key is set: whoever reaches the server may use it']);
      expect(validatorOf('smoke')(JSON.parse(out))).toBe(true);
      expect(code).toBe(0);
    });
  });

  test('whose port-forward breaks off is not blamed for it', async () => {
    await withServer({}, async (url) => {
      const { code, out, error } = await run('--kubectl', standInKubectl(url, { drops: true }), '-o', 'json');
      expect(error).toContain('the port-forward to g-0 broke off, and its pods are as before');
      expect(Object.keys(JSON.parse(out) as object)).toEqual(['error']);
      expect(code).toBe(2);
    });
  });
});
