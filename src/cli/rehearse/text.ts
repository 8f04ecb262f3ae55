import { GIBI } from '../../common/numbers';
import type { Change } from '../../operate/rehearse/changes';
import { LOG_PREFIX } from '../../operate/rehearse/breakage';
import type { Breakage, Check, RehearsalReport } from '../../operate/rehearse/report';
import { labelled, WIDTH, wrap } from '../plan/layout';
import { printable } from '../terminal';

const TITLES: Readonly<Record<Check['id'], string>> = {
  ready: 'ready',
  chat: 'chat',
  stream: 'stream',
  key: 'API key',
  'open-paths': 'open paths',
  crossing: 'every rank',
  cache: 'KV cache',
  alive: 'all alive',
};
/** Of what a rank wrote. */
const LONGEST_LINE = 240;
const MARKS = { yes: 'ok', no: 'NO', unproven: '?' } as const;

/** The report for a person, in 80 columns: what broke first, then what held, then what was different here. */
export function textOf(report: RehearsalReport): string {
  const { group, vllm, isolation, ranks, held, breakage, checks, changes } = report;
  const sections = [
    wrap(
      `${held ? 'held' : 'did not hold'}: ${group.kind} ${group.name}, ${ranks.length} ${ranks.length === 1 ? 'rank' : 'ranks'} of vLLM ${vllm}, ` +
        `${isolation === 'isolated' ? 'each in a network of its own' : 'on loopback addresses'}`,
      0,
      2,
    ),
    breakage === undefined ? [] : breakageLines(breakage),
    [
      'What was looked at',
      ...checks.flatMap(({ id, held: how, said }) => labelled(`  ${MARKS[how].padEnd(3)} ${TITLES[id]}`, said, 18)),
    ],
    [
      'Ranks',
      ...ranks.flatMap(({ rank, podName, address, cpuSeconds, memoryBytes }) => {
        const took = `${cpuSeconds.toFixed(0)} CPU-s  ${(memoryBytes / GIBI).toFixed(1)} GiB`;
        const line = `  ${rank}  ${podName}  ${address}  ${took}`;
        return line.length <= WIDTH ? line : [...wrap(`${rank}  ${podName}`, 2, 5), `     ${address}  ${took}`];
      }),
    ],
    changeLines(changes),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map(printable).join('\n'))
    .join('\n\n')}\n`;
}

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
    ...wrap(`Rank ${rank} (${podName}): ${what}. Its own lines:`, 0, 2),
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
    .flatMap((line) => (line.length <= WIDTH - 4 ? [line] : wrap(line, 4, 6).map((each) => each.slice(4))))
    .map((line) => `  | ${line}`);
}

export function changeLines(changes: readonly Change[]): string[] {
  return [
    'Otherwise here than in the bundle',
    ...changes.flatMap(({ what, bundle, here, why }) =>
      wrap(`- ${what}: ${bundle === undefined ? '' : `${bundle} -> `}${here} (${why})`, 2, 4),
    ),
  ];
}
