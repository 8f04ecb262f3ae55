/** Control characters, separators of lines, marks that turn the direction of writing, and marks without a width. */
const HIDDEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/;
const EVERY_HIDDEN = new RegExp(HIDDEN, 'g');

/** Whether a text has characters that are not seen, and that would break a line or drive a terminal. */
export function hasHidden(text: string): boolean {
  return HIDDEN.test(text);
}

/**
 * A text of others as one line of a message: what is not seen as its code, and no longer than so many characters.
 * `printable('a\nb')` is `a\u000ab`.
 */
export function printable(text: string, longest = 100): string {
  const characters = [...text.slice(0, 2 * longest + 2)];
  const cut = characters.length > longest ? `${characters.slice(0, longest).join('')}…` : characters.join('');
  return cut.replace(EVERY_HIDDEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
