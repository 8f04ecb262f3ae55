import { describe, expect, test } from 'vitest';
import { untrusted } from '../../../src/bootstrap/preflight/roles';
import { chooseVersion } from '../../../src/bootstrap/resources/add-on';

const BOTH = ['sts:AssumeRole', 'sts:TagSession'];
const policy = (statement: unknown): string => JSON.stringify({ Version: '2012-10-17', Statement: statement });

describe('a trust policy', () => {
  test.each([
    ['both actions', { Effect: 'Allow', Principal: { Service: 'pods.eks.amazonaws.com' }, Action: BOTH }, []],
    [
      'in two statements',
      BOTH.map((Action) => ({ Effect: 'Allow', Principal: { Service: ['x', 'pods.eks.amazonaws.com'] }, Action })),
      [],
    ],
    ['a wildcard', { Effect: 'Allow', Principal: { Service: 'pods.eks.amazonaws.com' }, Action: 'sts:*' }, []],
    [
      'without TagSession',
      { Effect: 'Allow', Principal: { Service: 'pods.eks.amazonaws.com' }, Action: 'sts:AssumeRole' },
      ['sts:TagSession'],
    ],
    ['of another service', { Effect: 'Allow', Principal: { Service: 'ec2.amazonaws.com' }, Action: BOTH }, BOTH],
    ['that denies', { Effect: 'Deny', Principal: { Service: 'pods.eks.amazonaws.com' }, Action: BOTH }, BOTH],
  ])('%s', (_, statement, missing) => {
    expect(untrusted(policy(statement), 'pods.eks.amazonaws.com', BOTH)).toEqual(missing);
  });
  test('that is no JSON trusts nobody', () => {
    expect(untrusted('<xml>', 'pods.eks.amazonaws.com', BOTH)).toEqual(BOTH);
  });
});

describe('the version of an add-on', () => {
  const wish = { name: 'x', kubernetesVersion: '1.36', architecture: 'arm64' };
  const version = (addonVersion: string, architecture: string[], isDefault = false): object => ({
    addonVersion,
    architecture,
    compatibilities: [{ clusterVersion: '1.36', defaultVersion: isDefault }],
  });
  test('is the default one, and one for the processors of the nodes', () => {
    expect(chooseVersion([version('v3', ['amd64', 'arm64']), version('v2', ['amd64', 'arm64'], true)], wish)).toEqual({
      version: 'v2',
    });
    expect(chooseVersion([version('v3', ['arm64']), version('v2', ['amd64'], true)], wish)).toEqual({ version: 'v3' });
    expect(chooseVersion([version('v2', ['amd64'], true)], wish).why).toBe("add-on 'x' has no version for arm64");
    expect(chooseVersion([], wish).why).toBe("there is no add-on 'x' for Kubernetes 1.36");
    expect(chooseVersion([version('v3', ['arm64'])], { ...wish, pinned: 'v1' }).why).toContain('it has v3');
  });
});
