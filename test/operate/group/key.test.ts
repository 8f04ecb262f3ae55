import { expect, test } from 'vitest';
import { keyGiven, keyOf, without } from '../../../src/operate/group/key';
import { groupsOf } from '../../../src/operate/group/live';
import type { Kubectl } from '../../../src/operate/kubectl/kubectl';
import { pod, type PodWish } from './pods';

/** Nothing here is to be asked of a cluster; test/cluster asks one for Secrets. */
const NOBODY = undefined as unknown as Kubectl;

const leader = (wish: PodWish) => groupsOf([pod({ size: 1, ...wish })])[0]!.pods[0]!;

test('a key in the arguments or the environment of the pod', async () => {
  expect(await keyOf(NOBODY, leader({ args: ['--api-key=sk-1'] }), {})).toEqual({
    value: 'sk-1',
    from: 'the arguments of g-0',
  });
  expect((await keyOf(NOBODY, leader({ args: ['--api-key', 'sk-2'] }), {}))?.value).toBe('sk-2');
  expect((await keyOf(NOBODY, leader({ env: [{ name: 'VLLM_API_KEY', value: 'sk-3' }] }), {}))?.value).toBe('sk-3');
});

test('no key where the pod names none', async () => {
  expect(await keyOf(NOBODY, leader({}), {})).toBeUndefined();
  expect(await keyOf(NOBODY, leader({ env: [{ name: 'VLLM_API_KEY', value: '' }] }), {})).toBeUndefined();
});

test('what is said comes before what the pod names, and the flag before the environment', async () => {
  const of = leader({ args: ['--api-key=sk-1'] });
  expect(await keyOf(NOBODY, of, { environment: 'sk-env' })).toEqual({ value: 'sk-env', from: 'VLLM_API_KEY' });
  expect(await keyOf(NOBODY, of, { environment: 'sk-env', value: 'sk-flag' })).toEqual({
    value: 'sk-flag',
    from: '--api-key',
  });
  expect(keyGiven({ environment: '' })).toBeUndefined();
});

test('a key that no request can carry is refused', () => {
  expect(() => keyGiven({ value: 'sk-1\n' })).toThrow('the API key of --api-key holds a line break');
});

test('a report is without the key, wherever it stands', () => {
  const report = { said: 'Bearer sk-secret', lines: ['a sk-secret b', 'c'], deep: { n: 1, said: ['sk-secret'] } };
  expect(without(report, { value: 'sk-secret', from: '' })).toEqual({
    said: 'Bearer ***',
    lines: ['a *** b', 'c'],
    deep: { n: 1, said: ['***'] },
  });
  expect(without(report, undefined)).toBe(report);
});
