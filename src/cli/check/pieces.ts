/** A document has this many levels above what is written in one go: `runs[0].results[0]` of SARIF. */
const LEVELS = 4;

/** JSON as `JSON.stringify` with two spaces writes it, in pieces: a text of everything may be longer than there can be. */
export function* jsonPieces(value: unknown, indent = '', level = 0): Iterable<string> {
  if (level < LEVELS && typeof value === 'object' && value !== null) {
    const isList = Array.isArray(value);
    const entries = Object.entries(value).filter(([, each]) => isList || each !== undefined);
    if (entries.length > 0) {
      let before = isList ? '[' : '{';
      for (const [key, each] of entries) {
        yield `${before}\n${indent}  ${isList ? '' : `${JSON.stringify(key)}: `}`;
        yield* jsonPieces(each, `${indent}  `, level + 1);
        before = ',';
      }
      yield `\n${indent}${isList ? ']' : '}'}`;
      return;
    }
  }
  // Line ends within texts are escaped, so each one left is of the layout.
  yield JSON.stringify(value, undefined, 2).replaceAll('\n', `\n${indent}`);
}

/** Characters that are written at once. */
const CHUNK = 64 * 1024;

/** The same text in fewer and longer pieces. */
export function* chunksOf(pieces: Iterable<string>): Iterable<string> {
  let chunk = '';
  for (const piece of pieces) {
    chunk += piece;
    if (chunk.length >= CHUNK) {
      yield chunk;
      chunk = '';
    }
  }
  if (chunk !== '') {
    yield chunk;
  }
}
