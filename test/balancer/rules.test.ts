import { describe, expect, test } from 'vitest';
import { planBalancer } from '../../src/balancer/plan';
import { buildErrorOf, ingress, modelOf, type PathRow, pathOf, rulesOf, SERVICES } from './objects';

const LEADER = ['vllm-leader', 8000] as const;
const CHAT = ['chat-app', 8080] as const;

describe('order of rules', () => {
  test('exact paths first, then prefixes by falling length, then the others, each as they are listed', () => {
    const paths: PathRow[] = [
      ['ImplementationSpecific', '/z*', ...LEADER],
      ['Prefix', '/', ...LEADER],
      [null, '/no-type', ...LEADER],
      ['Exact', '/b', ...LEADER],
      ['Prefix', '/chat', ...CHAT],
      ['Prefix', '/ab', ...LEADER],
      ['Prefix', '/cd', ...LEADER],
      ['Exact', '/a', ...LEADER],
    ];
    expect(rulesOf(modelOf({}, paths)).map(([patterns]) => patterns)).toEqual([
      '/b',
      '/a',
      '/chat /chat/*',
      '/ab /ab/*',
      '/cd /cd/*',
      '/*',
      '/z*',
      '/no-type',
    ]);
  });

  test('length is counted in bytes', () => {
    const paths: PathRow[] = [['Prefix', '/abc', ...LEADER], ['Prefix', '/ää', ...LEADER]]; // prettier-ignore
    expect(rulesOf(modelOf({}, paths))[0]![0]).toBe('/ää /ää/*');
  });

  test('hosts keep their order, whatever is more specific', () => {
    const rules = ['b.example', undefined, 'a.example'].map((host) => ({
      ...(host && { host }),
      http: { paths: [pathOf(['Prefix', '/', ...LEADER])] },
    }));
    expect(rulesOf(modelOf({}, [], { spec: { rules } })).map(([conditions]) => conditions)).toEqual([
      'b.example & /*',
      '/*',
      'a.example & /*',
    ]);
  });

  test('Ingresses of a group stand by group.order, then by name', () => {
    const member = (name: string, order?: string) =>
      ingress(
        { 'target-type': 'ip', 'group.name': 'shared', ...(order !== undefined && { 'group.order': order }) },
        [['Prefix', `/${name}`, ...LEADER]],
        { name },
      );
    const objects = [member('a', '10'), member('c'), member('b'), member('d', '-5'), ...SERVICES];
    for (const order of [objects, [...objects].reverse()]) {
      const [plan, ...others] = planBalancer(order);
      expect(others).toEqual([]);
      expect(plan).toMatchObject({ name: 'shared', isGroup: true, ingresses: ['ing/d', 'ing/b', 'ing/c', 'ing/a'] });
      expect(plan!.model!.listeners[0]!.rules.map(({ priority, ingress: from }) => [priority, from])).toEqual([
        [1, 'ing/d'],
        [2, 'ing/b'],
        [3, 'ing/c'],
        [4, 'ing/a'],
      ]);
    }
  });

  test.each([
    ['abc', 'failed to load Ingress group order for ingress: ing/web: failed to parse int64 annotation, '],
    ['1001', 'explicit Ingress group order must be within [-1000:1000], Ingress: ing/web, order: 1001'],
  ])('a group.order of %s is in the log of the controller alone', (order, message) => {
    const [plan] = planBalancer([...SERVICES, ingress({ 'group.order': order })]);
    expect(plan!.event.reason).toBe('LogOnly');
    expect(plan!.event.message).toContain(message);
    expect(plan!.model).toBeUndefined();
  });

  test('each port has all rules, and numbers them from 1', () => {
    const model = modelOf({ 'listen-ports': '[{"HTTP":8080},{"HTTP":80}]' });
    expect(model.listeners.map(({ port, rules }) => [port, rules.map(({ priority }) => priority)])).toEqual([
      [80, [1]],
      [8080, [1]],
    ]);
  });
});

describe('patterns of a path', () => {
  test.each([
    ['Prefix', '/', '/*'],
    ['Prefix', '/chat', '/chat /chat/*'],
    ['Prefix', '/chat/', '/chat /chat/*'],
    ['Exact', '/chat/', '/chat/'],
    ['ImplementationSpecific', '/', '/'],
    ['ImplementationSpecific', '/a?b/*', '/a?b/*'],
    [null, '/x', '/x'],
    [null, '', '/*'],
  ])('%s %s', (type, path, patterns) => {
    expect(rulesOf(modelOf({}, [[type, path, ...LEADER]]))).toEqual([[patterns, 'vllm-leader:8000']]);
  });

  test.each([
    ['Prefix', '/chat*', "ingress: ing/web: prefix path shouldn't contain wildcards: /chat*"],
    ['Exact', '/a?', "ingress: ing/web: exact path shouldn't contain wildcards: /a?"],
    ['prefix', '/a', 'unknown pathType for path /a'],
  ])('%s %s is refused', (type, path, message) => {
    expect(buildErrorOf({}, [[type, path, ...LEADER]])).toBe(message);
  });

  test('regular expressions lose the slash in front', () => {
    const model = modelOf({ 'use-regex-path-match': 'true' }, [['ImplementationSpecific', '/^/v[12]/', ...LEADER]]);
    expect(model.listeners[0]!.rules[0]!.conditions).toEqual([
      { field: 'path-pattern', values: ['^/v[12]/'], isRegex: true },
    ]);
    expect(
      buildErrorOf({ 'use-regex-path-match': 'yes' }, [['ImplementationSpecific', '/a', ...LEADER]]),
    ).toContain('failed to parse bool annotation, alb.ingress.kubernetes.io/use-regex-path-match: yes: strconv.ParseBool: parsing "yes": invalid syntax'); // prettier-ignore
  });
});

describe('conditions of an annotation', () => {
  const conditionsOf = (conditions: unknown) =>
    modelOf({ 'conditions.vllm-leader': JSON.stringify(conditions) }).listeners[0]!.rules[0]!.conditions;

  test('join the host and the path, and stand before them otherwise', () => {
    expect(
      conditionsOf([
        { field: 'host-header', hostHeaderConfig: { values: ['a.example'] } },
        { Field: 'path-pattern', PathPatternConfig: { Values: ['/more'] } },
        { field: 'http-header', httpHeaderConfig: { httpHeaderName: 'X', values: ['1'] } },
        { field: 'query-string', queryStringConfig: { values: [{ key: 'k', value: 'v' }, { value: 'w' }] } },
        { field: 'http-request-method', httpRequestMethodConfig: { values: ['GET'] } },
        { field: 'source-ip', sourceIPConfig: { values: ['10.0.0.0/8'] } },
        { field: 'moon-phase' },
      ]),
    ).toEqual([
      { field: 'http-header', header: 'X', values: ['1'] },
      { field: 'query-string', values: ['k=v', 'w'] },
      { field: 'http-request-method', values: ['GET'] },
      { field: 'source-ip', values: ['10.0.0.0/8'] },
      { field: 'host-header', values: ['a.example'] },
      { field: 'path-pattern', values: ['/*', '/more'] },
    ]);
  });

  test.each([
    [[{ field: 'host-header' }], 'missing hostHeaderConfig'],
    [[{ field: 'source-ip', sourceIPConfig: {} }], 'invalid sourceIPConfig: values cannot be empty'],
    [
      [{ field: 'query-string', queryStringConfig: { values: [{ key: 'a' }] } }],
      'invalid queryStringConfig: value cannot be empty',
    ],
    [
      [{ field: 'path-pattern', pathPatternConfig: { regexValues: ['^/a'] } }],
      'path condition must specify exactly one of Values and RegexValues, got both Values [/*] and RegexValues [^/a]',
    ],
  ])('%j is refused', (conditions, message) => {
    expect(buildErrorOf({ 'conditions.vllm-leader': JSON.stringify(conditions) })).toBe(`ingress: ing/web: ${message}`);
  });
});
