import { describe, expect, test } from 'vitest';
import * as names from '../../src/common/names';
import { expectError } from './errors';

const s = (length: number): string => 'a'.repeat(length);

describe('names', () => {
  test.each([
    [
      'checkDns1035Label',
      names.checkDns1035Label,
      ['a', 'vllm-1', s(63)],
      ['', '1a', 'a-', '-a', 'A', 'a.b', 'a_b', s(64)],
    ],
    ['checkDnsLabel', names.checkDnsLabel, ['1a', 'us-east-1a', s(63)], ['', 'a-', '-a', 'A', 'a.b', s(64)]],
    [
      'checkDnsSubdomain',
      names.checkDnsSubdomain,
      ['1a', 'a.b-c', s(253)],
      ['', 'a..b', '.a', 'a.', 'A', 'a_b', s(254)],
    ],
    ['checkEnvironmentName', names.checkEnvironmentName, ['A', '_a1'], ['', '1A', 'A-B', 'A B', 'A=B']],
    ['checkLabelValue', names.checkLabelValue, ['', 'A_b.c-1', s(63)], ['-a', 'a.', 'a b', 'a/b', s(64)]],
    [
      'checkQualifiedName',
      names.checkQualifiedName,
      ['a', 'x.io/a_B', 'x/a'],
      ['', '/a', 'x/', 'X/a', 'a/b/c', `x/${s(64)}`],
    ],
  ] as const)('%s takes what Kubernetes takes', (_, check, good, bad) => {
    for (const value of good) {
      expect(check('thing', value)).toBe(value);
    }
    for (const value of bad) {
      expectError(() => check('thing', value), 'thing', 'it takes', 'at most');
    }
  });

  test('the message holds the value, the alphabet and the limit', () => {
    expectError(
      () => names.checkDns1035Label('name of the group', 'My_Group'),
      "name of the group is 'My_Group';",
      'lower-case letters, digits and hyphens, starts with a letter',
      'at most 63 characters',
    );
    expectError(() => names.checkQualifiedName('label', 'Bad_/a'), "prefix of label is 'Bad_'");
  });

  test('what is no string is refused too, as JavaScript callers may pass it', () => {
    expectError(() => names.checkDnsLabel('zone', undefined as unknown as string), "zone is 'undefined'");
  });
});
