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

/** Checks that props are an object at all. */
export function checkProps(what: string, value: unknown, example: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(
      `${what} ${value === undefined || value === null ? 'are missing' : `are ${describe(value)}`}; it takes ${example}`,
    );
  }
}

/** Checks that a switch is one, when it is given. */
export function checkFlag(what: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'boolean') {
    throw new Error(`${what} is ${describe(value)}; it takes true or false`);
  }
}

/** Checks that a size is one, when it is given. */
export function checkSize(what: string, value: unknown): void {
  if (value !== undefined) checkKind(what, value, 'toKibibytes', 'Size.gibibytes(16)');
}

/** Checks that a prop is a list of texts. */
export function checkTexts(what: string, value: unknown): void {
  if (!Array.isArray(value)) {
    throw new Error(`${what} is ${describe(value)}; it takes a list of texts`);
  }
  const wrong: unknown = value.find((entry) => typeof entry !== 'string');
  if (wrong !== undefined || value.includes(undefined)) {
    throw new Error(`${what} holds an entry that is ${describe(wrong)}; it takes a list of texts`);
  }
}

/** Checks that a prop is a map from text to text. */
export function checkTextMap(what: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`${what} is ${describe(value)}; it takes a map from text to text`);
  }
  for (const [key, entry] of Object.entries(value)) {
    if (typeof entry !== 'string') {
      throw new Error(`${what} sets ${key} to a value ${describe(entry)}; it takes a text`);
    }
    // cdk8s writes it as a block without an indentation indicator, and kubectl takes the tab for indentation.
    if (entry.includes('\n') && /^\n*\t/.test(entry)) {
      throw new Error(
        `${what} sets ${key} to a text of several lines that begins with a tab; in the manifest kubectl could not read ` +
          'it: begin it with something else',
      );
    }
  }
}

/** Checks that a prop is one of the words of an enum. */
export function checkMember(what: string, value: unknown, members: Readonly<Record<string, string>>): void {
  if (!Object.values(members).includes(value as string)) {
    throw new Error(`${what} is '${String(value)}'; it takes ${Object.values(members).join(', ')}`);
  }
}

function describe(value: unknown): string {
  if (value === undefined || value === null) {
    return 'missing';
  }
  // Not the value itself: it may be a secret that was put where the name of one belongs.
  return `of type ${Array.isArray(value) ? 'array' : typeof value}`;
}
