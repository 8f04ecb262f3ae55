import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ALB_ANNOTATIONS, boundsOf, knownSuffix } from '../../src/balancer/annotations';
import { ACTION } from '../../src/balancer/config';
import { decode, go } from '../../src/balancer/go-decode';
import { parseGoJson } from '../../src/balancer/go-json';
import { goQuote, isCidr, parseGoBool, parseGoInt, parseList, parseStringMap } from '../../src/balancer/grammar';
import { stringMap } from '../../src/constructs/alb-annotations';
import { annotations, ingress, planOf, service } from './objects';

function errorOf(step: () => unknown): string {
  try {
    step();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('grammar of a list', () => {
  test.each([
    ['a,b', ['a', 'b']],
    [' a , ,b,', ['a', 'b']],
    ['', []],
  ])("'%s'", (text, list) => {
    expect(parseList(text)).toEqual(list);
  });
});

describe('grammar of a map', () => {
  test.each([
    ['a=1,b=2', { a: '1', b: '2' }],
    [' a = 1 , b=2', { a: '1', b: '2' }],
    ['a=1=2', { a: '1=2' }],
    ['a=x\\,y,b=2', { a: 'x,y', b: '2' }],
    ['a=', { a: '' }],
    ['a=1,', { a: '1,' }],
    ['a=1,a=2', { a: '2' }],
    ['', {}],
    ['a', undefined],
    ['=1', undefined],
    ['a=1,b', undefined],
    [',a=1', undefined],
  ])("'%s'", (text, map) => {
    const parsed = parseStringMap(text);
    expect(parsed && Object.fromEntries(parsed)).toEqual(map);
  });

  test('reads back what the constructs write', () => {
    const key = fc.stringMatching(/^[a-z._-]{1,6}$/);
    const value = fc.stringMatching(/^[a-z0-9=,:/+@._-]{0,8}$/);
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(key, value), { minLength: 1, maxLength: 4, selector: ([k]) => k }), (entries) => {
        expect([...parseStringMap(stringMap(entries))!]).toEqual(entries);
      }),
    ); // prettier-ignore
  });
});

describe('grammar of a number', () => {
  test.each([
    ['15', 15],
    ['+15', 15],
    ['-0015', -15],
    ['2147483647', 2_147_483_647],
  ])('%s', (text, value) => {
    expect(parseGoInt(text, 32)).toBe(value);
  });

  test.each([
    ['', 'strconv.ParseInt: parsing "": invalid syntax'],
    ['1.5', 'strconv.ParseInt: parsing "1.5": invalid syntax'],
    [' 1', 'strconv.ParseInt: parsing " 1": invalid syntax'],
    ['0x10', 'strconv.ParseInt: parsing "0x10": invalid syntax'],
    ['1_000', 'strconv.ParseInt: parsing "1_000": invalid syntax'],
    ['"5"\n', 'strconv.ParseInt: parsing "\\"5\\"\\n": invalid syntax'],
    ['2147483648', 'strconv.ParseInt: parsing "2147483648": value out of range'],
  ])("'%s' is none", (text, message) => {
    expect(errorOf(() => parseGoInt(text, 32))).toBe(message);
  });

  test('quotes are those of Go', () => {
    expect(goQuote('a"b\\c\t\x00\x7fä')).toBe('"a\\"b\\\\c\\t\\x00\\x7fä"');
  });
});

describe('grammar of a truth value', () => {
  test.each(['1', 't', 'T', 'TRUE', 'true', 'True'])('%s', (text) => expect(parseGoBool(text)).toBe(true));
  test.each(['0', 'f', 'F', 'FALSE', 'false', 'False'])('%s', (text) => expect(parseGoBool(text)).toBe(false));
  test.each(['yes', 'tRUE', '', 'on'])("'%s' is none", (text) => {
    expect(errorOf(() => parseGoBool(text))).toBe(`strconv.ParseBool: parsing "${text}": invalid syntax`);
  });
});

describe('grammar of a range', () => {
  test.each(['10.0.0.0/8', '::/0', '10.1.2.3/008'])('%s', (cidr) => expect(isCidr(cidr)).toBe(true));
  test.each(['10.0.0.0', '10.0.0.0/', '1.2.3.4/33', '::/129', '01.2.3.4/8', 'a/8', '1.2.3.4/8/8', '1.2.3.4/+8'])(
    '%s is none',
    (cidr) => expect(isCidr(cidr)).toBe(false),
  );
});

describe('grammar of JSON', () => {
  /** Texts and what encoding/json of Go 1.26 said to each, the decoder of the controller; an empty text is no error. */
  const VECTORS = JSON.parse(readFileSync(join(__dirname, '..', 'fixtures', 'go-json-errors.json'), 'utf8')) as [
    kind: 'ports' | 'action',
    text: string,
    error: string,
  ][];

  test('is refused in the words of Go', () => {
    const types = { ports: go.list(go.map(go.int32)), action: ACTION };
    for (const [kind, text, error] of VECTORS) {
      expect(
        errorOf(() => decode(parseGoJson(text), types[kind])),
        text,
      ).toBe(error);
    }
    expect(VECTORS.length).toBeGreaterThan(100);
  });

  test('what JavaScript reads is read alike, and what it refuses is refused', () => {
    const plain = (node: ReturnType<typeof parseGoJson>): unknown => {
      switch (node.kind) {
        case 'object':
          return Object.fromEntries(node.entries.map(([key, value]) => [key, plain(value)]));
        case 'array':
          return node.items.map(plain);
        case 'string':
          return node.text;
        case 'number':
          return Number(node.literal);
        case 'bool':
          return node.value;
        default:
          return null;
      }
    };
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(plain(parseGoJson(text))).toEqual(JSON.parse(text));
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'[]{}:,"\\u01ae+-. tfnl') }), (text) => {
        expect(errorOf(() => parseGoJson(text)) === '').toBe(errorOf(() => JSON.parse(text)) === '');
      }),
    );
  });

  test('deep nesting is refused, not followed', () => {
    expect(errorOf(() => parseGoJson('['.repeat(1_000_000)))).toBe("invalid character '[' exceeded max depth");
  });
});

describe('annotations that nobody reads', () => {
  test.each([
    ['healthcheck-pth', 'alb.ingress.kubernetes.io/healthcheck-path'],
    ['Scheme', 'alb.ingress.kubernetes.io/scheme'],
    ['listen-port', 'alb.ingress.kubernetes.io/listen-ports'],
    ['group-name', 'alb.ingress.kubernetes.io/group.name'],
    ['action.vllm-leader', 'alb.ingress.kubernetes.io/actions.vllm-leader'],
    ['zzzzzzzzzzzzzz', undefined],
  ])('%s is unknown', (suffix, nearest) => {
    expect(planOf(ingress({ [suffix]: 'x' })).ignored).toEqual([
      { object: 'Ingress ing/web', annotation: `alb.ingress.kubernetes.io/${suffix}`, why: 'unknown', ...(nearest && { nearest }) }, // prettier-ignore
    ]);
  });

  test('on a Service, what only an Ingress says', () => {
    const plan = planOf(
      ingress({}, [['Prefix', '/', 'own', 80]]),
      service('own', 80, { scheme: 'internal', 'healthcheck-path': '/x', 'success-code': '200' }),
      service('other', 80, { scheme: 'internal' }),
    );
    expect(plan.ignored.map(({ object, annotation, why }) => [object, annotation, why])).toEqual([
      ['Service ing/own', 'alb.ingress.kubernetes.io/scheme', 'misplaced'],
      ['Service ing/own', 'alb.ingress.kubernetes.io/success-code', 'unknown'],
    ]);
  });

  test('about a backend that is not there', () => {
    const plan = planOf(
      ingress({ 'actions.vllm-leader': '{', 'conditions.nobody': '[]', 'conditions.vllm-leader': '[]' }),
    );
    expect(plan.ignored.map(({ annotation, why }) => [annotation.split('/')[1], why])).toEqual([
      ['actions.vllm-leader', 'unused'],
      ['conditions.nobody', 'unused'],
    ]);
  });

  test('are none of another prefix', () => {
    const metadata = { annotations: { ...annotations({ scheme: 'internal' }), 'nginx.ingress.kubernetes.io/x': 'y' } };
    expect(planOf(ingress({}, undefined, { metadata })).ignored).toEqual([]);
  });
});

describe('the table', () => {
  test('knows names with an ending, and their stems alone do not count', () => {
    expect(knownSuffix('actions.a.b')).toEqual({ suffix: 'actions', name: 'a.b' });
    expect(knownSuffix('listener-attributes.HTTPS-443')).toEqual({ suffix: 'listener-attributes', name: 'HTTPS-443' });
    for (const suffix of ['actions', 'actions.', 'scheme.x', '', 'constructor', 'toString.x']) {
      expect(knownSuffix(suffix), suffix).toBeUndefined();
    }
  });

  test('a default is of the grammar', () => {
    for (const [suffix, annotation] of Object.entries(ALB_ANNOTATIONS)) {
      const { fallback, grammar } = annotation as { fallback?: string; grammar: { is: string; words?: string[] } };
      if (fallback !== undefined && grammar.is === 'int') {
        const { min, max } = boundsOf(suffix as keyof typeof ALB_ANNOTATIONS);
        expect(Number(fallback)).toBeGreaterThanOrEqual(min);
        expect(Number(fallback)).toBeLessThanOrEqual(max);
      } else if (fallback !== undefined && grammar.is === 'word') {
        expect(grammar.words).toContain(fallback);
      } else if (fallback !== undefined && grammar.is === 'bool') {
        expect(parseGoBool(fallback)).toBe(false);
      }
    }
  });
});
