import { describe, expect, test } from 'vitest';
import { parseCpuMillis, parseMemory } from '../../src/bootstrap/kubernetes/quantity';
import type { KubernetesNode } from '../../src/bootstrap/kubernetes/nodes';
import { judgeNodes } from '../../src/bootstrap/verify';
import { readClusterFile } from '../../src/bootstrap/file/cluster-file';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const file = readClusterFile(readFileSync(join(__dirname, '../../examples/eks-cluster/cluster.yaml'), 'utf8'));

function node(name: string, other: Partial<KubernetesNode> = {}): KubernetesNode {
  return {
    name,
    isReady: true,
    zone: 'us-east-1a',
    cpuMillis: 7910,
    memory: parseMemory('31296000Ki'),
    pods: 58,
    ...other,
  };
}
const judged = (...nodes: KubernetesNode[]): string[] =>
  judgeNodes(file, nodes).map(({ result, about, message }) => `${result} ${about}: ${message}`);

describe('nodes', () => {
  test('as the planner counts on them', () => {
    expect(judged(node('a'), node('b'))).toEqual([
      'good nodes: 2 of 2 ready',
      'good zones: nodes in us-east-1a',
      'good allocatable: each node has 7910m CPU, 29258 MiB, 58 pods or more, as `cdk8s-vllm plan` counts',
    ]);
  });
  test('that are not ready, elsewhere, or too small', () => {
    expect(judged(node('a', { zone: 'us-east-1b' }), node('b', { isReady: false, cpuMillis: 5910 }))).toEqual([
      'bad nodes: 1 of 2 ready; not: b',
      'bad zones: nodes in us-east-1b, us-east-1a; the file says us-east-1a',
      'bad allocatable: b has 5910m CPU, 30562 MiB, 58 pods; `cdk8s-vllm plan` counts on 7910m CPU, 29258 MiB, 58 pods',
    ]);
  });
  test('that are not there', () => {
    expect(judged()).toEqual(['bad nodes: 0 of 2 ready', 'unknown allocatable: there is no node to look at']);
  });
});

test.each([
  ['7910m', 7910],
  ['8', 8000],
  ['0.5', 500],
  ['x', 0],
])('CPU %s', (text, millis) => expect(parseCpuMillis(text)).toBe(millis));

test.each([
  ['1Ki', 1024],
  ['1k', 1000],
  ['2Gi', 2 ** 31],
  ['5', 5],
  ['1Pi', 0],
])('memory %s', (text, bytes) => expect(parseMemory(text)).toBe(bytes));
