import { describe, expect, test } from 'vitest';
import {
  idleTimeoutSeconds,
  inboundCidrs,
  isOpenToEveryone,
  isPublic,
  matchesPattern,
  plainListeners,
  routesTo,
} from '../../src/balancer/effective';
import { backendOf, modelOf, type PathRow } from './objects';

describe('values', () => {
  test.each([
    [undefined, 60],
    ['idle_timeout.timeout_seconds=300', 300],
    ['idle_timeout.timeout_seconds=5m', undefined],
  ])('idle timeout of %s', (attributes, seconds) => {
    expect(idleTimeoutSeconds(modelOf(attributes ? { 'load-balancer-attributes': attributes } : {}))).toBe(seconds);
  });

  test('who can reach it', () => {
    expect([isPublic(modelOf()), isOpenToEveryone(modelOf())]).toEqual([false, true]);
    const closed = modelOf({ scheme: 'internet-facing', 'inbound-cidrs': '203.0.113.0/24' });
    expect([isPublic(closed), isOpenToEveryone(closed), inboundCidrs(closed)]).toEqual([true, false, ['203.0.113.0/24']]); // prettier-ignore
    const own = modelOf({ 'security-groups': 'sg-1' });
    expect([inboundCidrs(own), isOpenToEveryone(own)]).toEqual([undefined, false]);
  });

  test('what goes in clear text', () => {
    const ports = { 'listen-ports': '[{"HTTP":80},{"HTTPS":443}]' };
    expect(plainListeners(modelOf(ports)).map(({ port }) => port)).toEqual([80]);
    expect(plainListeners(modelOf({ ...ports, 'ssl-redirect': '443' }))).toEqual([]);
  });
});

describe('where a path ends', () => {
  const to = (path: string, paths: PathRow[], options: { suffixes?: Record<string, string>; spec?: object } = {}) =>
    routesTo(modelOf(options.suffixes, paths, { spec: options.spec }), path).map(
      ({ targetGroup, rule }) => `${targetGroup.service} ${rule ? rule.priority : 'default'}`,
    );
  const both: PathRow[] = [
    ['Prefix', '/chat', 'chat-app', 8080],
    ['Prefix', '/v1', 'vllm-leader', 8000],
  ];

  test('by the first rule that matches', () => {
    expect(to('/v1/completions', both)).toEqual(['vllm-leader 2']);
    expect(to('/chat', both)).toEqual(['chat-app 1']);
    expect(to('/chatter', both)).toEqual([]);
    expect(to('/invocations', both)).toEqual([]);
    expect(to('/CHAT', both)).toEqual([]);
    expect(to('/chat', [...both, ['Prefix', '/', 'vllm-leader', 8000]])).toEqual(['chat-app 1']);
  });

  test('by the default action otherwise', () => {
    const spec = { defaultBackend: backendOf('vllm-leader', 8000) };
    expect(to('/invocations', both, { spec })).toEqual(['vllm-leader default']);
    expect(to('/v1', both, { spec })).toEqual(['vllm-leader 2']);
  });

  test('by any of several, where more than the path decides', () => {
    const paths: PathRow[] = [['Prefix', '/', 'chat-app', 8080], ['ImplementationSpecific', '/*', 'vllm-leader', 8000]]; // prettier-ignore
    const conditions = JSON.stringify([{ field: 'http-request-method', httpRequestMethodConfig: { values: ['GET'] } }]);
    expect(to('/x', paths)).toEqual(['chat-app 1']);
    expect(to('/x', paths, { suffixes: { 'conditions.chat-app': conditions } })).toEqual(['chat-app 1', 'vllm-leader 2']); // prettier-ignore
  });

  test.each([
    ['/*', '/anything', true],
    ['/a?c', '/abc', true],
    ['/a?c', '/ac', false],
    ['*/x*y', '/a/x/b/x/y', true],
    ['/a*b', '/aXbY', false],
    ['', '', true],
    ['/a**', '/a', true],
  ])('%s and %s', (pattern, path, matches) => {
    expect(matchesPattern(pattern, path)).toBe(matches);
  });
});
