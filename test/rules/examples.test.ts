import { describe, expect, test } from 'vitest';
import { RULES, runRules } from '../../src/rules/index';
import { objectsOf } from './manifests';

describe.each(RULES.map((rule) => [rule.id, rule] as const))('%s', (id, rule) => {
  test('finds its bad example, and no other rule does', () => {
    const found = runRules(objectsOf(rule.bad), rule.badTarget).filter(({ severity }) => severity !== 'note');
    expect(found.length + Number(rule.severity === 'note')).toBeGreaterThan(0);
    expect([...new Set(found.map((finding) => finding.id))]).toEqual(rule.severity === 'note' ? [] : [id]);
    const own = runRules(objectsOf(rule.bad), rule.badTarget).filter((finding) => finding.id === id);
    expect(own.length).toBeGreaterThan(0);
    for (const { what, why, fix, source, path, severity } of own) {
      expect([what, why, fix, source, path].every((text) => text.length > 0)).toBe(true);
      expect(severity).toBe(rule.severity);
    }
  });

  test('is content with its good example, and so is every other rule', () => {
    const found = runRules(objectsOf(rule.good)).filter(({ severity }) => severity !== 'note');
    expect(found.map((finding) => `${finding.id} ${finding.path} ${finding.what}`)).toEqual([]);
  });

  test('does not depend on the order of the objects', () => {
    const keys = (objects: ReturnType<typeof objectsOf>): string[] =>
      runRules(objects, rule.badTarget)
        .map((finding) => `${finding.id} ${finding.object.kind}/${finding.object.metadata.name} ${finding.path}`)
        .sort();
    const objects = objectsOf(rule.bad);
    expect(keys([...objects].reverse())).toEqual(keys(objects));
  });
});

test('ids are unique, sorted within their group, and named group/name', () => {
  const ids = RULES.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => /^[a-z0-9]+\/[a-z0-9-]+$/.test(id))).toBe(true);
});
