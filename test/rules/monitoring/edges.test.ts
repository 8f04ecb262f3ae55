import { describe, expect, test } from 'vitest';
import { CPU_GROUP, CPU_POD, edit, POD_MONITOR, POD_SERVICE, together } from '../../../src/rules/examples';
import { foundBy } from '../found';

const found = (...parts: string[]): string[] =>
  foundBy('monitoring', together(...parts)).map((line) => line.split(' ', 2).join(' ').replace('monitoring/', ''));
const endpoints = (list: string): string => edit(POD_MONITOR, ['[{ port: http, path: /metrics }]', `[${list}]`]);
const selects = (selector: string): string =>
  edit(POD_MONITOR, ['{ matchLabels: { app: chat, role: leader } }', selector]);

describe('a PodMonitor', () => {
  test.each([
    ['a port by number', endpoints('{ portNumber: 8000 }'), []],
    ['a number that is not declared', endpoints('{ portNumber: 9090 }'), ['error undeclared-port']],
    ['the old way', endpoints('{ targetPort: metrics }'), ['error undeclared-port']],
    [
      'an address of its own',
      endpoints('{ port: x, relabelings: [{ targetLabel: __address__, replacement: a }] }'),
      [],
    ],
    ['the second endpoint', endpoints('{ port: http }, { port: metrics }'), ['error undeclared-port']],
    ['a value that there is not', selects('{ matchLabels: { role: leder } }'), ['error selector-matches-nothing']],
    ['pods that are elsewhere', selects('{ matchLabels: { job: dcgm } }'), ['note selector-matches-nothing']],
    [
      'all namespaces',
      edit(selects('{ matchLabels: { role: leder } }'), ['spec:\n', 'spec:\n  namespaceSelector: { any: true }\n']),
      [],
    ],
    ['every pod', selects('{}'), []],
    ['a port of others, of every pod', edit(selects('{}'), ['{ port: http', '{ port: metrics']), []],
  ])('%s', (_, monitor, expected) => {
    expect(found(CPU_GROUP, monitor)).toEqual(expected);
  });
});

describe('a ServiceMonitor', () => {
  const monitor = (labels: string, endpoint: string): string =>
    `apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: { name: small, namespace: serving }\nspec: { selector: { matchLabels: { ${labels} } }, endpoints: [${endpoint}] }\n`;
  const service = edit(POD_SERVICE, ['namespace: serving }', 'namespace: serving, labels: { team: chat } }']);
  test.each([
    ['the name of a port', monitor('team: chat', '{ port: http }'), []],
    ['another name', monitor('team: chat', '{ port: metrics }'), ['error undeclared-port']],
    ['a port of the pods', monitor('team: chat', '{ targetPort: http }'), []],
    ['one that they do not declare', monitor('team: chat', '{ targetPort: metrics }'), ['error undeclared-port']],
    ['the labels of the pods', monitor('app: small', '{ port: http }'), ['error selector-matches-nothing']],
    ['something else', monitor('app: other', '{ port: http }'), []],
  ])('%s', (_, yaml, expected) => {
    expect(found(CPU_POD, service, yaml)).toEqual(expected);
  });
});

test.each([
  ['interval: 1m, scrapeTimeout: 30s', 0],
  ['interval: 1m, scrapeTimeout: 1m1s', 1],
  ['interval: 500ms, scrapeTimeout: 1s', 1],
  ['scrapeTimeout: 30s', 0],
  ['interval: "${I}", scrapeTimeout: 30s', 0],
])('%s', (times, count) => {
  expect(found(CPU_GROUP, endpoints(`{ port: http, ${times} }`))).toHaveLength(count);
});
