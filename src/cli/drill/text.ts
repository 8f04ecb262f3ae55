import type { ClusterDrillReport, DrillFaultReport, DrillNotOffered } from '../../operate/drill/report';
import type { Bound } from '../../operate/bounds';
import { SLACK_SECONDS } from '../../operate/drill/verdict';
import { GREEN, marked, RED } from '../paint';
import { labelled, wrap } from '../plan/layout';
import { printable } from '../terminal';

/** The report for a person, in 80 columns. */
export function textOf(report: ClusterDrillReport, colour: boolean): string {
  const sections = report.isDryRun
    ? [headOf(report), planOf(report), notOfferedOf(report)]
    : [
        headOf(report),
        ...report.faults.map((fault) => faultLines(fault, colour)),
        notMadeOf('What was not made, or not to its end', report.notMade),
        notOfferedOf(report),
      ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function headOf({ group, vllm, isDryRun, held, planned }: ClusterDrillReport): string[] {
  const { kind, name, namespace, size, nodes } = group;
  const what = `${kind} ${name} in ${namespace}, ${size} ${size === 1 ? 'pod' : 'pods'} on ${nodes.join(', ')}`;
  if (isDryRun) {
    const times = planned.length === 1 ? 'once' : `${planned.length} times`;
    const would = planned.length === 0 ? `nothing can be broken of ${what}` : `--yes breaks ${what}, ${times}`;
    return wrap(`nothing was done: ${would}`, 0, 2);
  }
  return wrap(`${held ? 'held' : 'did not hold'}: ${what}${vllm === undefined ? '' : `, vLLM ${vllm}`}`, 0, 2);
}

function planOf({ planned }: ClusterDrillReport): string[] {
  return planned.length === 0
    ? []
    : [
        'What would be done, one after the other, each until requests are answered again',
        ...planned.flatMap(({ fault, does, bound }) =>
          labelled(
            `  ${fault}`,
            `${does}; ${bound === undefined ? 'nothing in the manifest ends that, so all of --timeout is waited for' : `healed within ${boundWords(bound)}, and a start`}`,
            20,
          ).map(printable),
        ),
      ];
}

function notOfferedOf({ notOffered }: ClusterDrillReport): string[] {
  return notMadeOf('What cannot be done here', notOffered);
}

function notMadeOf(title: string, faults: readonly DrillNotOffered[]): string[] {
  return faults.length === 0
    ? []
    : [title, ...faults.flatMap(({ fault, why }) => labelled(`  ${fault}`, why, 20).map(printable))];
}

function faultLines(report: DrillFaultReport, colour: boolean): string[] {
  const { fault, did, request, steps, held, said, bound, stillBroken } = report;
  const [mark, shade] = held === 'yes' ? (['ok', GREEN] as const) : (['NO', RED] as const);
  const [head = '', ...more] = labelled(mark, printable(`${fault}: ${said}`), 4);
  return [
    `${marked(mark, shade, colour)}${head.slice(mark.length)}`,
    ...more,
    ...(stillBroken === undefined ? [] : labelled('    LEFT', stillBroken, 14).map(printable)),
    ...labelled('    did', did, 14).map(printable),
    ...steps.map(({ step, seconds, what }) =>
      printable(`    ${seconds.toFixed(1).padStart(7)} s  ${step.padEnd(13)}  ${what}`).slice(0, 80),
    ),
    ...labelled('    request', requestWords(request), 14).map(printable),
    ...labelled('    cost', costWords(report), 14),
    ...(bound === undefined ? [] : labelled('    bound', boundWords(bound), 14).map(printable)),
    ...labelled('    pods', podWords(report), 14),
  ];
}

/** What a recovery may cost: by the manifest, and what is allowed beside it. */
export function boundWords({ seconds, by }: Bound): string {
  return `${seconds} s (${by}) and ${SLACK_SECONDS} s for controllers and scheduler`;
}

export function requestWords({ tokensBefore, tokens, seconds, said }: DrillFaultReport['request']): string {
  const counted =
    tokensBefore === 0 && tokens === 0 ? '' : `${tokensBefore} tokens before the fault, ${tokens} in all; `;
  return `${counted}${said} (${seconds.toFixed(1)} s after the fault)`;
}

export function costWords({ totalSeconds, loadSeconds, overheadSeconds }: DrillFaultReport): string {
  return totalSeconds === undefined
    ? 'no request was answered any more'
    : `${totalSeconds.toFixed(1)} s from the fault to the first good token: ${(loadSeconds ?? 0).toFixed(1)} s from container start to the first 200, ` +
        `${(overheadSeconds ?? 0).toFixed(1)} s for everything else`;
}

export function podWords({ isWholeGroupNew, before, after }: DrillFaultReport): string {
  return isWholeGroupNew
    ? `all ${after.length} are new`
    : after
        .map(
          (uid, rank) =>
            `rank ${rank} ${uid === '' ? 'is missing' : before.includes(uid) ? 'is the old one' : 'is new'}`,
        )
        .join(', ');
}
