import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type KubernetesObject,
  podsMatching,
  podsSelectedBy,
  readDisruptionBudget,
  readGroups,
  readIngress,
  readMonitor,
  readService,
  readVolumeClaim,
  scaleTargetOf,
  sharedMemory,
} from '../../src/manifest';
import { deployment, lws, objectsIn } from './read';

const DIRECTORY = 'test/fixtures/cases';
const objects = readdirSync(DIRECTORY)
  .filter((name) => name.endsWith('.yaml'))
  .flatMap((name) => objectsIn(`${DIRECTORY}/${name}`));

/** Reads all there is to read; the time that it took. */
function readAll(all: readonly KubernetesObject[]): number {
  const start = performance.now();
  const { groups, workloads, unread } = readGroups(all);
  for (const { path, what, why } of unread) {
    expect([typeof path, typeof what, typeof why]).toEqual(['string', 'string', 'string']);
  }
  for (const { pods } of groups) {
    for (const pod of pods) {
      for (const engine of pod.engines) {
        sharedMemory(engine, pod);
        engine.command.flag('-cc.mode');
        engine.variable('constructor');
      }
    }
  }
  for (const object of all.filter((each) => typeof each?.metadata?.name === 'string')) {
    podsSelectedBy(readService(object), workloads);
    podsMatching(readDisruptionBudget(object).selector, undefined, workloads);
    [readIngress, readMonitor, readVolumeClaim, scaleTargetOf].forEach((read) => read(object));
  }
  return performance.now() - start;
}

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e300,
    '',
    'x',
    '$(X)',
    '$',
    '--',
    '-',
    [],
    {},
    [null],
    [[]],
    '{"a":',
    '\uE0000\uE001',
  ),
  fc.constantFrom<unknown>(
    JSON.parse('{"__proto__": {"a": 1}, "constructor": "x", "toString": null}'),
    Array.from({ length: 1000 }, () => '--port'),
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Puts something odd somewhere into a copy of an object. */
function mutated(object: unknown, way: readonly number[], value: unknown): unknown {
  const [step, ...rest] = way;
  if (step === undefined || typeof object !== 'object' || object === null) {
    return value;
  }
  const keys = Object.keys(object);
  const key = keys[step % Math.max(1, keys.length)];
  if (key === undefined) {
    return value;
  }
  const next = mutated((object as Record<string, unknown>)[key], rest, value);
  return Array.isArray(object)
    ? object.map((each: unknown, i) => (String(i) === key ? next : each))
    : { ...object, [key]: next };
}

describe('whatever stands in an object', () => {
  test('it is read, or said not to be', () => {
    fc.assert(
      fc.property(
        fc.nat(objects.length - 1),
        fc.array(fc.nat(11), { minLength: 1, maxLength: 10 }),
        odd,
        (at, way, value) => {
          readAll([mutated(objects[at], way, value) as KubernetesObject]);
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('in the place of all objects', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(odd, fc.jsonValue())), (all) => {
        readAll(all as KubernetesObject[]);
      }),
    );
  });

  test('in any field of a container', () => {
    const fields = ['command', 'args', 'env', 'envFrom', 'image', 'ports', 'resources', 'startupProbe', 'volumeMounts'];
    fc.assert(
      fc.property(
        fc.constantFrom(...fields),
        fc.oneof(odd, fc.array(odd, { maxLength: 4 })),
        odd,
        (field, value, pod) => {
          readAll([deployment({ args: ['M'], [field]: value }, { volumes: pod, nodeSelector: pod })]);
          readAll([lws({ args: ['M'], [field]: value }, pod)]);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('shell lines', () => {
  const fragment = fc.constantFrom(
    ...[
      'vllm',
      ' serve',
      ' ',
      '\n',
      ';',
      '&&',
      '||',
      '|',
      '&',
      '(',
      ')',
      '{',
      '}',
      '$',
      '"',
      "'",
      '`',
      '\\',
      '#',
      '=',
      '<<E',
      '>',
      '2>&1',
    ],
    ...[
      'if ',
      ' then ',
      ' else ',
      ' fi',
      'for i in a',
      ' do ',
      ' done',
      'case x in',
      ' esac',
      'f() ',
      '$((',
      '))',
      '$(',
      '${X',
      ':-',
      '}',
      '[ ',
      ' ]',
      'exec ',
      'X=',
      '$X',
      '"$@"',
      ' -tp 2',
      '!',
      'while true',
      '\uE000',
      '0',
      '[[',
    ],
  );
  test('of any kind end in a command or a reason', () => {
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 30 }), (fragments) => {
        const script = fragments.join('');
        readAll([lws({ command: ['sh', '-c', script, 'sh', 'a', '$(LWS_WORKER_INDEX)'] }, 3)]);
      }),
      { numRuns: 3000 },
    );
  });
});

test('the order of objects does not matter', () => {
  const summary = (all: readonly KubernetesObject[]) =>
    readGroups(all)
      .groups.map(
        ({ name, kind, leader }) =>
          `${kind}/${name} ${leader.engine?.command.flags.map((use) => use.name + use.text.toString()).join(' ')}`,
      )
      .sort();
  const expected = summary(objects);
  fc.assert(
    fc.property(fc.shuffledSubarray(objects, { minLength: objects.length }), (shuffled) => {
      expect(summary(shuffled)).toEqual(expected);
    }),
    { numRuns: 5 },
  );
});

describe('time grows no faster than size', () => {
  const repeat = (text: string, count: number) => text.repeat(count);
  const many = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
  const script = (text: string) => [lws({ command: ['sh', '-c', text] }, 3)];

  test.each<[string, (n: number) => KubernetesObject[]]>([
    ['arguments', (n) => [deployment({ args: many(n, (i) => `--max-num-seq=${i}`) })]],
    ['keys of JSON', (n) => [deployment({ args: many(n, (i) => `-cc.k${i}=1`) })]],
    ['unknown flags', (n) => [deployment({ args: many(n, (i) => `--nope${i}`) })]],
    ['variables', (n) => [deployment({ env: many(n, (i) => ({ name: `V${i}`, value: `$(V${i - 1})x` })) })]],
    ['open references', (n) => [deployment({ args: [repeat('$(', n)] })]],
    ['references', (n) => [deployment({ args: [repeat('$(X)', n)], env: [{ name: 'X', value: 'y' }] })]],
    ['dots', (n) => [deployment({ args: [`-cc${repeat('.a', n)}=1`] })]],
    ['nesting of JSON', (n) => [deployment({ args: [`-cc=${repeat('[', n)}${repeat(']', n)}`] })]],
    ['statements', (n) => script(repeat('echo a;\n', n))],
    ['programs', (n) => script(repeat('run a\n', n))],
    ['conditions', (n) => script(repeat('if [ -f x ]; then A=1; fi\n', n))],
    ['nested conditions', (n) => script(repeat('if [ -f x ]; then ', n) + repeat('; fi', n))],
    ['alternatives', (n) => script(`vllm serve M ${repeat('|| vllm serve M ', n)}`)],
    ['open quotes', (n) => script(repeat('"$(', n))],
    ['open arithmetic', (n) => script(repeat('$((', n))],
    ['closed arithmetic', (n) => script(`${repeat('$((', n)}1${repeat(') )', n)}`)],
    ['expansions', (n) => script(`A=x; vllm serve ${repeat('$A', n)}`)],
    ['doubling', (n) => script(`A=xx\n${repeat('A=$A$A\n', n)}vllm serve $A`)],
    ['parameters', (n) => [lws({ command: ['sh', '-c', repeat('vllm serve "$@";', n / 100), ...many(n, String)] }, 3)]],
    ['functions', (n) => script(`f() { g; g; }; g() { h; h; }; h() { run a; }\n${repeat('f\n', n)}`)],
    ['comments about vllm', (n) => script(`${repeat('vllm ', n)}"`)],
    ['image', (n) => [deployment({ image: repeat('vllm/vllm-a/', n) })]],
    [
      'services',
      (n) =>
        many(n, (i) => ({
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: `s${i}`, namespace: 'n' },
          spec: { selector: { app: `a${i}` }, ports: [{ port: 1 }] },
        })),
    ],
    [
      'groups',
      (n) =>
        many(n / 10, (i) => ({
          ...lws({ args: ['M', '--port', '$(NONE)'] }),
          metadata: { name: `g${i}`, namespace: 'n' },
        })),
    ],
  ])('%s', (_, make) => {
    readAll(make(100));
    expect(readAll(make(5000))).toBeLessThan(3000);
  });
});
