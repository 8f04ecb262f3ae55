import { describe, expect, test } from 'vitest';
import { type Judged, verdictOf } from '../../../src/operate/drill/verdict';

const request = { tokensBefore: 5, tokens: 9, seconds: 1, status: 200, isWhole: false, said: 'it broke off' };
const healed: Judged = {
  before: ['a', 'b'],
  after: ['c', 'd'],
  total: 44,
  overhead: 4,
  bound: { seconds: 5, by: 'grace' },
  isHang: false,
  seconds: 600,
  drain: 0,
  request,
};

describe('a fault', () => {
  test('has held when a new group answers within its bound', () => {
    expect(verdictOf(healed)).toEqual({ held: 'yes', said: 'it healed by itself, as one group' });
    expect(verdictOf({ ...healed, overhead: 15 }).held).toBe('yes');
    expect(verdictOf({ ...healed, drain: 30, request: { ...request, isWhole: true } }).held).toBe('yes');
  });

  test.each<[string, Partial<Judged>]>([
    ['nothing ended it within 600 s: every pod is still the one that it was', { after: ['a', 'b'] }],
    [
      'nothing ended it within 600 s: every pod is still the one that it was',
      { after: ['a', 'b'], request: { ...request, isWhole: true } },
    ],
    ['nothing ended it within 600 s: every pod is still the one that it was', { after: ['a', 'b'], isHang: true }],
    [
      'nothing ended it within 600 s: every pod is still the one that it was',
      { after: ['a', 'b'], isHang: true, request: { ...request, isWhole: true, seconds: 600.3 } },
    ],
    [
      'it broke nothing: a request came to its end all the same, and every pod is still the one that it was',
      { after: ['a', 'b'], isHang: true, request: { ...request, isWhole: true } },
    ],
    ['rank 1 was not made anew with the others', { after: ['c', 'b'] }],
    ['rank 0 has no pod', { after: ['', 'd'] }],
    ['rank 0 was not made anew with the others; rank 1 has no pod', { after: ['a', ''] }],
    ['rank 0, 1 has no pod', { after: ['', ''] }],
    ['no request was answered within 600 s', { total: undefined, overhead: undefined }],
    ['it healed, and took longer than the 15 s that the manifest allows', { overhead: 15.1 }],
    ['it healed, and took longer than the 15 s that the manifest allows', { overhead: undefined }],
    [
      'it healed, though nothing in the manifest ends a hang: set stepTimeout (VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS)',
      { bound: undefined },
    ],
    ['it healed, and lost the request in flight, although the leader drains for 30 s', { drain: 30 }],
  ])('has not held: %s', (said, what) => {
    expect(verdictOf({ ...healed, ...what })).toEqual({ held: 'no', said });
  });
});
