import type { ClusterDrillReport, DrillFaultReport, DrillNotOffered } from '../../operate/drill/report';
import { SLACK_SECONDS } from '../../operate/drill/verdict';
import { printable } from '../terminal';
import { boundWords, costWords, podWords, requestWords } from './text';

/** The report for a record of operations. */
export function markdownOf(report: ClusterDrillReport): string {
  const { group, vllm, isDryRun, planned, notOffered, notMade, faults, held } = report;
  const { kind, name, namespace, size, nodes } = group;
  const lines = [
    `# Drill of ${cell(`${kind} ${name}`)}`,
    '',
    `Namespace ${cell(namespace)}, ${size} ${size === 1 ? 'pod' : 'pods'} on ${cell(nodes.join(', '))}${vllm === undefined ? '' : `, vLLM ${cell(vllm)}`}.`,
    isDryRun
      ? 'Nothing was done.'
      : `**${held ? 'All healed within their bounds' : 'Not all healed within their bounds'}.**`,
    ...(isDryRun
      ? [
          '',
          '| Fault | What it does | Bound |',
          '| --- | --- | --- |',
          ...planned.map(
            ({ fault, does, bound }) =>
              `| ${fault} | ${cell(does)} | ${bound === undefined ? 'none' : cell(boundWords(bound))} |`,
          ),
        ]
      : summaryOf(faults)),
    ...faults.flatMap(section),
    ...notMadeOf('Not made, or not to its end', notMade),
    ...notMadeOf('Cannot be made here', notOffered),
  ];
  return `${lines.join('\n')}\n`;
}

function notMadeOf(title: string, faults: readonly DrillNotOffered[]): string[] {
  return faults.length === 0
    ? []
    : ['', `## ${title}`, '', ...faults.map(({ fault, why }) => `- ${fault}: ${cell(why)}`)];
}

function summaryOf(faults: readonly DrillFaultReport[]): string[] {
  return [
    '',
    `| Fault | Held | First good token | Container start to 200 | Everything else | Bound, and ${SLACK_SECONDS} s |`,
    '| --- | --- | ---: | ---: | ---: | ---: |',
    ...faults.map(
      ({ fault, held, totalSeconds, loadSeconds, overheadSeconds, bound }) =>
        `| ${fault} | ${held} | ${[totalSeconds, loadSeconds, overheadSeconds, bound?.seconds].map((each) => (each === undefined ? '–' : `${each} s`)).join(' | ')} |`,
    ),
  ];
}

function section(report: DrillFaultReport): string[] {
  const { fault, at, did, steps, request, said, stillBroken } = report;
  return [
    '',
    `## ${fault}`,
    '',
    `${cell(at)}: ${cell(did)}. ${cell(said)}.`,
    ...(stillBroken === undefined ? [] : ['', `**Left:** ${cell(stillBroken)}`]),
    '',
    '| After the fault | | |',
    '| ---: | --- | --- |',
    ...steps.map(({ seconds, step, what }) => `| ${seconds.toFixed(1)} s | ${step} | ${cell(what)} |`),
    '',
    `- Request: ${cell(requestWords(request))}`,
    `- Cost: ${costWords(report)}`,
    `- Pods: ${podWords(report)}`,
  ];
}

function cell(text: string): string {
  return printable(text)
    .replace(/[|\\`*_<>]/g, '\\$&')
    .replaceAll('\n', ' ');
}
