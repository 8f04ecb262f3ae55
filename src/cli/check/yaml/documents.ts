/** A part of a text that is read by itself. */
export interface Part {
  readonly start: number;
  readonly text: string;
}

/**
 * The documents of a YAML text. It is split before it is read, so that one that is broken does not hide the others: a line
 * that begins with `---` or `...` is a marker wherever it stands, as the content of a block scalar is indented.
 */
export function* documentsOf(text: string): Iterable<Part> {
  const marker = /(?<![^\n])(?:---|\.\.\.)(?=[ \t\r\n]|$)/g;
  let start = 0;
  for (let found = marker.exec(text); found !== null; found = marker.exec(text)) {
    const isEnd = found[0] === '...';
    const before = text.slice(start, found.index);
    // Directives belong to the document whose marker follows them.
    if (isEnd || !isOnlyDirectives(before)) {
      yield { start, text: before };
      start = found.index;
    }
    if (isEnd) {
      const lineEnd = text.indexOf('\n', found.index);
      start = lineEnd < 0 ? text.length : lineEnd + 1;
    }
  }
  yield { start, text: text.slice(start) };
}

/** Whether a part holds nothing but comments and directives, and one of these at least. */
function isOnlyDirectives(part: string): boolean {
  return /^\s*[%#]/.test(part) && /^%/m.test(part) && part.split('\n').every((line) => /^(?:%|\s*#|\s*$)/.test(line));
}

/**
 * Values of a stream of JSON: one after the other, on lines of their own or not. `undefined` when the text is none, or holds
 * one value alone.
 */
export function jsonValuesOf(text: string): Part[] | undefined {
  const parts: Part[] = [];
  let depth = 0;
  let start = -1;
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!;
    if (character === '"') {
      i = endOfString(text, i);
    } else if (character === '{' || character === '[') {
      if (depth++ === 0) {
        start = i;
      }
    } else if (character === '}' || character === ']') {
      if (--depth < 0) {
        return undefined;
      }
      if (depth === 0) {
        parts.push({ start, text: text.slice(start, i + 1) });
      }
    } else if (depth === 0 && !/\s/.test(character)) {
      return undefined;
    }
  }
  if (depth > 0) {
    parts.push({ start, text: text.slice(start) });
  }
  return parts.length > 1 ? parts : undefined;
}

function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') {
      i++;
    } else if (text[i] === '"') {
      return i;
    }
  }
  return text.length;
}
