import { linesOf } from '../../operate/breakage';
import type { LogEntry, LogFailure, LogLine, LogSource } from '../../operate/logs/report';
import { breakageLines, rankLines } from '../breakage-text';
import { marked, RED, YELLOW } from '../paint';
import { printable } from '../terminal';

/** Colours of ranks: the leader, then the workers. */
const COLOURS = [36, 35, 34, 32, 33] as const;
const LONGEST_LABEL = 24;

/** How entries are written for a person. */
export class LogText {
  public constructor(
    private readonly size: number,
    private readonly colour: boolean,
  ) {}

  public of(entry: LogEntry): string {
    return entry.kind === 'line'
      ? this.line(entry)
      : entry.kind === 'note'
        ? `${clock(entry.time)} ${marked('*', YELLOW, this.colour)} ${printable(`${entry.pod ?? ''} ${entry.text}`.trim())}\n`
        : this.failure(entry);
  }

  private line(line: LogLine): string {
    // Colours of the program itself say nothing here, and half of one would drive the terminal.
    const [text = ''] = linesOf(line.text);
    const label = this.label(line).padEnd(this.size > 2 ? 'worker 10'.length : 'worker'.length);
    return `${clock(line.time)} ${this.painted(label, line.rank)} ${printable(text)}\n`;
  }

  private failure(failure: LogFailure): string {
    const { rank, pod, restart, how, lines, breakage } = failure;
    const again = restart === 0 ? '' : ` (after ${restart} ${restart === 1 ? 'restart' : 'restarts'})`;
    // It may have begun on another rank: then that one follows.
    const own = { ...breakage, rank, podName: pod, what: `${how}${again}`, lastLines: lines };
    const told = breakage.rank === rank ? breakageLines(own) : [...rankLines(own), '', ...breakageLines(breakage)];
    const rule = '-'.repeat(80);
    const [head = '', ...rest] = told.map(printable);
    return [rule, marked(head, RED, this.colour), ...rest, rule, ''].join('\n');
  }

  private label({ role, rank, pod }: LogSource): string {
    return role === 'single'
      ? pod.slice(-LONGEST_LABEL)
      : role === 'leader' || this.size <= 2
        ? role
        : `${role} ${rank}`;
  }

  private painted(label: string, rank: number): string {
    const colour = rank === 0 ? COLOURS[0] : COLOURS[1 + ((rank - 1) % (COLOURS.length - 1))]!;
    return this.colour ? `\u001b[${colour}m${label}\u001b[0m` : label;
  }
}

/** Time of day in UTC, as in the files that are kept. */
function clock(time: string): string {
  return time === '' ? '            ' : time.slice(11, 23).replace('Z', '').padEnd(12);
}
