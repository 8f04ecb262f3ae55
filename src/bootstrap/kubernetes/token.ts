import { createHash, createHmac } from 'node:crypto';
import type { Credentials } from '../aws/connect';

/** Seconds that the signature holds for; the cluster takes the token for about a quarter of an hour. */
const VALID_SECONDS = 60;

/**
 * The token that an EKS cluster takes: a signed question to STS who is asking, which the cluster puts for us. The same as
 * `aws eks get-token` gives. It must not be printed.
 */
export function clusterToken(
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
  { cluster, region, now }: { cluster: string; region: string; now: number },
): string {
  const host = `sts.${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}`;
  const time = `${new Date(now).toISOString().replace(/[-:]/g, '').slice(0, 15)}Z`;
  const scope = `${time.slice(0, 8)}/${region}/sts/aws4_request`;
  const query = Object.entries({
    Action: 'GetCallerIdentity',
    Version: '2011-06-15',
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${accessKeyId}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(VALID_SECONDS),
    ...(sessionToken !== undefined && { 'X-Amz-Security-Token': sessionToken }),
    'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
  })
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${escaped(key)}=${escaped(value)}`)
    .join('&');
  const request = [
    'GET',
    '/',
    query,
    `host:${host}`,
    `x-k8s-aws-id:${cluster}`,
    '',
    'host;x-k8s-aws-id',
    sha256(''),
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(request)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${secretAccessKey}`);
  const url = `https://${host}/?${query}&X-Amz-Signature=${hmac(key, text).toString('hex')}`;
  return `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`;
}

/** RFC 3986, which is stricter than encodeURIComponent. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
