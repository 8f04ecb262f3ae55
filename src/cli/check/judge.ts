import type { Finding } from '../../rules/finding';
import { RULES, runRules } from '../../rules/index';
import type { Rule } from '../../rules/rule';
import { Charts } from './charts';
import { clip } from './clip';
import { filesOf, readText } from './files';
import { kustomizeHint } from './kustomize';
import { originsIn } from './origins';
import { type Document, READER_FINDINGS, Read, readFile, type ReadObject, type Remark } from './reader';
import type { AcceptedFinding, Report, ReportedFinding, UnjudgedObject } from './report';
import { objectOf } from './reported-object';
import { Tally } from './tally';
import { unjudgedIn } from './unjudged';

/** What is known of the cluster; what is not is not judged. */
export interface Target {
  readonly kubernetes?: string;
  readonly lws?: string;
}

/** What is known of a finding without an object: the rules of the package, and what the reader itself finds. */
export type RuleFacts = Pick<Rule, 'id' | 'severity' | 'title' | 'why' | 'fix' | 'source'> &
  Partial<Pick<Rule, 'holds' | 'bad' | 'good'>>;

/** Everything that `check` may find, by its id. */
export const FACTS: ReadonlyMap<string, RuleFacts> = new Map(
  [...RULES, ...READER_FINDINGS].map((rule) => [rule.id, rule]),
);

/** Reads files and runs every rule over all objects of them together, since rules compare objects with each other. */
export function judge(args: readonly string[], target: Target, isWanted: (id: string) => boolean): Report {
  const read = new Read();
  const { files, failed, kustomizations, notApplied } = filesOf(args);
  const charts = new Charts();
  const order = new Map<string, number>();
  let readFiles = 0;
  for (const file of files) {
    order.set(file.name, order.size);
    const content = readText(file);
    if ('why' in content) {
      failed.push({ name: file.name, why: content.why });
    } else if (!charts.take(file, content)) {
      readFiles++;
      readFile(file, content, read);
    }
  }
  for (const { name, why } of [...failed, ...charts.failed]) {
    read.sayWhollyUnread(name, why);
  }
  const hint = kustomizeHint(kustomizations, notApplied);
  const hints = hint === undefined ? [] : [{ file: hint.file, line: 1, column: 1, message: hint.message }];
  const tally = new Tally(isWanted);
  const listed = [...readerFindings(read, tally), ...ruleFindings(read, target, tally)];
  const inOrder = <T extends Remark | ReportedFinding | UnjudgedObject>(list: readonly T[]): T[] =>
    [...list].sort(
      (a, b) =>
        (order.get(a.file) ?? order.size) - (order.get(b.file) ?? order.size) ||
        a.line - b.line ||
        a.column - b.column ||
        ('id' in a && 'id' in b && a.id !== b.id ? (a.id < b.id ? -1 : 1) : 0),
    );
  const { counts, accepted, leftOut, more } = tally;
  const unjudged = unjudgedIn(read.objects);
  return {
    counts: {
      files: readFiles,
      documents: read.documents,
      objects: read.objects.length,
      errors: counts.error,
      warnings: counts.warning,
      notes: counts.note,
      accepted,
      unread: read.unreadCount,
      passedBy: read.passedByCount + hints.length,
      leftOut,
      unjudged: unjudged.count,
    },
    findings: inOrder(listed.filter((finding): finding is ReportedFinding => !('reason' in finding))),
    more,
    accepted: inOrder(listed.filter((finding): finding is AcceptedFinding => 'reason' in finding)),
    unread: inOrder(read.unread),
    // What is to be done comes first.
    passedBy: [...hints, ...inOrder(read.passedBy)],
    unjudged: inOrder(unjudged.objects),
  };
}

function readerFindings({ findings }: Read, tally: Tally): (ReportedFinding | AcceptedFinding)[] {
  return findings.flatMap(({ rule, document, place, object, path, what, fix }) => {
    const { id, severity, why, source } = rule;
    const taken = tally.take(rule, object);
    const about = { id, severity, file: document.file.name, ...place, ...objectOf(object), path };
    return taken === undefined ? [] : [clipped({ ...about, what, why, fix: fix ?? rule.fix, source, ...taken })];
  });
}

function ruleFindings(read: Read, target: Target, tally: Tally): (ReportedFinding | AcceptedFinding)[] {
  const sources = new Map(read.objects.map((source) => [source.object, source]));
  // By document, so that the places of one alone are in memory at a time.
  const byDocument = new Map<Document, { finding: Finding; prefix: string; taken: { reason?: string } }[]>();
  for (const finding of run(read, target)) {
    const taken = tally.take(finding, finding.object);
    if (taken === undefined) {
      continue;
    }
    const { document, prefix } = sources.get(finding.object)!;
    const entry = { finding, prefix, taken };
    const known = byDocument.get(document);
    if (known) {
      known.push(entry);
    } else {
      byDocument.set(document, [entry]);
    }
  }
  return [...byDocument].flatMap(([document, findings]) => {
    const reported = findings.map(({ finding, prefix, taken }) => {
      const { id, severity, object, path, what, why, fix, source } = finding;
      const place = document.placeOf(prefix === '' ? path : `${prefix}.${path}`);
      const about = { id, severity, file: document.file.name, ...place, ...objectOf(object), path };
      return clipped({ ...about, what, why, fix, source, ...taken });
    });
    document.forget();
    return reported;
  });
}

function clipped<T extends ReportedFinding>(finding: T): T {
  const { path, what, why, fix } = finding;
  return { ...finding, path: clip(path), what: clip(what), why: clip(why), fix: clip(fix) };
}

/**
 * Anyone may have written these objects. When a rule stumbles over one, that is said, the other rules judge it all the same,
 * and this one judges the others.
 */
function run(read: Read, target: Target): Finding[] {
  const originOf = originsIn(read.objects);
  const attempt = (sources: readonly ReadObject[], rules: readonly Rule[]): Finding[] | Error => {
    try {
      return runRules(
        sources.map(({ object }) => object),
        target,
        rules,
        originOf,
      );
    } catch (error) {
      return error as Error;
    }
  };
  const all = attempt(read.objects, RULES);
  if (!(all instanceof Error)) {
    return all;
  }
  const said = new Set<ReadObject | undefined>();
  const fault = (source: ReadObject | undefined, id: string, { message }: Error): void => {
    if (!said.has(source)) {
      said.add(source);
      read.sayUnread(
        (source ?? read.objects[0]!).document.file.name,
        () => source?.document.placeOf(source.prefix) ?? { line: 1, column: 1 },
        `rule ${id} stumbles over ${source ? 'this object' : 'these objects'} (${message}); it is a fault of cdk8s-vllm`,
      );
    }
  };
  return RULES.flatMap((rule) => {
    const found = attempt(read.objects, [rule]);
    if (!(found instanceof Error)) {
      return found;
    }
    const sound = read.objects.filter((source) => {
      const alone = attempt([source], [rule]);
      if (alone instanceof Error) {
        fault(source, rule.id, alone);
      }
      return !(alone instanceof Error);
    });
    const rest = attempt(sound, [rule]);
    if (rest instanceof Error) {
      fault(undefined, rule.id, rest);
      return [];
    }
    return rest;
  });
}
