import { App } from 'cdk8s';
import { ClusterTarget, type ClusterTargetOptions } from 'cdk8s-vllm';
import { describe, expect, test } from 'vitest';
import { type ErrorCase, expectError } from '../common/errors';
import { newChart } from './harness';

describe('ClusterTarget', () => {
  test('keeps what is said and reaches every construct of the App', () => {
    const options: Required<ClusterTargetOptions> = { lws: '0.10.0', albController: '3.5.0' };
    const target = ClusterTarget.eks('1.36', options);
    const app = new App();
    target.applyTo(newChart({}, app, 'a'));
    expect(target).toMatchObject({ kubernetes: '1.36', ...options });
    expect(ClusterTarget._of(newChart({}, app, 'b'))).toBe(target);
    expect(ClusterTarget._of(new App())).toEqual({});
  });

  test('an App has one: the same again is fine, another is not', () => {
    const app = new App();
    const target = ClusterTarget.eks('1.36');
    target.applyTo(app);
    expect(() => target.applyTo(app)).not.toThrow();
    expect(() => ClusterTarget.eks('1.36').applyTo(app)).not.toThrow();
    expectError(() => ClusterTarget.eks('1.35').applyTo(app), 'already has a ClusterTarget', 'one App for each');
  });

  const errors: ErrorCase[] = [
    ['Kubernetes', () => ClusterTarget.eks('1.36.2'), "Kubernetes version is '1.36.2'", "'1.36'"],
    ['LWS', () => ClusterTarget.eks('1.36', { lws: 'v0.10.0' }), "LWS version is 'v0.10.0'", "without a 'v'"],
    [
      'the balancer controller',
      () => ClusterTarget.eks('1.36', { albController: '3.5' }),
      "version of the AWS Load Balancer Controller is '3.5'",
    ],
  ];
  test.each(errors)('refuses a version of %s', (_, cause, ...parts) => expectError(cause, ...parts));
});
