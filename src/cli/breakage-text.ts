import type { Breakage } from '../operate/breakage';
import { wrap } from './plan/layout';

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
    `Rank ${rank} (${podName}): ${what}. Its last lines:`,
    ...lastLines.map((each) => `  | ${each.slice(0, 240)}`),
    ...(line === undefined ? [] : ['', ...wrap(`line: ${line}`, 2, 8)]),
    ...wrap(`cause: ${cause}${symptom === undefined ? '' : ` (${symptom})`}`, 2, 9),
    ...wrap(`fix: ${remedy}`, 2, 7),
    ...others.flatMap((other) =>
      wrap(`rank ${other.rank} ${other.what}; its last line: ${other.lastLine.slice(0, 160)}`, 2, 4),
    ),
  ];
}
