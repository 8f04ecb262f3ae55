import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chunksOf, jsonPieces } from '../../src/cli/check/pieces';
import { check, checked, Folder, thing } from './check-runner';

let folder: Folder;

beforeAll(() => {
  folder = new Folder();
});

afterAll(() => folder.remove());

/** Duplicates of one name: an error for each but the first, in one document after the other. */
const many = (count: number): string => Array.from({ length: count }, () => thing('a')).join('---\n');

describe('more findings of a rule than anyone reads', () => {
  test('are counted, and said to be there, in each format', async () => {
    const file = folder.file('many.yaml', many(1501));
    const { counts, findings, more } = await checked(file);
    expect(counts.errors).toBe(1500);
    expect(findings).toHaveLength(1000);
    expect(more).toEqual([{ id: 'k8s/duplicate-name', severity: 'error', count: 500 }]);

    const text = await check(file);
    expect(text.out).toMatch(
      /\n\nk8s\/duplicate-name: 500 more errors not listed\n\n1500 errors in 1501 objects of 1 file\n$/,
    );
    const sarif = JSON.parse((await check('-o', 'sarif', file)).out) as {
      runs: [{ results: unknown[]; invocations: [{ toolExecutionNotifications: { message: { text: string } }[] }] }];
    };
    expect(sarif.runs[0].results).toHaveLength(1000);
    expect(sarif.runs[0].invocations[0].toolExecutionNotifications.map(({ message }) => message.text)).toEqual([
      'k8s/duplicate-name: 500 more errors not listed',
    ]);
    expect((await check('-o', 'github', file)).out).toContain(
      '\n::error title=k8s/duplicate-name::k8s/duplicate-name: 500 more errors not listed\n',
    );
  });

  test('what is not listed counts against the exit code', async () => {
    const accepted = 'metadata:\n  annotations: {accept.cdk8s-vllm/k8s.duplicate-name: meant}\n  name: a\n';
    const meant = Array.from({ length: 1200 }, () => `apiVersion: example.org/v1\nkind: Thing\n${accepted}`);
    const file = folder.file('accepted.yaml', meant.join('---\n'));
    const { counts, accepted: listed, more } = await checked(file);
    expect(counts).toMatchObject({ errors: 0, accepted: 1199 });
    expect([listed.length, more.length]).toEqual([1000, 0]);
    expect((await check(file)).out).toContain('\n  and 199 more\n');
    expect((await check(file)).code).toBe(0);
    // Accepted ones take no place from the others.
    const both = folder.file('both.yaml', `${meant.join('---\n')}---\n${thing('a')}`);
    expect((await checked(both)).findings).toHaveLength(1);
    expect((await check(both)).code).toBe(1);
  });

  test('those that are left out are not said to be there', async () => {
    const file = folder.file('many.yaml', many(1501));
    expect(await checked('--ignore', 'k8s/*', file)).toMatchObject({ counts: { leftOut: 1500 }, more: [] });
  });
});

describe('long words', () => {
  test('are quoted by their beginning', async () => {
    const file = folder.file(
      'long.yaml',
      thing('a', `  labels: {? ${'k'.repeat(100_000)} : a, ? ${'k'.repeat(100_000)} : b}\n`),
    );
    const { findings } = await checked(file);
    expect(findings).toHaveLength(1);
    expect(findings[0]!.what).toMatch(/^key 'k+… \(1000\d\d characters\)$/);
    expect(findings[0]!.what.length).toBeLessThan(2100);
  });
});

describe('a document in pieces', () => {
  test.each([
    [{}],
    [[]],
    [{ a: 1, b: [], c: {}, d: undefined, e: [{ f: ['g\n', { h: { i: [1, [2]] } }] }, null, 'x'] }],
    [{ runs: [{ results: [{ a: { b: [1, 2] } }, { a: {} }], other: [[[[[1]]]]] }] }],
  ])('is what JSON.stringify writes: %j', (value) => {
    expect([...jsonPieces(value)].join('')).toBe(JSON.stringify(value, undefined, 2));
  });

  test('a list comes item by item, and goes out in larger pieces', () => {
    const document = { findings: Array.from({ length: 10_000 }, (_, i) => ({ i, text: 'x'.repeat(100) })) };
    const pieces = [...jsonPieces(document)];
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(300);
    const chunks = [...chunksOf(pieces)];
    expect(chunks.join('')).toBe(pieces.join(''));
    expect(chunks.length).toBeLessThan(30);
    expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(70_000);
  });
});
