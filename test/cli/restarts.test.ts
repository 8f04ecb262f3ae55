import { describe, expect, test } from 'vitest';
import { restarts } from '../../src/cli/restarts';
import type { KubernetesObject } from '../../src/rules/finding';

function lws(image: string, spec: object = {}): KubernetesObject {
  return {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    metadata: { name: 'gemma', namespace: 'vllm' },
    spec: {
      replicas: 1,
      rolloutStrategy: { rollingUpdateConfiguration: { maxSurge: 0 } },
      leaderWorkerTemplate: { size: 2, workerTemplate: { spec: { containers: [{ name: 'vllm', image }] } } },
      ...spec,
    },
  };
}

describe('what an apply restarts', () => {
  test('nothing when nothing changed', () => {
    expect(restarts([lws('vllm:1')], [lws('vllm:1')])).toEqual([]);
  });

  test('the only group, which is an outage', () => {
    expect(restarts([lws('vllm:1')], [lws('vllm:2')])).toEqual([
      'LeaderWorkerSet/gemma recreates its only group: an outage until the model is loaded again',
      '  leaderWorkerTemplate.workerTemplate.spec.containers[0].image',
    ]);
  });

  test('one group after the other when there are several', () => {
    expect(restarts([lws('vllm:1', { replicas: 2 })], [lws('vllm:2', { replicas: 2 })])[0]).toBe(
      'LeaderWorkerSet/gemma recreates its groups, one after the other',
    );
  });

  test('not for replicas, labels and rollout settings', () => {
    const scaled = lws('vllm:1', { replicas: 3, rolloutStrategy: { rollingUpdateConfiguration: { maxSurge: 1 } } });
    expect(restarts([lws('vllm:1')], [scaled])).toEqual([]);
  });

  test('the size, which is part of the template', () => {
    const bigger = lws('vllm:1', { leaderWorkerTemplate: { size: 3 } });
    expect(restarts([lws('vllm:1')], [bigger])).toContain('  leaderWorkerTemplate.size');
  });

  test('counts what it does not list', () => {
    const many = (n: number): KubernetesObject => lws('x', { leaderWorkerTemplate: { a: n, b: n, c: n, d: n, e: n } });
    expect(restarts([many(1)], [many(2)]).at(-1)).toBe('  and 2 more');
  });

  test('names what is no longer in the bundle', () => {
    expect(restarts([lws('vllm:1')], [])).toEqual([
      'LeaderWorkerSet/gemma is no longer in the bundle; an apply leaves it in the cluster',
    ]);
  });
});
