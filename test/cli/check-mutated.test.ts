import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { documentsOf } from '../../src/cli/check/yaml/documents';
import { compose } from '../../src/cli/check/yaml/compose';
import { RULES } from '../../src/rules/index';
import { check, checked, Folder } from './check-runner';

/** `CHECK_MUTATIONS=10000` runs all, which takes a minute or two; the unit suite runs the first of them. */
const COUNT = Number(process.env.CHECK_MUTATIONS ?? 300);

let folder: Folder;

beforeAll(() => {
  folder = new Folder();
});

afterAll(() => folder.remove());

/** The same numbers in every run (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const BUNDLE = readFileSync(join(__dirname, '../../dist/vllm-gemma.k8s.yaml'), 'utf8');
const DOCUMENTS = [...documentsOf(BUNDLE)].map(({ text }) => text).filter((text) => text.length < 25_000);
const TEXTS = [...RULES.flatMap(({ bad, good }) => [bad, good]), ...DOCUMENTS];

const PIECES = [
  '\t',
  ' ',
  '\n',
  '- ',
  ': ',
  '#',
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  ',',
  '|',
  '>',
  '&a ',
  '*a',
  '!',
  '%',
  '<<: ',
  '\n---\n',
  '\\',
  'é',
  '\u0000',
  '{{ x }}',
  '${X}',
];
const VALUES: unknown[] = [
  null,
  0,
  -1,
  1e300,
  2 ** 53,
  true,
  '',
  'x',
  '-',
  '$(X)',
  '{{ x }}',
  [],
  {},
  [null],
  [[]],
  { name: null },
  [{ name: 1 }],
  'a'.repeat(300),
  '\u001b[31m',
];

function mutatedText(text: string, random: () => number): string {
  const at = Math.floor(random() * text.length);
  const piece = PIECES[Math.floor(random() * PIECES.length)]!;
  const kind = random();
  if (kind < 0.4) {
    return text.slice(0, at) + piece + text.slice(at);
  }
  if (kind < 0.7) {
    return text.slice(0, at) + text.slice(at + 1 + Math.floor(random() * 8));
  }
  const lines = text.split('\n');
  lines.splice(Math.floor(random() * lines.length), 1, lines[Math.floor(random() * lines.length)]!);
  return lines.join('\n');
}

/** Puts something else in the place of one value, however deep. */
function mutatedValue(value: unknown, random: () => number): unknown {
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (keys.length === 0 || random() < 0.08) {
    return VALUES[Math.floor(random() * VALUES.length)];
  }
  const key = keys[Math.floor(random() * keys.length)]!;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<string, unknown>;
  if (random() < 0.1) {
    if (Array.isArray(copy)) {
      copy.splice(Number(key), 1);
    } else {
      delete copy[key];
    }
  } else {
    copy[key] = mutatedValue(copy[key], random);
  }
  return copy;
}

function mutant(number: number): string {
  const random = randomFrom(number);
  const text = TEXTS[Math.floor(random() * TEXTS.length)]!;
  if (random() < 0.5) {
    return mutatedText(mutatedText(text, random), random);
  }
  return [...documentsOf(text)]
    .flatMap(({ text: part }) => compose(part).values)
    .filter((value) => value !== null)
    .map((value) => JSON.stringify(mutatedValue(value, random)))
    .join('\n---\n');
}

describe('mutated manifests', () => {
  test(`${COUNT} of them end in findings or in a clear error`, { timeout: 600_000 }, async () => {
    for (let i = 0; i < COUNT; i++) {
      const text = mutant(i);
      const { code, out, error } = await check(folder.file('mutant.yaml', text));
      const told = code === 2 ? /could not be read: \S|there is no Kubernetes object|is no text/ : /objects? of 1 file/;
      expect(`${out}${error}`, text).toMatch(told);
      expect([0, 1, 2], text).toContain(code);
      expect(out, text).not.toContain('a fault of cdk8s-vllm');
    }
  });
});

describe('the order of documents', () => {
  test('does not matter', { timeout: 120_000 }, async () => {
    // One object of each finding is enough; of two with one name, the second one is the one at fault.
    const texts = RULES.filter(({ id }) => id !== 'k8s/duplicate-name').map(({ bad }) => bad);
    const random = randomFrom(1);
    for (const text of texts) {
      const parts = [...documentsOf(text)]
        .map((part) => part.text.replace(/^---.*\n?/, ''))
        .filter((part) => part.trim() !== '');
      if (parts.length < 2) {
        continue;
      }
      const found = async (documents: readonly string[]): Promise<string[]> =>
        (await checked(folder.file('order.yaml', documents.join('\n---\n')))).findings
          .map(({ id, severity, object, path, what }) => JSON.stringify([id, severity, object, path, what]))
          .sort();
      const inOrder = await found(parts);
      expect(await found(parts.toReversed())).toEqual(inOrder);
      expect(await found(parts.toSorted(() => random() - 0.5))).toEqual(inOrder);
    }
  });
});
