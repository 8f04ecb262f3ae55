import type { SmokeCheck, SmokeReport } from '../../operate/smoke/report';
import { breakageLines } from '../breakage-text';
import { GREEN, marked, RED, YELLOW } from '../paint';
import { columns, labelled, wrap } from '../plan/layout';
import { printable } from '../terminal';

const TITLES: Readonly<Record<SmokeCheck['id'], string>> = {
  pods: 'pods',
  health: 'health',
  model: 'model',
  chat: 'completion',
  stream: 'stream',
  key: 'API key',
  alive: 'afterwards',
};
const MARKS = { yes: ['ok ', GREEN], no: ['NO ', RED], unproven: ['?  ', YELLOW] } as const;

/** The report for a person, in 80 columns: what broke first, then what held. */
export function textOf(report: SmokeReport, colour: boolean): string {
  const { checks, breakage, group, unread } = report;
  const sections = [
    headOf(report).map(printable),
    breakage === undefined ? [] : breakageLines(breakage).map(printable),
    ['What was looked at', ...checks.flatMap((each) => checkLines(each, colour))],
    group === undefined ? [] : ['Pods', ...podLines(group).map(printable)],
    unread.length === 0
      ? []
      : ['Logs that could not be read', ...unread.flatMap((why) => wrap(`- ${why}`, 2, 4)).map(printable)],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function headOf({ held, group, url, version, model, keyFrom }: SmokeReport): string[] {
  const what = [
    ...(group === undefined
      ? []
      : [`${group.kind} ${group.name} in ${group.namespace}, ${group.size} ${group.size === 1 ? 'pod' : 'pods'}`]),
    ...(url === undefined ? [] : [url]),
    ...(version === undefined ? [] : [`vLLM ${version}`]),
    ...(model === undefined ? [] : [model]),
    ...(keyFrom === undefined ? [] : [`key of ${keyFrom}`]),
  ];
  return wrap(`${held ? 'held' : 'did not hold'}: ${what.join(', ')}`, 0, 2);
}

function checkLines({ id, held, said }: SmokeCheck, colour: boolean): string[] {
  const [mark, paint] = MARKS[held];
  const [first = '', ...rest] = labelled(`  ${mark} ${TITLES[id]}`, said, 18).map(printable);
  return [`  ${marked(mark.trimEnd(), paint, colour)}${first.slice(2 + mark.trimEnd().length)}`, ...rest];
}

function podLines({ pods }: NonNullable<SmokeReport['group']>): string[] {
  const again = (restarts: number): string =>
    restarts === 0 ? '' : `restarted ${restarts} ${restarts === 1 ? 'time' : 'times'}`;
  return columns(
    pods.map(({ rank, name, role, node, restarts }) => [String(rank), name, role, node ?? 'no node', again(restarts)]),
    [0, 1, 2, 3, 4],
  );
}
