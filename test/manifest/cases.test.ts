import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readGroups } from '../../src/manifest';
import { DECIDERS } from './deciders';
import { objectsIn } from './read';

const DIRECTORY = 'test/fixtures/cases';

interface Case {
  readonly file: string;
  readonly rule: string;
  readonly object: string;
  readonly path: string;
  readonly also: readonly string[];
}

const cases: Case[] = readFileSync(`${DIRECTORY}/INDEX.tsv`, 'utf8')
  .replace(/\n$/, '')
  .split('\n')
  .slice(1)
  .map((line) => {
    const [file, , , , , rule, object, path, also] = line.split('\t') as [string, ...string[]];
    return { file, rule: rule!, object: object!, path: path!, also: also ? also.split('|') : [] };
  });

/** What each decider sees in a file, as `rule Kind/name path`. */
function seen(file: string) {
  const objects = objectsIn(`${DIRECTORY}/${file}`);
  const reading = readGroups(objects);
  return Object.entries(DECIDERS).flatMap(([rule, decide]) =>
    decide(reading, objects).map(({ object, path }) => ({
      rule,
      object: `${object.kind}/${object.metadata.name}`,
      path,
    })),
  );
}

test('every file is in the index, and every kind of fault has a decider', () => {
  const files = readdirSync(DIRECTORY).filter((name) => name.endsWith('.yaml'));
  expect(files.sort()).toEqual(cases.map(({ file }) => file).sort());
  const rules = new Set(cases.map(({ rule }) => rule).filter((rule) => rule !== ''));
  expect([...rules].filter((rule) => !Object.hasOwn(DECIDERS, rule))).toEqual([]);
});

describe('from what is read, the fault can be told in', () => {
  test.each(cases.filter(({ rule }) => rule !== ''))('$file: $rule', ({ file, rule, object, path, also }) => {
    const found = seen(file);
    const places = path.split('|');
    const hits = found.filter((each) => each.rule === rule);
    expect(hits).not.toEqual([]);
    for (const hit of hits) {
      expect(object.split('|')).toContain(hit.object);
      expect(
        places.some((place) => hit.path.startsWith(place)),
        hit.path,
      ).toBe(true);
    }
    expect(found.filter((each) => each.rule !== rule && !also.includes(each.rule))).toEqual([]);
  });
});

describe('nothing is seen in', () => {
  test.each(cases.filter(({ rule }) => rule === ''))('$file', ({ file }) => {
    expect(seen(file)).toEqual([]);
  });
});

test('all of the files are read, with nothing left out', () => {
  for (const { file } of cases) {
    const { groups, unread } = readGroups(objectsIn(`${DIRECTORY}/${file}`));
    expect(unread, file).toEqual([]);
    expect(groups, file).toHaveLength(1);
    for (const { engine, role } of groups[0]!.pods) {
      expect(engine?.command.unknownFlags, file).toEqual([]);
      expect(engine?.settings?.model.isGiven ?? role === 'worker', file).toBe(true);
    }
  }
});
