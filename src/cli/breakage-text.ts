import { type Breakage, LOG_PREFIX } from '../operate/breakage';
import { WIDTH, wrap } from './plan/layout';

/** Of what a rank wrote. */
const LONGEST_LINE = 240;

/** What broke, for a person: the rank where it began first. */
export function breakageLines(breakage: Breakage): string[] {
  const { line, symptom, cause, remedy, others } = breakage;
  return [
    ...rankLines(breakage),
    ...(line === undefined ? [] : ['', ...wrap(`line: ${line}`, 2, 8)]),
    ...wrap(`cause: ${cause}${symptom === undefined ? '' : ` (${symptom})`}`, 2, 9),
    ...wrap(`fix: ${remedy}`, 2, 7),
    ...others.flatMap((other) =>
      wrap(`rank ${other.rank} ${other.what}; its last line: ${other.lastLine.slice(0, 160)}`, 2, 4),
    ),
  ];
}

/** What happened to a rank, and what it wrote. */
export function rankLines({
  rank,
  podName,
  what,
  lastLines,
}: Pick<Breakage, 'rank' | 'podName' | 'what' | 'lastLines'>): string[] {
  const said = lastLines.length > 0 ? '. Its own lines:' : '; it wrote nothing';
  return [...wrap(`Rank ${rank} (${podName}): ${what}${said}`, 0, 2), ...logLines(lastLines)];
}

/** What vLLM writes before each line stands once, while it stays the same. A line is as it is where it fits, and else several. */
function logLines(log: readonly string[]): string[] {
  let last = '';
  return log
    .flatMap((line) => {
      const prefix = LOG_PREFIX.exec(line)?.[0] ?? '';
      const heads = prefix === last || prefix === '' ? [] : [prefix];
      last = prefix;
      return [...heads, withoutFolders(line.slice(prefix.length)).slice(0, LONGEST_LINE)];
    })
    .filter((line) => line.trim() !== '')
    .flatMap((line) => (line.length <= WIDTH - 4 ? [line] : folded(line)))
    .map((line) => `  | ${line}`);
}

/** A place in a traceback as `File "…/vllm/v1/engine/core.py", line 745`: where Python's packages lie is the same for all of them. */
function withoutFolders(line: string): string {
  return line.replace(/^(\s*File ")[^"]*\/(?:(?:site|dist)-packages|lib\/python3\.\d+)\//, '$1…/');
}

function folded(line: string): string[] {
  const indent = 4 + Math.min(line.search(/\S/), 20);
  return wrap(line, indent, indent + 2).map((each) => each.slice(4));
}
