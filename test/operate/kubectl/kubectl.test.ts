import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Kubectl } from '../../../src/operate/kubectl/kubectl';

const CONFIG = JSON.stringify({ 'current-context': 'c', contexts: [{ name: 'c', context: { namespace: 'vllm' } }] });

const folder = mkdtempSync(join(tmpdir(), 'kubectl-'));
afterAll(() => rmSync(folder, { recursive: true }));

let made = 0;

/** A program that writes one text to what is asked for its configuration, and another to everything else. */
function standIn(view: string, answer = ''): string {
  const file = join(folder, `kubectl-${made++}`);
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  writeFileSync(
    file,
    `#!/bin/sh\ncase "$*" in *"config view"*) printf %s ${quoted(view)} ;; *) printf %s ${quoted(answer)} ;; esac\n`,
  );
  chmodSync(file, 0o755);
  return file;
}

const open = (kubectl: string): Promise<Kubectl> => Kubectl.open({ kubectl, path: '' });

describe('what is no kubectl is told so', () => {
  test.each(['', 'Hello!\n{', 'null', '"text"'])('a configuration of %j', async (view) => {
    await expect(open(standIn(view))).rejects.toThrow(
      "config view -o json' wrote something else than a JSON object; is it a kubectl?",
    );
  });
});

describe('what the API server is said to have answered', () => {
  test.each(['<html>no</html>', 'null', '7', ''])('%j is no object', async (answer) => {
    const kubectl = await open(standIn(CONFIG, answer));
    await expect(kubectl.get('/api/v1/x')).rejects.toMatchObject({
      message: `/api/v1/x is answered with something else than a JSON object: ${answer}`,
    });
  });

  test.each([
    ['{"items":[{"a":1}]}', [{ a: 1 }]],
    ['{"items":null}', []],
    ['{}', []],
  ])('of %s the items', async (answer, items) => {
    const kubectl = await open(standIn(CONFIG, answer));
    expect(await kubectl.list(kubectl.path('pods'))).toEqual(items);
  });

  test('a Secret is not shown, whatever stands before it', async () => {
    const kubectl = await open(standIn(CONFIG, 'Warning: old\n{"data":{"key":"czNjcmV0"}}'));
    await expect(kubectl.get(kubectl.path('secrets/vllm-api-key'))).rejects.toThrow(/JSON object$/);
  });
});

test('one that is gone in the meantime is a failure as any other', async () => {
  const file = standIn(CONFIG);
  const kubectl = await open(file);
  rmSync(file);
  await expect(kubectl.get('/api/v1/x')).rejects.toMatchObject({
    kind: 'no-kubectl',
    message: expect.stringMatching(/^'.*' cannot be started: .*ENOENT/) as string,
  });
});

test.each([
  ['c', undefined],
  ['d', 'd'],
])('every call names the context %s, once', async (context, given) => {
  const file = join(folder, `kubectl-${made++}`);
  const config = { 'current-context': 'c', contexts: [{ name: 'c' }, { name: 'd' }] };
  writeFileSync(
    file,
    `#!/bin/sh\ncase "$*" in *"config view"*) echo '${JSON.stringify(config)}' ;; *) printf %s "$*" ;; esac\n`,
  );
  chmodSync(file, 0o755);
  const kubectl = await Kubectl.open({ kubectl: file, path: '', ...(given && { context: given }) });
  expect(await kubectl.run(['uncordon', 'n1'])).toBe(`--context=${context} uncordon n1`);
  const lines: string[] = [];
  expect(await kubectl.start(['logs', 'g-0'], { onLine: (line) => lines.push(line) }).ended).toBe(0);
  expect(lines).toEqual([`--context=${context} --namespace=default logs g-0`]);
});
