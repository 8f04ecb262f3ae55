import { expect } from 'vitest';

/** One error case: its name, what causes it, and the parts that its message must hold. */
export type ErrorCase = [name: string, cause: () => unknown, ...parts: string[]];

/** Runs a cause and checks that the message says all of it: what is wrong, what came, what is allowed, what to do. */
export function expectError(cause: () => unknown, ...parts: string[]): void {
  let message: string | undefined;
  try {
    cause();
  } catch (error) {
    message = (error as Error).message;
  }
  if (message === undefined) {
    throw new Error(`no error was thrown; expected one that says ${parts.map((p) => `'${p}'`).join(', ')}`);
  }
  for (const part of parts) {
    expect(message).toContain(part);
  }
}
