import { printable } from '../terminal';
import type { Remark } from './reader';
import type { Report, ReportedFinding } from './report';
import { objectName, summary } from './text';

const COMMANDS = { error: 'error', warning: 'warning', note: 'notice' } as const;

/** The report as commands of a GitHub workflow, which shows them beside the lines. */
export function githubOf(report: Report, isQuiet: boolean): string {
  const findings = report.findings
    .filter(({ severity }) => !isQuiet || severity !== 'note')
    .map((finding) => {
      const { id, severity, object, path, what, why, fix } = finding;
      const where = [object && objectName(object), path].filter(Boolean).join(' ');
      return command(COMMANDS[severity], finding, id, `${what}\nwhy: ${why}\nfix: ${fix}\n${where}`);
    });
  const unread = report.unread.map((remark) => command('error', remark, 'could not be read', remark.message));
  return `${[...findings, ...unread, ...(isQuiet ? [] : [printable(summary(report))])].join('\n')}\n`.replace(
    /^\n$/,
    '',
  );
}

function command(
  name: string,
  { file, line, column }: Remark | ReportedFinding,
  title: string,
  message: string,
): string {
  const properties = Object.entries({ file, line, col: column, title }).map(
    ([key, value]) => `${key}=${property(value)}`,
  );
  return `::${name} ${properties.join(',')}::${data(message)}`;
}

function data(text: string): string {
  return printable(text).replaceAll('%', '%25').replaceAll('\n', '%0A');
}

function property(value: string | number): string {
  return data(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
