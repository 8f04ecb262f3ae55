/** What must not be printed, and what stands in its place. AWS' own messages hold ARNs with the number of the account. */
const SECRETS: readonly [RegExp, string][] = [
  [/\bk8s-aws-v1\.[A-Za-z0-9_-]+/g, '<token>'],
  // In an address `X-Amz-…=`, in a header `x-amz-…: `, as in the canonical request that AWS quotes when a signature is wrong.
  [/\b(X-Amz-(?:Security-Token|Signature|Credential))(=|:\s*)[^&\s"',]+/gi, '$1$2<secret>'],
  [/\b(Signature|aws_?secret_?access_?key|SecretAccessKey|SessionToken)("?[=:]\s*"?)[^&\s"',]+/gi, '$1$2<secret>'],
  [/\b(Bearer)\s+[A-Za-z0-9._~+/=-]+/gi, '$1 <token>'],
  [/\b(?:AKIA|ASIA|AROA|AIDA|ANPA|AGPA)[A-Z0-9]{12,}/g, '<key id>'],
  // Not twelve digits in a row of the 17 of an id such as subnet-0a1b….
  [/(?<![0-9])(?<!\b[a-z]+-(?=[0-9a-f]{17}\b)[0-9a-f]*)[0-9]{12}(?![0-9])/g, '<account>'],
];

/** A text without credentials, tokens and account numbers. Everything that is printed goes through it. */
export function redact(text: string): string {
  return SECRETS.reduce((clean, [pattern, by]) => clean.replace(pattern, by), text);
}
