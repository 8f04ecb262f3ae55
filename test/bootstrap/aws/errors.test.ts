import { describe, expect, test } from 'vitest';
import { CallError, kindOf } from '../../../src/bootstrap/aws/errors';
import { redact } from '../../../src/bootstrap/aws/redact';

function error(name: string, message = '', status?: number): object {
  return Object.assign(new Error(message), { name, $metadata: { httpStatusCode: status } });
}

describe('what an error of a call means', () => {
  test.each([
    ['absent', error('ResourceNotFoundException', 'No cluster found', 404)],
    ['absent', error('InvalidLaunchTemplateId.NotFound')],
    ['absent', error('NoSuchEntityException', '', 404)],
    // A page of a proxy with 404 says nothing about what there is.
    [
      'refused',
      error('SyntaxError', 'Unexpected token \'<\', "<html>" is not valid JSON\n  Deserialization error', 404),
    ],
    ['exists', error('InvalidLaunchTemplateName.AlreadyExistsException')],
    ['exists', error('ResourceInUseException', 'Cluster already exists with name: x', 409)],
    [
      'exists',
      error('ResourceInUseException', 'The specified access entry resource is already in use on this cluster.', 409),
    ],
    ['busy', error('ResourceInUseException', 'Cannot update because another update is in progress', 409)],
    ['denied', error('AccessDeniedException', '', 403)],
    ['denied', error('UnauthorizedOperation', '', 403)],
    ['credentials', error('ExpiredTokenException', '', 403)],
    ['credentials', error('CredentialsProviderError')],
    ['transient', error('ThrottlingException', '', 429)],
    ['transient', error('RequestLimitExceeded', '', 503)],
    ['transient', error('Whatever', '', 502)],
    ['transient', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })],
    ['transient', error('TimeoutError')],
    [
      'role-not-ready',
      error(
        'InvalidParameterException',
        'Role with arn: x could not be assumed because it does not exist or the trusted entity is not correct',
        400,
      ),
    ],
    ['refused', error('InvalidParameterException', 'unsupported Kubernetes version', 400)],
    ['refused', undefined],
    ['refused', 'a text'],
  ])('%s', (kind, given) => {
    expect(kindOf(given)).toBe(kind);
  });

  test('a message says the call, and what to do', () => {
    const denied = new CallError(
      'eks.CreateCluster',
      error('AccessDeniedException', 'User: arn:aws:iam::111122223333:user/me is not authorized', 403),
    );
    expect(denied.message).toContain('needs the IAM action eks:CreateCluster');
    expect(denied.message).toContain('arn:aws:iam::<account>:user/me');
    const foreign = new CallError(
      'eks.DescribeCluster',
      error('SyntaxError', "Unexpected token '<'\n  Deserialization error: to see the raw response …", 404),
    );
    expect(foreign.message).toContain('the answer was not one of AWS (HTTP 404)');
    expect(foreign.message).not.toContain('raw response');
  });
});

describe('redact', () => {
  test.each([
    ['arn:aws:iam::111122223333:role/x', 'arn:aws:iam::<account>:role/x'],
    ['key AKIAIOSFODNN7EXAMPLE here', 'key <key id> here'],
    ['Authorization: Bearer k8s-aws-v1.aHR0cHM', 'Authorization: Bearer <token>'],
    ['token k8s-aws-v1.aHR0cHM_x-y', 'token <token>'],
    ['?X-Amz-Security-Token=abc%2F&X-Amz-Signature=0f', '?X-Amz-Security-Token=<secret>&X-Amz-Signature=<secret>'],
    ['subnet-0a1b2c3d4e5f60001 and 104779756Ki', 'subnet-0a1b2c3d4e5f60001 and 104779756Ki'],
  ])('%s', (text, clean) => {
    expect(redact(text)).toBe(clean);
  });
});
