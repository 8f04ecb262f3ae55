import { printable } from '../terminal';
import type { Remark } from './reader';
import type { Report, ReportedFinding } from './report';
import { moreWords, objectName, summary, unjudgedWords } from './text';

const COMMANDS = { error: 'error', warning: 'warning', note: 'notice' } as const;

/** The report as commands of a GitHub workflow, which shows them beside the lines. */
export function* githubOf(report: Report, isQuiet: boolean): Iterable<string> {
  for (const finding of report.findings) {
    const { id, severity, object, path, what, why, fix } = finding;
    if (!isQuiet || severity !== 'note') {
      const where = [object && objectName(object), path].filter(Boolean).join(' ');
      yield `${command(COMMANDS[severity], finding, id, `${what}\nwhy: ${why}\nfix: ${fix}\n${where}`)}\n`;
    }
  }
  for (const remark of report.unread) {
    yield `${command('error', remark, 'could not be read', remark.message)}\n`;
  }
  for (const more of report.more.filter(({ severity }) => !isQuiet || severity !== 'note')) {
    yield `::${COMMANDS[more.severity]} title=${property(more.id)}::${data(moreWords(more))}\n`;
  }
  if (!isQuiet) {
    yield `${printable(summary(report))}\n`;
    if (report.unjudged.length > 0) {
      yield `${printable(unjudgedWords(report.unjudged, report.counts.unjudged))}\n`;
    }
  }
}

function command(name: string, about: Remark | ReportedFinding, title: string, message: string): string {
  const { file, line, column } = about;
  const place: Readonly<Record<string, number>> = 'isWhole' in about ? {} : { line, col: column };
  const properties = Object.entries<string | number>({ file, ...place, title }).map(
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
