import { WIDTH } from '../plan/layout';

/**
 * A text whose lines fit a terminal: each is broken at spaces, and goes on `deeper` under its beginning. A longer word stays
 * whole, since paths, ids and addresses are copied.
 */
export function fold(text: string, deeper = 2): string {
  return text
    .split('\n')
    .flatMap((line) => foldLine(line, deeper))
    .join('\n');
}

function foldLine(line: string, deeper: number): string[] {
  if (line.length <= WIDTH) {
    return [line];
  }
  const indent = /^ */.exec(line)![0];
  const lines: string[] = [];
  let current = indent;
  let hasWord = false;
  // Spaces between words stay, as in columns.
  for (const [, gap = '', word = ''] of line.slice(indent.length).matchAll(/( *)([^ ]+)/g)) {
    if (hasWord && current.length + gap.length + word.length > WIDTH) {
      lines.push(current);
      current = indent + ' '.repeat(deeper) + word;
    } else {
      current += gap + word;
    }
    hasWord = true;
  }
  return [...lines, current];
}
