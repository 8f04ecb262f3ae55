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
    ['transient', Object.assign(new Error('getaddrinfo ENOTFOUND x'), { code: 'ENOTFOUND' })],
    [
      'transient',
      Object.assign(error('SignatureDoesNotMatch'), { $metadata: { httpStatusCode: 403, clockSkewCorrected: true } }),
    ],
    ['transient', error('ForeignAnswer', '', 502)],
    ['refused', error('ForeignAnswer', '', 200)],
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
    expect(foreign.message).toBe(
      'eks:DescribeCluster failed. The answer was not one of AWS (HTTP 404); is there a proxy in between?',
    );
  });
});

describe('whose words a message has', () => {
  const said = (given: unknown): string => new CallError('sts.GetCallerIdentity', given, 3).message;

  test('of a host that is not there', () => {
    const given = Object.assign(new Error('getaddrinfo ENOTFOUND sts.us-east-9.amazonaws.com'), { code: 'ENOTFOUND' });
    expect(said(given)).toBe(
      'sts:GetCallerIdentity failed 3 times; is the region right, and is there a network? No answer came: getaddrinfo ENOTFOUND sts.us-east-9.amazonaws.com',
    );
  });

  test('of credentials that are not there, which AWS never heard of', () => {
    const { AWS_PROFILE } = process.env;
    process.env.AWS_PROFILE = 'research';
    try {
      expect(said(error('CredentialsProviderError', 'Could not load credentials from any providers'))).toBe(
        "there are no usable credentials for sts:GetCallerIdentity; sign in again (aws sso login, or AWS_PROFILE, which is 'research'), and run this once more. CredentialsProviderError: Could not load credentials from any providers",
      );
    } finally {
      if (AWS_PROFILE === undefined) {
        delete process.env.AWS_PROFILE;
      } else {
        process.env.AWS_PROFILE = AWS_PROFILE;
      }
    }
  });

  test('of a clock that is wrong', () => {
    const given = error('SignatureDoesNotMatch', 'Signature expired: 20261129T1 is now earlier than 20261129T2', 403);
    expect(said(given)).toContain('the clock of this machine is wrong by minutes: set it');
    expect(said(given)).not.toContain('sign in');
  });

  test('of a region that is off', () => {
    expect(said(error('InvalidClientTokenId', 'The security token included in the request is invalid', 403))).toContain(
      'or enable the region',
    );
  });

  test('no canonical request, which AWS quotes when a signature is wrong', () => {
    const quoted = `The Canonical String for this request should have been 'POST\n/\n\nhost:sts.us-east-1.amazonaws.com\nx-amz-date:20261129T120000Z\nx-amz-security-token:FwoGZXIvYXdzEXAMPLE/token==\n' Authorization=AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20261129, Signature=0123abcd`;
    const message = said(error('SignatureDoesNotMatch', quoted, 403));
    expect(message).not.toMatch(/FwoGZX|AKIA|0123abcd/);
    expect(message).toContain('x-amz-security-token:<secret>');
  });
});

describe('redact', () => {
  test.each([
    ['arn:aws:iam::111122223333:role/x', 'arn:aws:iam::<account>:role/x'],
    ['key AKIAIOSFODNN7EXAMPLE here', 'key <key id> here'],
    ['Authorization: Bearer k8s-aws-v1.aHR0cHM', 'Authorization: Bearer <token>'],
    ['token k8s-aws-v1.aHR0cHM_x-y', 'token <token>'],
    ['?X-Amz-Security-Token=abc%2F&X-Amz-Signature=0f', '?X-Amz-Security-Token=<secret>&X-Amz-Signature=<secret>'],
    ['subnet-0a111122223333bcd', 'subnet-0a111122223333bcd'],
    ['role/ops-111122223333 and s3-111122223333-x', 'role/ops-<account> and s3-<account>-x'],
    ['AWS_SECRET_ACCESS_KEY=abc/def+1', 'AWS_SECRET_ACCESS_KEY=<secret>'],
    ['{"SecretAccessKey": "abc", "SessionToken":"def"}', '{"SecretAccessKey": "<secret>", "SessionToken":"<secret>"}'],
    ['subnet-0a1b2c3d4e5f60001 and 104779756Ki', 'subnet-0a1b2c3d4e5f60001 and 104779756Ki'],
  ])('%s', (text, clean) => {
    expect(redact(text)).toBe(clean);
  });
});
