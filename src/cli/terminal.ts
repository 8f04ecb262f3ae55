/** What a command reads and writes: the process in the program, texts in tests. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Whether escape codes may mark words. */
  readonly colour: boolean;
  /** Whether somebody watches what goes to `error`, so that progress is worth saying. */
  readonly isWatched?: boolean;
}

/** What the person who typed it can mend; ends with 2 and never with a stack trace. */
export class WrongInput extends Error {
  public override readonly name = 'WrongInput';
}

/** Whether it is one, also out of a command's own file, which has a class of its own. */
export function isWrongInput(error: unknown): error is WrongInput {
  return error instanceof Error && error.name === 'WrongInput';
}

/**
 * A text without control characters. Names come from files and command lines of others, and must not drive the terminal.
 * Line ends are kept.
 */
export function printable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '?');
}

/** A document for programs. What would drive a terminal is escaped, which JSON leaves the same text. */
export function json(document: unknown): string {
  const text = JSON.stringify(document, undefined, 2).replace(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${text}\n`;
}
