import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runRules } from '../../src/rules/index';
import { nameOf } from '../../src/rules/finding';
import { objectsOf } from './manifests';

const FOLDER = 'test/fixtures/cases';

interface Case {
  readonly file: string;
  readonly severity: string;
  readonly rule: string;
  readonly objects: readonly string[];
  readonly paths: readonly string[];
  readonly alsoOk: readonly string[];
}

const [header, ...lines] = readFileSync(`${FOLDER}/INDEX.tsv`, 'utf8').trimEnd().split('\n');
const names = header!.split('\t');
const list = (text = ''): string[] => text.split('|').filter((part) => part !== '');
const CASES = lines.map((line): Case => {
  const cells = line.split('\t');
  const cell = (name: string): string => cells[names.indexOf(name)] ?? '';
  return {
    file: cell('file'),
    severity: cell('severity'),
    rule: cell('rule'),
    objects: list(cell('object')),
    paths: list(cell('path')),
    alsoOk: list(cell('also_ok')),
  };
});

test('every manifest is in the index', () => {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.yaml'));
  expect(CASES.map(({ file }) => file).sort()).toEqual(files.sort());
});

describe.each(CASES.map((one) => [one.file, one] as const))('%s', (file, expected) => {
  const found = runRules(objectsOf(readFileSync(`${FOLDER}/${file}`, 'utf8'))).filter(
    ({ severity }) => severity !== 'note',
  );

  test('nothing else is found', () => {
    const allowed = new Set([expected.rule, ...expected.alsoOk]);
    expect(found.filter(({ id }) => !allowed.has(id)).map(({ id, path, what }) => `${id} ${path}: ${what}`)).toEqual(
      [],
    );
    const tooStrong = found.filter(({ id, severity }) => expected.alsoOk.includes(id) && severity === 'error');
    expect(tooStrong.map(({ id, what }) => `${id}: ${what}`)).toEqual([]);
  });

  test.skipIf(expected.rule === '')('its fault is found, on the right object and path', () => {
    const own = found.filter(({ id }) => id === expected.rule);
    expect(own.length).toBeGreaterThan(0);
    for (const finding of own) {
      expect(finding.severity).toBe(expected.severity);
      expect(expected.objects).toContain(nameOf(finding.object));
      expect(expected.paths.filter((path) => finding.path.startsWith(path))).not.toEqual([]);
    }
  });
});
