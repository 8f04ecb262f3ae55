/** A text may quote a word of any length; it is still known by its beginning. */
const MOST_CHARACTERS = 2000;

/** A text that is fit to be listed a thousand times. */
export function clip(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}… (${text.length} characters)` : text;
}
