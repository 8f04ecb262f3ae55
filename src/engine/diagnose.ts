import { holdsIn } from './releases';
import { type Symptom, SYMPTOMS } from './symptoms';
import { releaseOf } from './version';

/** What is known about where lines come from. */
export interface LogContext {
  /** Rank whose log it is: 0 is the leader. */
  readonly rank?: number;
  /** vLLM in the image; symptoms of other releases are left out. */
  readonly version?: string;
}

/** A symptom that some line shows. */
export interface Diagnosis {
  readonly symptom: Symptom;
  /** Number of the first line that shows it, from 1. */
  readonly line: number;
  /** That line, cut to what a terminal can show. */
  readonly text: string;
  /** How many lines show it. */
  readonly count: number;
  /** Whether the next place to look is another rank, or the cluster, rather than this log. */
  readonly lookElsewhere: boolean;
}

/** Nothing that a pattern looks for stands behind this; the engine's configuration makes lines of several kilobytes. */
const LONGEST_LINE = 4096;
const LONGEST_TEXT = 300;

const ORDER = { cause: 0, consequence: 1, end: 2, hint: 3 } as const satisfies Record<Symptom['role'], number>;

/**
 * Finds known failures in the lines of a log, or in events: what names a cause before what follows from one, and within
 * these the first line first.
 *
 * @example
 *   diagnose(log.split('\n'), { rank: 0, version: '0.31.0' })[0]?.symptom.remedy
 */
export function diagnose(lines: Iterable<string>, context: LogContext = {}): Diagnosis[] {
  const release = context.version === undefined ? undefined : releaseOf(context.version);
  const known = SYMPTOMS.filter((symptom) => release === undefined || holdsIn(symptom, release));
  const found = new Map<Symptom, { line: number; text: string; count: number }>();
  let number = 0;
  for (const whole of lines) {
    number += 1;
    const line = whole.length > LONGEST_LINE ? whole.slice(0, LONGEST_LINE) : whole;
    for (const symptom of known) {
      if (symptom.pattern.test(line)) {
        const before = found.get(symptom);
        if (before === undefined) {
          found.set(symptom, { line: number, text: line.trim().slice(0, LONGEST_TEXT), count: 1 });
        } else {
          before.count += 1;
        }
      }
    }
  }
  return [...found]
    .map(([symptom, where]) => ({ symptom, ...where, lookElsewhere: isElsewhere(symptom, context.rank) }))
    .sort((a, b) => ORDER[a.symptom.role] - ORDER[b.symptom.role] || a.line - b.line);
}

function isElsewhere({ look, where }: Symptom, rank: number | undefined): boolean {
  switch (look.rank) {
    case 'this':
      return false;
    case 'leader':
      return rank !== 0;
    case 'workers':
      // Whoever looks at one worker still has to look at the others, unless the line is one of a worker itself.
      return rank === undefined || rank === 0 || where !== 'worker';
    case 'others':
    case 'cluster':
      return true;
  }
}
