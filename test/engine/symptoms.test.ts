import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { diagnose } from '../../src/engine/diagnose';
import { SYMPTOMS } from '../../src/engine/symptoms';
import { ORDINARY_LINES, SYMPTOM_LINES } from './symptom-lines';

const idsOf = (text: string, context = {}) => diagnose(text.split('\n'), context).map(({ symptom }) => symptom.id);

/** Lines that rightly show two things. */
const BOTH: Readonly<Record<string, string>> = {
  // The reason and its general form stand in one event.
  'image-of-other-architecture': 'image-missing',
};

describe('the table of symptoms', () => {
  test('has an id for each, once, and a line of each', () => {
    expect(new Set(SYMPTOMS.map(({ id }) => id)).size).toBe(SYMPTOMS.length);
    expect(Object.keys(SYMPTOM_LINES).sort()).toEqual(SYMPTOMS.map(({ id }) => id).sort());
    expect(SYMPTOMS.length).toBeGreaterThan(60);
  });

  test.each(SYMPTOMS.map((symptom) => [symptom.id, symptom] as const))('%s is written out', (id, symptom) => {
    expect(id).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
    for (const text of [symptom.cause, symptom.remedy]) {
      expect(text).toMatch(/\.$/);
    }
    expect(symptom.look.for).not.toMatch(/\.$/);
    expect(symptom.source).not.toBe('');
    expect(symptom.pattern.flags).toMatch(/^i?$/);
  });

  test.each(Object.entries(SYMPTOM_LINES).flatMap(([id, lines]) => [lines].flat().map((line) => [id, line] as const)))(
    '%s is seen in: %s',
    (id, line) => {
      const found = idsOf(line);
      expect(found).toContain(id);
      expect(found.filter((other) => other !== id && other !== BOTH[id])).toEqual([]);
    },
  );

  test.each(ORDINARY_LINES)('nothing is seen in: %s', (line) => {
    expect(idsOf(line)).toEqual([]);
  });

  test('no pattern takes long, whatever stands in a line', () => {
    const parts = Object.values(SYMPTOM_LINES)
      .flat()
      .map((line) => line.slice(0, Math.floor(line.length / 2)));
    const hostile = [...parts, '0/', '1', ' ', 'a', '(', '"', "'", 'exit code', 'nodes are available: '].map((part) =>
      part.repeat(Math.ceil(20_000 / part.length)),
    );
    for (const line of hostile) {
      const start = performance.now();
      diagnose([line]);
      expect(performance.now() - start, line.slice(0, 80)).toBeLessThan(500);
    }
  });

  test('patterns have no repetition without a bound', () => {
    for (const { id, pattern } of SYMPTOMS) {
      expect(pattern.source, id).not.toMatch(/(?<!\\)[*+]|\{\d+,\}/);
    }
  });
});

describe('diagnose', () => {
  const leader = [
    ...ORDINARY_LINES.slice(0, 5),
    SYMPTOM_LINES['engine-fatal-error'],
    ...SYMPTOM_LINES['request-missing-from-output']!,
    SYMPTOM_LINES['engine-dead'],
    SYMPTOM_LINES['engine-dead'],
  ] as string[];

  test("the leader's KeyError points to the workers, and the engine's end comes last", () => {
    const found = diagnose(leader, { rank: 0, version: '0.31.0' });
    expect(found.map(({ symptom }) => symptom.id)).toEqual([
      'request-missing-from-output',
      'engine-fatal-error',
      'engine-dead',
    ]);
    expect(found[0]).toMatchObject({ line: 7, count: 2, lookElsewhere: true, symptom: { look: { rank: 'workers' } } });
    expect(found[2]!.count).toBe(2);
  });

  test("the worker's assertion comes before all that follows from it, wherever it stands", () => {
    const lines = [...leader, SYMPTOM_LINES['worker-exception'], SYMPTOM_LINES['pipeline-buffer-missing']] as string[];
    const [first] = diagnose(lines);
    expect(first).toMatchObject({ symptom: { id: 'pipeline-buffer-missing', role: 'cause' }, line: lines.length });
    expect(first!.text).toBe(lines.at(-1));
    expect(diagnose(lines, { rank: 1 })[0]!.lookElsewhere).toBe(false);
  });

  test('symptoms of other releases are left out', () => {
    const line = SYMPTOM_LINES['nobind-unsupported'] as string;
    expect(idsOf(line, { version: '0.20.2' })).toEqual(['nobind-unsupported']);
    expect(idsOf(line, { version: '0.21.0' })).toEqual([]);
    expect(idsOf(line, { version: 'v0.20.0.post1' })).toEqual(['nobind-unsupported']);
  });

  test('lines may come from a generator, and long ones are cut', () => {
    function* lines() {
      yield 'x'.repeat(100_000) + (SYMPTOM_LINES['engine-dead'] as string);
      yield `${SYMPTOM_LINES['disk-full'] as string}${' x'.repeat(50_000)}`;
    }
    const found = diagnose(lines());
    expect(found).toMatchObject([{ symptom: { id: 'disk-full' }, line: 2 }]);
    expect(found[0]!.text).toHaveLength(300);
  });

  test('every prop that a remedy names is a prop', () => {
    const props = ['vllm-engine-props', 'vllm-group', 'alb-ingress-props']
      .map((file) => readFileSync(join(__dirname, `../../src/constructs/${file}.ts`), 'utf8'))
      .join('\n');
    const words = SYMPTOMS.flatMap(({ remedy }) => remedy.match(/(?<![\w.-])[a-z]+[A-Z]\w+/g) ?? []);
    const known = /^(enableServiceLinks|hostNetwork|dnsPolicy|restartPolicy|terminationGracePeriodSeconds|vLLM)$/;
    expect([...new Set(words)].filter((word) => !known.test(word) && !props.includes(`readonly ${word}`))).toEqual([]);
  });
});
