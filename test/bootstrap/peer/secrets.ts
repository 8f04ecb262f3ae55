import { CREDENTIALS } from './world';

/** What must never be printed: the account, and anything that lets somebody in. */
const FORBIDDEN: readonly [string, RegExp][] = [
  ['account', /(?<!\d)\d{12}(?!\d)/],
  ['key id', new RegExp(CREDENTIALS.accessKeyId)],
  ['secret key', new RegExp(CREDENTIALS.secretAccessKey.replace(/[/+]/g, '\\$&'))],
  ['session token', new RegExp(CREDENTIALS.sessionToken)],
  ['cluster token', /k8s-aws-v1\.[A-Za-z0-9]/],
  ['signature', /X-Amz-Signature=[0-9a-f]/i],
];

/** The secrets that stand in a text. */
export function secretsIn(text: string): string[] {
  return FORBIDDEN.filter(([, pattern]) => pattern.test(text)).map(([name]) => name);
}
