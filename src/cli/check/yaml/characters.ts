/** Codes of the characters that mean something in YAML. The end of a text reads as NUL, which no text holds. */
export const END = 0;
export const TAB = 9;
export const LINE_FEED = 10;
export const CARRIAGE_RETURN = 13;
export const SPACE = 32;
export const EXCLAMATION = 33;
export const DOUBLE_QUOTE = 34;
export const HASH = 35;
export const PERCENT = 37;
export const AMPERSAND = 38;
export const SINGLE_QUOTE = 39;
export const STAR = 42;
export const PLUS = 43;
export const COMMA = 44;
export const DASH = 45;
export const DOT = 46;
export const ZERO = 48;
export const NINE = 57;
export const COLON = 58;
export const LESS = 60;
export const GREATER = 62;
export const QUESTION = 63;
export const AT = 64;
export const SQUARE_OPEN = 91;
export const BACKSLASH = 92;
export const SQUARE_CLOSE = 93;
export const UNDERSCORE = 95;
export const BACKTICK = 96;
export const CURLY_OPEN = 123;
export const PIPE = 124;
export const CURLY_CLOSE = 125;
export const NEXT_LINE = 0x85;
export const LINE_SEPARATOR = 0x2028;
export const PARAGRAPH_SEPARATOR = 0x2029;

export function isBreak(code: number): boolean {
  return (
    code === LINE_FEED ||
    code === CARRIAGE_RETURN ||
    (code > 126 && (code === NEXT_LINE || code === LINE_SEPARATOR || code === PARAGRAPH_SEPARATOR))
  );
}

export function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

export function isBreakOrEnd(code: number): boolean {
  return code === END || isBreak(code);
}

/** The end of a word: a space, a tab, the end of a line or of the text. */
export function isBlankOrEnd(code: number): boolean {
  return code <= SPACE ? isBlank(code) || isBreakOrEnd(code) : code > 126 && isBreak(code);
}

/** Letters of the names of anchors. */
export function isWordCharacter(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= ZERO && code <= NINE) ||
    code === UNDERSCORE ||
    code === DASH
  );
}
