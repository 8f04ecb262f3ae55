import { type Breakage, LOG_PREFIX } from '../operate/breakage';
import { WIDTH, wrap } from './plan/layout';

/** Of what a rank wrote. */
const LONGEST_LINE = 240;

/** What broke, for a person: the rank where it began first. */
export function breakageLines({
  rank,
  podName,
  what,
  lastLines,
  line,
  symptom,
  cause,
  remedy,
  others,
}: Breakage): string[] {
  return [
    ...wrap(
      `Rank ${rank} (${podName}): ${what}${lastLines.length > 0 ? '. Its own lines:' : '; it wrote nothing'}`,
      0,
      2,
    ),
    ...logLines(lastLines),
    ...(line === undefined ? [] : ['', ...wrap(`line: ${line}`, 2, 8)]),
    ...wrap(`cause: ${cause}${symptom === undefined ? '' : ` (${symptom})`}`, 2, 9),
    ...wrap(`fix: ${remedy}`, 2, 7),
    ...others.flatMap((other) =>
      wrap(`rank ${other.rank} ${other.what}; its last line: ${other.lastLine.slice(0, 160)}`, 2, 4),
    ),
  ];
}

/** What vLLM writes before each line stands once, while it stays the same. A line is as it is where it fits, and else several. */
function logLines(log: readonly string[]): string[] {
  let last = '';
  return log
    .flatMap((line) => {
      const prefix = LOG_PREFIX.exec(line)?.[0] ?? '';
      const heads = prefix === last || prefix === '' ? [] : [prefix];
      last = prefix;
      return [...heads, line.slice(prefix.length, prefix.length + LONGEST_LINE)];
    })
    .filter((line) => line.trim() !== '')
    .flatMap((line) => (line.length <= WIDTH - 4 ? [line] : wrap(line, 4, 6).map((each) => each.slice(4))))
    .map((line) => `  | ${line}`);
}
