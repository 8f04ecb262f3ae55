import { createHash } from 'node:crypto';

/**
 * The token that makes a creation safe to say again: the same wish gives the same token, also in a later run. `generation`
 * counts what was made with it and is gone: AWS remembers a token for a day, and would answer with what was deleted.
 */
export function clientToken(call: string, input: object, scope: string, generation = 0): string {
  const text = JSON.stringify([scope, call, generation, sorted(input)]);
  return createHash('sha256').update(text).digest('hex').slice(0, 40);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

/**
 * The token of a change: the same for each attempt at one wish, and another one the next time. What was changed, changed back, and
 * is changed again is a new wish, which AWS would not see by a token that it knows.
 */
export function changeToken(call: string, input: object, scope: string, now: number): string {
  return clientToken(call, input, scope, now);
}
