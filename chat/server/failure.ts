import { redaction } from './redact';

let redact = redaction(undefined);

/** To be called before the first failure: from then on no words of one hold the secret, whoever wrote them. */
export function keepSecret(secret: string | undefined): void {
  redact = redaction(secret);
}

/** What the person in front of the page is told, and the status it goes with. */
export class Failure extends Error {
  constructor(
    readonly status: number,
    words: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    // Here and not where words come in: one place that nobody can forget.
    super(redact(words));
  }
}

/** The browser went away: there is nobody left to tell. */
export class ClientLeft extends Error {}

/** Words of someone else, made fit to stand among ours. */
export function quote(words: string, maxLength: number): string {
  // Redacted before it is cut: half a secret would not be found any more.
  const text = redact(words).replace(/[^\P{C}\n\t]/gu, '?');
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
