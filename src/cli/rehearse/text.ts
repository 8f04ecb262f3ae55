import { GIBI } from '../../common/numbers';
import type { Change } from '../../operate/rehearse/changes';
import type { Check, RehearsalReport } from '../../operate/rehearse/report';
import { breakageLines } from '../breakage-text';
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

export function changeLines(changes: readonly Change[]): string[] {
  return [
    'Otherwise here than in the bundle',
    ...changes.flatMap(({ what, bundle, here, why }) =>
      wrap(`- ${what}: ${bundle === undefined ? '' : `${bundle} -> `}${here} (${why})`, 2, 4),
    ),
  ];
}
