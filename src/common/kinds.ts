/**
 * Checks what TypeScript checks, for callers in JavaScript: a text where a value class belongs would fail much later,
 * in words that name neither the prop nor the way out.
 * @param member a member that only the right kind of object has
 * @param example how such a value is made
 */
export function checkKind(what: string, value: unknown, member: string, example: string): void {
  if (typeof value !== 'object' || value === null || !(member in value)) {
    throw new Error(`${what} is ${describe(value)}; it takes a value such as ${example}`);
  }
}

function describe(value: unknown): string {
  if (value === undefined || value === null) {
    return 'missing';
  }
  // Not the value itself: it may be a secret that was put where the name of one belongs.
  return `of type ${Array.isArray(value) ? 'array' : typeof value}`;
}
