import { describe, expect, test } from 'vitest';
import { acceptAnnotation, acceptedFindings } from '../../src/rules/accepted';
import { checkFindingId } from '../../src/rules/ids';
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

  test.each(['', 'fit', 'fit/split-not-neded', 'constructor'])("'%s' is no name of a finding", (id) => {
    expectError(() => checkFindingId(id), `finding '${id}' is not known`, 'docs/rules/README.md lists the rules');
  });

  test('a typo names the nearest finding', () => {
    expectError(() => checkFindingId('fit/split-not-neded'), "did you mean 'fit/split-not-needed'?");
  });
});
