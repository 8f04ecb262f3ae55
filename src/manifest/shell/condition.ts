import type { Text, Word } from '../text';

/** True, false, or not known. */
export type Truth = boolean | undefined;

/** The lowest and highest value that a text may have as a number. */
export type RangeOf = (text: Text) => { readonly lowest: number; readonly highest: number } | undefined;

export function not(truth: Truth): Truth {
  return truth === undefined ? undefined : !truth;
}

/** What `test`, `[` or `[[` says to its words, the brackets left out. */
export function test(words: readonly Word[], rangeOf: RangeOf): Truth {
  if (words.some(({ maySplit }) => maySplit !== undefined)) {
    return undefined;
  }
  const [first, second, third] = words.map(({ text }) => text);
  const joint = words.findIndex(({ text }) => text.value === '-a' || text.value === '-o');
  if (joint > 0 && words.length > 3) {
    const [left, right] = [test(words.slice(0, joint), rangeOf), test(words.slice(joint + 1), rangeOf)];
    const decides = words[joint]!.text.value === '-o';
    return left === decides || right === decides
      ? decides
      : left === undefined || right === undefined
        ? undefined
        : !decides;
  }
  if (first?.value === '!' && words.length > 1) {
    return not(test(words.slice(1), rangeOf));
  }
  switch (words.length) {
    case 0:
      return false;
    case 1:
      return isFilled(first!);
    case 2:
      return first!.value === '-n' ? isFilled(second!) : first!.value === '-z' ? not(isFilled(second!)) : undefined;
    case 3:
      return compare(first!, second!.value, third!, rangeOf);
    default:
      return undefined;
  }
}

function isFilled(text: Text): Truth {
  // What has a known part is not empty, whatever fills the rest.
  const isOneWord = text.holes.some((hole) => hole.isOneWord === true);
  return text.value !== undefined
    ? text.value !== ''
    : text.pieces.some((piece) => typeof piece === 'string') || isOneWord || undefined;
}

function compare(left: Text, operator: string | undefined, right: Text, rangeOf: RangeOf): Truth {
  const [a, b] = [rangeOf(left), rangeOf(right)];
  const isBelow = a && b ? (a.highest < b.lowest ? true : a.lowest >= b.highest ? false : undefined) : undefined;
  const isAbove = a && b ? (a.lowest > b.highest ? true : a.highest <= b.lowest ? false : undefined) : undefined;
  const isEqual =
    isBelow === true || isAbove === true
      ? false
      : a && b && a.lowest === a.highest && b.lowest === b.highest
        ? a.lowest === b.lowest
        : undefined;
  switch (operator) {
    case '=':
    case '==':
      return sameText(left, right, isEqual);
    case '!=':
      return not(sameText(left, right, isEqual));
    case '-eq':
      return isEqual;
    case '-ne':
      return not(isEqual);
    case '-lt':
      return isBelow;
    case '-ge':
      return not(isBelow);
    case '-gt':
      return isAbove;
    case '-le':
      return not(isAbove);
    default:
      return undefined;
  }
}

function sameText(left: Text, right: Text, isEqual: Truth): Truth {
  if (left.value !== undefined && right.value !== undefined) {
    // `==` in [[ ]] takes a pattern.
    return /[*?[]/.test(right.value) ? undefined : left.value === right.value;
  }
  return isEqual ?? left.sameAs(right);
}
