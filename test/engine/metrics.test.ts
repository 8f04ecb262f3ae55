import { describe, expect, test } from 'vitest';
import { READ_RELEASES } from '../../src/engine/flag-table';
import { metrics } from '../../src/engine/metrics';

describe('the table of metrics', () => {
  test('has what the probe and the alerts read, in every release', () => {
    for (const [name, kind] of [
      ['vllm:num_requests_running', 'gauge'],
      ['vllm:kv_cache_usage_perc', 'gauge'],
      ['vllm:iteration_tokens_total', 'histogram'],
      ['vllm:generation_tokens_total', 'counter'],
      ['vllm:time_to_first_token_seconds', 'histogram'],
    ] as const) {
      expect(metrics().get(name)).toEqual({ name, kind });
    }
  });

  test('a counter ends in _total once', () => {
    const counters = [...metrics().values()].filter(({ kind }) => kind === 'counter');
    expect(counters.filter(({ name }) => !/(?<!_total)_total$/.test(name))).toEqual([]);
    expect(metrics().get('vllm:admission_rejections_total')).toEqual({
      name: 'vllm:admission_rejections_total',
      kind: 'counter',
      since: '0.32.0',
    });
  });

  test('a span is one of releases that were read', () => {
    for (const { since, until, name } of metrics().values()) {
      for (const release of [since, until]) {
        expect([undefined, ...READ_RELEASES], name).toContain(release);
      }
    }
  });
});
