import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compose } from '../../src/cli/check/yaml/compose';
import { documentsOf, jsonValuesOf } from '../../src/cli/check/yaml/documents';
import { Lines } from '../../src/cli/check/yaml/lines';
import { stepsOf } from '../../src/cli/check/yaml/path';
import { locate, treeOf } from '../../src/cli/check/yaml/tree';
import { Unreadable } from '../../src/cli/check/yaml/unreadable';

/** What sigs.k8s.io/yaml 1.6.0 (go-yaml 2.4.4) made of each text; nothing where it refused it. */
const GO = JSON.parse(readFileSync(join(__dirname, '../fixtures/go-yaml.json'), 'utf8')) as [string, unknown?][];

describe('a text is read as kubectl reads it', () => {
  test.each(GO.map((row) => [JSON.stringify(row[0]).slice(0, 60), row] as const))('%s', (_, row) => {
    const [text] = row;
    if (row.length === 1) {
      expect(() => compose(text)).toThrow(Unreadable);
    } else {
      expect(compose(text).values[0] ?? null).toEqual(row[1]);
    }
  });

  test('keys of the prototype are keys', () => {
    const [value] = compose('__proto__:\n  a: 1\nconstructor: 2\n').values as [Record<string, unknown>];
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test('duplicate keys are said, those that override a merge are not', () => {
    expect(compose('a: 1\nb: {c: 1, c: 2}\na: 3\n')).toMatchObject({
      values: [{ a: 3, b: { c: 2 } }],
      duplicates: [
        { key: 'c', offset: 15 },
        { key: 'a', offset: 21 },
      ],
    });
    expect(compose('x: &x {a: 1}\ny:\n  <<: *x\n  a: 2\n').duplicates).toEqual([]);
  });

  test.each([
    ['aliases that explode', `a0: &a0 [x, x]\n${power(40)}`, /aliases stand for more than/],
    ['aliases that nest', `a0: &a0 [x]\n${chain(1000)}`, /nest more than/],
    ['an alias of its own', 'a: &a [*a]', /contains itself/],
    ['brackets', '['.repeat(100_000), /brackets within one another/],
    ['brackets, closed', '['.repeat(500) + ']'.repeat(500), /nested more than/],
    ['entries in one line', '- '.repeat(100_000), /nested more than/],
  ])('%s end in words', (_, text, message) => {
    expect(() => compose(text)).toThrow(Unreadable);
    expect(() => compose(text)).toThrow(message);
  });
});

function power(count: number): string {
  return Array.from({ length: count }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`).join('');
}

function chain(count: number): string {
  return Array.from({ length: count }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}]\n`).join('');
}

describe('documents', () => {
  const split = (text: string): string[] =>
    [...documentsOf(text)].map(({ text: part }) => part).filter((p) => p.trim() !== '');

  test.each([
    ['a: 1\n---\nb: 2\n', ['a: 1\n', '---\nb: 2\n']],
    ['--- # one\na: 1\n--- {b: 2}\n', ['--- # one\na: 1\n', '--- {b: 2}\n']],
    ['a: |\n  ---\n  x\n---\nb: 1', ['a: |\n  ---\n  x\n', '---\nb: 1']],
    ['a: 1\n...\n# c\nb: 2\n', ['a: 1\n', '# c\nb: 2\n']],
    ['%YAML 1.1\n---\na: 1\n...\n%YAML 1.1\n---\nb: 1\n', ['%YAML 1.1\n---\na: 1\n', '%YAML 1.1\n---\nb: 1\n']],
    ['a: ---\nb: "---"\n----\n', ['a: ---\nb: "---"\n----\n']],
    ['a: 1\r\n---\r\nb: 2\r\n', ['a: 1\r\n', '---\r\nb: 2\r\n']],
  ])('%j', (text, parts) => {
    expect(split(text)).toEqual(parts);
  });

  test('values of a stream of JSON', () => {
    const text = '{"a":"}{"} {"b":[{}]}\n\n{"c":1}';
    expect(jsonValuesOf(text)).toEqual([
      { start: 0, text: '{"a":"}{"}' },
      { start: 11, text: '{"b":[{}]}' },
      { start: 23, text: '{"c":1}' },
    ]);
    expect(jsonValuesOf('{"a":1}')).toBeUndefined();
    expect(jsonValuesOf('{"a":1} x')).toBeUndefined();
  });
});

describe('places', () => {
  const TEXT = `apiVersion: v1
metadata:
  name: x
  annotations:
    alb.ingress.kubernetes.io/scheme: internal
    "it's": 1
spec:
  template: &t
    containers:
    - name: a
      args: [one, "two"]
    -   name: b
        env:
        - name: X
  copy: *t
  merged:
    <<: *t
  flow: {a: [1, {b: 2}]}
  empty:
`;

  test.each([
    ['', 1, 1],
    ['metadata.name', 3, 3],
    ["metadata.annotations['alb.ingress.kubernetes.io/scheme']", 5, 5],
    ['metadata.annotations["alb.ingress.kubernetes.io/scheme"]', 5, 5],
    ['metadata.annotations.alb.ingress.kubernetes.io/scheme', 5, 5],
    ["metadata.annotations['it\\'s']", 6, 5],
    ['spec.template.containers[0]', 10, 7],
    ['spec.template.containers[0].args[1]', 11, 19],
    ['spec.template.containers[1].env[X]', 14, 11],
    ['spec.template.containers[1].env[Y]', 13, 9],
    ['spec.template.containers[7].name', 9, 5],
    ['spec.template.nothing.here[0]', 8, 3],
    ['spec.copy.containers[1].name', 12, 9],
    ['spec.merged.containers[0].name', 10, 7],
    ['spec.flow.a[1].b', 18, 18],
    ['spec.empty', 19, 3],
    ['spec.empty.more', 19, 3],
    ['spec[', 7, 1],
    ['nothing', 1, 1],
  ])('%s', (path, line, column) => {
    expect(new Lines(TEXT).placeOf(locate(treeOf(TEXT)!, stepsOf(path)))).toEqual({ line, column });
  });
});
