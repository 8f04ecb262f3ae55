import { breakageOf, linesOf, type RankState } from '../breakage';
import type { InstanceEnd } from '../group/instances';
import type { Member } from '../group/members';
import { judgedAs } from '../server/release';
import type { LogFailure, LogSource } from './report';

/** Lines of a rank that died, at most and at least. */
const MOST_LINES = 100;
const LAST_LINES = 20;

/** A rank with what it has written, the last lines of its last life. */
export interface Written {
  readonly member: Member;
  readonly source: LogSource;
  readonly log: readonly string[];
  /** Nothing as long as it lives. */
  readonly end?: InstanceEnd;
}

/** What the logs tell of a rank that ended by itself. */
export function failureOf(dead: Written, others: readonly Written[], time: string): LogFailure {
  const how = endWords(dead.end ?? {});
  const release = judgedAs([dead, ...others].map(({ member }) => member.engine?.image?.version).find((each) => each));
  const all = [dead, ...others].sort((a, b) => a.member.rank - b.member.rank);
  const states = all.map(({ member, log, end }): RankState => {
    const { code = null, signal } = end ?? {};
    return {
      rank: member.rank,
      podName: member.name,
      log: log.join('\n'),
      ...(end && { fate: endWords(end), exit: { code, signal: signal === undefined ? null : `signal ${signal}` } }),
      ...(end && { endedAs: member === dead.member ? 0 : 1 }),
    };
  });
  const breakage = breakageOf(
    all.map(({ member }) => member),
    states,
    {
      happened: `${dead.member.name} ${how}`,
      otherwise: 'Read the lines of all ranks around that moment; `cdk8s-vllm check` looks at the manifest.',
      ...(release !== undefined && { release }),
    },
  );
  return { kind: 'failure', time, ...dead.source, how, lines: lastWords(dead.log), breakage };
}

/** The last lines of a log; from the first traceback on, where one is among them. */
export function lastWords(log: readonly string[]): string[] {
  const lines = linesOf(log.slice(-MOST_LINES).join('\n'));
  const traceback = lines.findIndex((line) => line.includes('Traceback (most recent call last)'));
  const last = Math.max(0, lines.length - LAST_LINES);
  return lines.slice(traceback < 0 ? last : Math.min(traceback, last));
}

export function endWords({ code, signal, reason }: InstanceEnd): string {
  const why = reason === undefined || reason === 'Error' || reason === 'Completed' ? '' : ` (${reason})`;
  return signal !== undefined
    ? `was ended by signal ${signal}${why}`
    : code === undefined
      ? `ended${why}`
      : code > 128 && code < 160
        ? `ended with ${code}: signal ${code - 128}${why}`
        : `ended with ${code}${why}`;
}
