/** Colours of a terminal. */
export const RED = 31;
export const GREEN = 32;
export const YELLOW = 33;

/** A word in bold and in a colour, where escape codes may mark words. */
export function marked(word: string, colour: number, isColoured: boolean): string {
  return isColoured ? `\u001b[1;${colour}m${word}\u001b[0m` : word;
}
