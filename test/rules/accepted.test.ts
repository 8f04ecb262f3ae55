import { describe, expect, test } from 'vitest';
import { acceptAnnotation, acceptedFindings } from '../../src/rules/accepted';
import { expectError } from '../common/errors';

describe('accepted findings', () => {
  test('what is written is read', () => {
    const key = acceptAnnotation('fit/split-not-needed');
    expect(key).toBe('accept.cdk8s-vllm/fit.split-not-needed');
    expect([...acceptedFindings({ [key]: 'because', 'other/key': 'x' })]).toEqual([
      ['fit/split-not-needed', 'because'],
    ]);
    expect(acceptedFindings().size).toBe(0);
  });

  test.each(['', 'fit', 'Fit/x', 'fit/', 'fit/a_b', 'a/b/c', 'fit/-a'])("'%s' is no name of a finding", (id) => {
    expectError(
      () => acceptAnnotation(id),
      `finding id is '${id}'`,
      "'group/name' in lower case",
      'fit/split-not-needed',
    );
  });
});
