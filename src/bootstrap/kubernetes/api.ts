import { request } from 'node:https';
import { redact } from '../aws/redact';

/** The API of a cluster: gives what JSON it answers. */
export type KubernetesApi = (method: 'GET' | 'POST', path: string, body?: object) => Promise<unknown>;

/** An answer that is none, or a refusal. */
export class KubernetesError extends Error {}

const SECONDS = 15;
const MOST_BYTES = 16 * 1024 * 1024;

/** Speaks to a cluster over TLS with the cluster's own authority; the token goes nowhere else. */
export function kubernetesApi({
  endpoint,
  certificateAuthority,
  token,
}: {
  endpoint: string;
  /** Base64 of PEM. */
  certificateAuthority: string;
  token: string;
}): KubernetesApi {
  const ca = Buffer.from(certificateAuthority, 'base64').toString();
  return (method, path, body) =>
    new Promise((resolve, reject) => {
      const fail = (why: string): void => reject(new KubernetesError(redact(`${method} ${path}: ${why}`)));
      const url = new URL(path, endpoint);
      if (url.protocol !== 'https:') {
        return fail(`the endpoint is ${url.protocol}//, and a token is sent over https: alone`);
      }
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      };
      const call = request(url, { method, headers, ca, timeout: SECONDS * 1000 }, (answer) => {
        const chunks: Buffer[] = [];
        let size = 0;
        answer.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > MOST_BYTES) {
            call.destroy(new Error('the answer has more than 16 MiB'));
          }
          chunks.push(chunk);
        });
        answer.on('end', () => {
          const { statusCode = 0 } = answer;
          try {
            const parsed = JSON.parse(Buffer.concat(chunks).toString()) as { message?: string };
            if (statusCode >= 200 && statusCode < 300) {
              resolve(parsed);
            } else {
              fail(`${statusCode} ${parsed.message ?? ''}`.trim());
            }
          } catch {
            fail(`HTTP ${statusCode}, and no JSON`);
          }
        });
        answer.on('error', (error) => fail(error.message));
      });
      call.on('timeout', () => call.destroy(new Error(`no answer in ${SECONDS} s`)));
      call.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
      call.end(text);
    });
}
