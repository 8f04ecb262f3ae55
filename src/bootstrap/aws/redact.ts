/** What must not be printed, and what stands in its place. AWS' own messages hold ARNs with the number of the account. */
const SECRETS: readonly [RegExp, string][] = [
  [/\bk8s-aws-v1\.[A-Za-z0-9_-]+/g, '<token>'],
  [/\b(X-Amz-(?:Security-Token|Signature|Credential))=[^&\s"']+/gi, '$1=<secret>'],
  [/\b(Bearer)\s+[A-Za-z0-9._~+/=-]+/gi, '$1 <token>'],
  [/\b(?:AKIA|ASIA|AROA|AIDA|ANPA|AGPA)[A-Z0-9]{12,}/g, '<key id>'],
  [/(?<![0-9])[0-9]{12}(?![0-9])/g, '<account>'],
];

/** A text without credentials, tokens and account numbers. Everything that is printed goes through it. */
export function redact(text: string): string {
  return SECRETS.reduce((clean, [pattern, by]) => clean.replace(pattern, by), text);
}
