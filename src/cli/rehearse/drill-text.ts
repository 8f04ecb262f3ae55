import type { DrillReport, FaultReport } from '../../operate/rehearse/drill/report';
import { breakageLines } from '../breakage-text';
import { labelled, wrap } from '../plan/layout';
import { printable } from '../terminal';

const MARKS = { yes: 'ok', no: 'NO', unproven: '?' } as const;

/** The report of a drill for a person, in 80 columns. */
export function drillText({ group, vllm, faults, breakage, held }: DrillReport): string {
  const head = wrap(
    `${held ? 'held' : 'did not hold'}: ${group.kind} ${group.name} under ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}, vLLM ${vllm}` +
      (breakage === undefined ? '' : '; it did not come up, so nothing more could be broken'),
    0,
    2,
  );
  const broken = breakage === undefined ? [] : [breakageLines(breakage)];
  return `${[head, ...broken, ...faults.map(faultLines)].map((lines) => lines.map(printable).join('\n')).join('\n\n')}\n`;
}

function faultLines({
  fault,
  did,
  health,
  request,
  otherRank,
  leaderEnd,
  bound,
  kubelet,
  held,
  said,
}: FaultReport): string[] {
  const line = (label: string, text: string): string[] => labelled(`  ${label}`, text, 14);
  return [
    ...wrap(`${fault} ${MARKS[held]}`, 0),
    ...line('did', did),
    ...line('/health', health),
    ...line('request', request),
    ...line('ranks', otherRank),
    ...(leaderEnd ? line('leader', `left after ${leaderEnd.seconds.toFixed(0)} s: ${leaderEnd.how}`) : []),
    ...(bound ? line('bound', `${bound.seconds} s, by ${bound.by}`) : []),
    ...kubelet.flatMap(({ what }) => line('kubelet', what)),
    ...line('so', said),
  ];
}
