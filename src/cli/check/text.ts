import { marked } from '../paint';
import { wrap } from '../plan/layout';
import { printable } from '../terminal';
import type { Severity } from '../../rules/finding';
import type { Remark } from './reader';
import type { AcceptedFinding, MoreFindings, Report, ReportedFinding, ReportedObject, UnjudgedObject } from './report';

/** How the text is to look. */
export interface TextOptions {
  readonly isQuiet: boolean;
  readonly colour: boolean;
}

const COLOURS = { error: 31, warning: 33, note: 36, unread: 31 } as const;

/** The report for a person: by file, one line that can be searched and clicked, and the rest of it below. */
export function* textOf(report: Report, options: TextOptions): Iterable<string> {
  let isFirst = true;
  for (const lines of sectionsOf(report, options)) {
    if (lines.length > 0) {
      yield `${isFirst ? '' : '\n'}${lines.join('\n')}\n`;
      isFirst = false;
    }
  }
}

function* sectionsOf(report: Report, options: TextOptions): Iterable<string[]> {
  const { findings, more, accepted, unread, passedBy, unjudged, counts } = report;
  const isSaid = ({ severity }: { severity: Severity }): boolean => !options.isQuiet || severity !== 'note';
  const entries = [
    ...findings.filter(isSaid).map((at) => ({ at, lines: () => findingLines(at, options) })),
    ...unread.map((at) => ({ at, lines: () => unreadLines(at, options) })),
  ];
  const order = new Map([...new Set([...unread, ...findings].map(({ file }) => file))].map((file, i) => [file, i]));
  entries.sort(
    (a, b) => order.get(a.at.file)! - order.get(b.at.file)! || a.at.line - b.at.line || a.at.column - b.at.column,
  );
  for (const { lines } of entries) {
    yield lines();
  }
  yield more.filter(isSaid).map((each) => oneLine(moreWords(each)));
  if (!options.isQuiet) {
    yield acceptedLines(accepted, counts.accepted);
    yield passedByLines(passedBy, counts.passedBy);
    yield [
      summary(report),
      ...(unjudged.length > 0 ? wrap(oneLine(unjudgedWords(unjudged, counts.unjudged)), 0, 2) : []),
    ];
  }
}

/** How many findings of a rule are not listed. */
export function moreWords({ id, severity, count }: MoreFindings): string {
  return `${id}: ${count} more ${severity}${count === 1 ? '' : 's'} not listed`;
}

/** Objects that are named in the summary. */
const MOST_NAMED = 5;

/** What was read and not judged, though vLLM is in it. */
export function unjudgedWords(unjudged: readonly UnjudgedObject[], count: number): string {
  const names = unjudged.slice(0, MOST_NAMED).map(objectName).join(', ');
  const more = count > MOST_NAMED ? ` and ${count - MOST_NAMED} more` : '';
  return `${plural(count, 'object')} ${count === 1 ? 'names' : 'name'} an image of vLLM in a kind that is not judged: ${names}${more}`;
}

function placeOf({ file, line, column }: Remark | ReportedFinding): string {
  return `${oneLine(file)}:${line}:${column}`;
}

function findingLines(finding: ReportedFinding, { colour }: TextOptions): string[] {
  const { id, severity, object, path, what, why, fix } = finding;
  const where = [object && objectName(object), path].filter(Boolean).join(' ');
  return [
    `${placeOf(finding)} ${marked(severity, COLOURS[severity], colour)} ${oneLine(id)}  ${oneLine(what)}`,
    ...wrap(oneLine(where), 2, 4),
    ...wrap(`why: ${oneLine(why)}`, 2, 7),
    ...wrap(`fix: ${oneLine(fix)}`, 2, 7),
  ];
}

function unreadLines(remark: Remark, { colour }: TextOptions): string[] {
  // A place within what is not there would be looked for.
  const where = 'isWhole' in remark ? oneLine(remark.file) : placeOf(remark);
  return [`${where} ${marked('could not be read', COLOURS.unread, colour)}: ${oneLine(remark.message)}`];
}

function acceptedLines(accepted: readonly AcceptedFinding[], count: number): string[] {
  return accepted.length === 0
    ? []
    : [
        'accepted',
        ...accepted.flatMap((finding) => [
          `  ${placeOf(finding)} ${oneLine(finding.id)}${finding.object ? ` ${oneLine(objectName(finding.object))}` : ''}`,
          ...wrap(oneLine(finding.reason), 4),
        ]),
        ...(count > accepted.length ? [`  and ${count - accepted.length} more`] : []),
      ];
}

/** Those of a kind together: a folder may hold hundreds of files that are no manifests. */
function passedByLines(passedBy: readonly Remark[], count: number): string[] {
  const MOST = 10;
  return passedBy.length === 0
    ? []
    : [
        'passed by',
        ...passedBy.slice(0, MOST).map((remark) => `  ${placeOf(remark)} ${oneLine(remark.message)}`),
        ...(count > MOST ? [`  and ${count - MOST} more`] : []),
      ];
}

/** How much was read and found, in a line. */
export function summary({ counts }: Report): string {
  const { files, objects, errors, warnings, notes, accepted, leftOut, unread } = counts;
  const found = [
    ...(errors > 0 ? [plural(errors, 'error')] : []),
    ...(warnings > 0 ? [plural(warnings, 'warning')] : []),
    ...(notes > 0 ? [plural(notes, 'note')] : []),
  ];
  return [
    `${found.length === 0 ? 'no findings' : found.join(', ')} in ${plural(objects, 'object')} of ${plural(files, 'file')}`,
    ...(accepted > 0 ? [`${accepted} accepted`] : []),
    ...(leftOut > 0 ? [`${leftOut} left out`] : []),
    ...(unread > 0 ? [`${plural(unread, 'part')} could not be read`] : []),
  ].join('; ');
}

/** `Kind/name`, and the namespace when the object says it. */
export function objectName({ kind, name, namespace }: ReportedObject): string {
  return `${kind}/${name}${namespace === undefined ? '' : ` in ${namespace}`}`;
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** Words of others, which must neither drive the terminal nor begin a line of their own. */
function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' '));
}
