import { expect, test } from 'vitest';
import { leftovers, NEWEST, REFERENCE, rehearse } from './rehearsal';

test('the reference bundle holds on the newest release', () => {
  const { status, report } = rehearse(REFERENCE);
  expect(report.breakage).toBeUndefined();
  // Without namespaces of its own it may be that nobody can say which bytes are those of a rank.
  const checks = Object.fromEntries(report.checks.map(({ id, held }) => [id, held]));
  expect({ ...checks, ...(report.isolation === 'shared' && { crossing: 'yes' }) }).toEqual({
    ready: 'yes',
    chat: 'yes',
    stream: 'yes',
    key: 'yes',
    'open-paths': 'yes',
    crossing: 'yes',
    cache: 'yes',
    alive: 'yes',
  });
  expect(report.ranks.map(({ rank, role }) => `${rank} ${role}`)).toEqual(['0 leader', '1 worker']);
  expect(report.vllm).toContain(NEWEST);
  expect(report.changes.map(({ what }) => what)).toContain('VLLM_CPU_KVCACHE_SPACE');
  expect(status).toBe(0);
  expect(leftovers()).toEqual([]);
});
