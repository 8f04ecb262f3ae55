/** Columns of a terminal that everything fits into. */
export const WIDTH = 80;

/** A sentence in lines, broken at spaces, and within a word only where it is longer than a line. */
export function wrap(text: string, indent = 2, following = indent): string[] {
  const lines: string[] = [];
  let line = '';
  let room = WIDTH - indent;
  const end = (): void => {
    lines.push(' '.repeat(lines.length === 0 ? indent : following) + line);
    line = '';
    room = WIDTH - following;
  };
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    if (line !== '' && line.length + 1 + word.length > room) {
      end();
    }
    line += line === '' ? word : ` ${word}`;
    while (line.length > room) {
      const rest = line.slice(room);
      line = line.slice(0, room);
      end();
      line = rest;
    }
  }
  if (line !== '') {
    end();
  }
  return lines;
}

/** A text behind a label; further lines stand under the text. */
export function labelled(label: string, text: string, width = 8): string[] {
  const [first = '', ...rest] = wrap(text, width);
  return [`${label.padEnd(width)}${first.slice(width)}`, ...rest];
}

/** Rows as columns, two spaces apart; the columns named in `left` begin at the left, numbers end at the right. */
export function columns(rows: readonly (readonly string[])[], left: readonly number[] = [], indent = 2): string[] {
  const widths = rows.reduce<number[]>((known, row) => row.map((cell, i) => Math.max(known[i] ?? 0, cell.length)), []);
  return rows.map((row) =>
    `${' '.repeat(indent)}${row
      .map((cell, i) => (left.includes(i) ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
      .join('  ')}`.trimEnd(),
  );
}

/** A command in lines that a shell takes together. */
export function commandLines(words: readonly string[], indent = 4): string[] {
  const lines: string[] = [];
  let line = ' '.repeat(indent);
  for (const word of words) {
    if (line.trim() !== '' && line.length + 1 + word.length > WIDTH - 2) {
      lines.push(`${line} \\`);
      line = ' '.repeat(indent + 2);
    }
    line += line.trim() === '' ? word : ` ${word}`;
  }
  return [...lines, line];
}

/** One part of a bar. */
export interface Segment {
  readonly mark: string;
  readonly amount: number;
}

/** A bar of `width` characters for a whole of `of`; what no segment fills is free. Rounded so that the parts add up. */
export function bar(segments: readonly Segment[], of: number, width: number): string {
  let text = '';
  let sum = 0;
  for (const { mark, amount } of segments) {
    sum += amount;
    const end = Math.min(width, Math.round((sum / of) * width));
    text += mark.repeat(Math.max(0, end - text.length));
  }
  return text.padEnd(width, '.');
}
