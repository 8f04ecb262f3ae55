import { isAbsolute, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { version } from '../../../package.json';
import { STDIN } from './files';
import { FACTS, type RuleFacts } from './judge';
import { escapedPieces } from './json';
import type { Remark } from './reader';
import type { AcceptedFinding, Report, ReportedFinding, UnjudgedObject } from './report';
import { moreWords, objectName, unjudgedWords } from './text';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

/** The report as SARIF 2.1.0, which code scanning services read. */
export function sarifOf(report: Report): Iterable<string> {
  const all = [...report.findings, ...report.accepted];
  const ids = [...new Set(all.map(({ id }) => id))].sort();
  const indices = new Map(ids.map((id, i) => [id, i]));
  const log = {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'cdk8s-vllm',
            semanticVersion: version,
            rules: ids.map((id) => descriptor(id, FACTS.get(id))),
          },
        },
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful: report.unread.length === 0,
            toolExecutionNotifications: [
              ...report.unread.map((remark) => ({
                level: 'error',
                message: { text: `could not be read: ${remark.message}` },
                locations: [{ physicalLocation: physicalLocation(remark) }],
              })),
              ...report.more.map((more) => ({ level: 'warning', message: { text: moreWords(more) } })),
              ...report.unjudged.map((object) => ({
                level: 'note',
                message: { text: unjudgedWords([object], 1) },
                locations: [{ physicalLocation: physicalLocation(object) }],
              })),
            ],
          },
        ],
        results: all.map((finding) => result(finding, indices)),
      },
    ],
  };
  return escapedPieces(log);
}

function descriptor(id: string, facts: RuleFacts | undefined): object {
  return {
    id,
    ...(facts && {
      shortDescription: { text: facts.title },
      fullDescription: { text: facts.why },
      help: { text: `${facts.fix} (${facts.source})` },
      defaultConfiguration: { level: facts.severity },
    }),
  };
}

function result(finding: ReportedFinding | AcceptedFinding, indices: ReadonlyMap<string, number>): object {
  const { id, severity, object, path, what, why, fix } = finding;
  const logical = object && {
    logicalLocations: [
      { name: object.name, fullyQualifiedName: `${objectName(object)} ${path}`.trim(), kind: 'object' },
    ],
  };
  return {
    ruleId: id,
    ruleIndex: indices.get(id),
    level: severity,
    message: { text: `${what}; ${why}; ${fix}` },
    locations: [{ physicalLocation: physicalLocation(finding), ...logical }],
    ...('reason' in finding && { suppressions: [{ kind: 'inSource', justification: finding.reason }] }),
  };
}

function physicalLocation(about: Remark | ReportedFinding | UnjudgedObject): object {
  const { file, line, column } = about;
  return {
    artifactLocation: artifactLocation(file),
    ...(!('isWhole' in about) && { region: { startLine: line, startColumn: column } }),
  };
}

/** Relative to the working folder, as services that show a repository need it. */
function artifactLocation(file: string): object {
  if (file === STDIN) {
    return { uri: STDIN };
  }
  const path = relative(process.cwd(), resolve(file));
  return path.startsWith('..') || isAbsolute(path)
    ? { uri: pathToFileURL(file).href }
    : { uri: path.split(sep).map(encodeURIComponent).join('/'), uriBaseId: '%SRCROOT%' };
}
