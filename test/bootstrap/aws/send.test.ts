import { describe, expect, test } from 'vitest';
import { CallError } from '../../../src/bootstrap/aws/errors';
import { allPages, readOnly, unlessAbsent, withRetries } from '../../../src/bootstrap/aws/send';
import { clientToken } from '../../../src/bootstrap/aws/token';
import type { Send } from '../../../src/bootstrap/aws/types';

function named(name: string, message = ''): Error {
  return Object.assign(new Error(message), { name });
}

/** Fails with these, one call each, and then answers. */
function failing(errors: Error[]): { send: Send; count: () => number } {
  let count = 0;
  const send = (() => {
    const error = errors[count++];
    return error === undefined ? Promise.resolve({ cluster: { name: 'x' } }) : Promise.reject(error);
  }) as unknown as Send;
  return { send, count: () => count };
}

function waits(): { clock: { now: () => number; sleep: (ms: number) => Promise<void> }; slept: number[] } {
  const slept: number[] = [];
  return { clock: { now: () => 0, sleep: (ms) => (slept.push(ms / 1000), Promise.resolve()) }, slept };
}

describe('calls that are said again', () => {
  test('while AWS is overloaded, with growing pauses', async () => {
    const { clock, slept } = waits();
    const { send } = failing([named('ThrottlingException'), named('ServerException')]);
    expect(await withRetries(send, clock)('eks.DescribeCluster', { name: 'x' })).toEqual({ cluster: { name: 'x' } });
    expect(slept).toEqual([1, 2]);
  });

  test('not for ever', async () => {
    const { clock, slept } = waits();
    const { send } = failing(Array<Error>(20).fill(named('ThrottlingException', 'Rate exceeded')));
    const error = (await withRetries(send, clock)('eks.CreateCluster', {} as never).catch(
      (e: unknown) => e,
    )) as CallError;
    expect(error).toBeInstanceOf(CallError);
    expect(error.message).toBe(
      'eks:CreateCluster failed 6 times; it may have had its effect: running this again finds out and goes on. AWS says ThrottlingException: Rate exceeded',
    );
    expect(slept).toEqual([1, 2, 4, 8, 16]);
  });

  test.each(['AccessDeniedException', 'ExpiredToken', 'InvalidParameterException', 'ResourceNotFoundException'])(
    '%s ends at once',
    async (name) => {
      const { clock, slept } = waits();
      const { send, count } = failing([named(name)]);
      await expect(withRetries(send, clock)('eks.DescribeCluster', { name: 'x' })).rejects.toBeInstanceOf(CallError);
      expect([slept, count()]).toEqual([[], 1]);
    },
  );
});

test('a dry run lets reading calls through alone', async () => {
  const { send, count } = failing([]);
  await readOnly(send)('eks.DescribeCluster', { name: 'x' });
  expect(() => readOnly(send)('eks.DeleteCluster', { name: 'x' })).toThrow(
    'eks.DeleteCluster would change something, and this is a dry run',
  );
  expect(count()).toBe(1);
});

test('what is not there is no error', async () => {
  const absent = new CallError('eks.DescribeCluster', named('ResourceNotFoundException'));
  expect(await unlessAbsent(Promise.reject(absent))).toBeUndefined();
  const denied = new CallError('eks.DescribeCluster', named('AccessDeniedException'));
  await expect(unlessAbsent(Promise.reject(denied))).rejects.toBe(denied);
});

test('all pages of a list', async () => {
  const asked: unknown[] = [];
  const send = ((_: string, input: { nextToken?: string }) => {
    asked.push(input);
    return Promise.resolve(
      input.nextToken === undefined ? { nodegroups: ['a'], nextToken: '2' } : { nodegroups: ['b'] },
    );
  }) as unknown as Send;
  const pages = await allPages(send, 'eks.ListNodegroups', { clusterName: 'x' });
  expect(pages.flatMap(({ nodegroups = [] }) => nodegroups)).toEqual(['a', 'b']);
  expect(asked).toEqual([{ clusterName: 'x' }, { clusterName: 'x', nextToken: '2' }]);
});

test('the same wish has the same token, and nothing else has', () => {
  const wish = { name: 'x', tags: { b: '2', a: '1' } };
  const token = clientToken('CreateCluster', wish, '111122223333/us-east-1');
  expect(clientToken('CreateCluster', { tags: { a: '1', b: '2' }, name: 'x' }, '111122223333/us-east-1')).toBe(token);
  expect(token).toMatch(/^[0-9a-f]{40}$/);
  const others = [
    clientToken('CreateNodegroup', wish, '111122223333/us-east-1'),
    clientToken('CreateCluster', { ...wish, name: 'y' }, '111122223333/us-east-1'),
    clientToken('CreateCluster', wish, '111122223333/us-east-2'),
    clientToken('CreateCluster', wish, '111122223333/us-east-1', 1),
  ];
  expect(new Set([token, ...others]).size).toBe(5);
});
