import type { Severity } from '../../rules/finding';
import type { Remark } from './reader';

/** An object that a finding is about. */
export interface ReportedObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** As the object says it itself. */
  readonly namespace?: string;
  readonly name: string;
}

/** A finding with its place. */
export interface ReportedFinding {
  /** Stable name: `group/name`. */
  readonly id: string;
  /** `error`: it is refused or cannot work; `warning`: it works until the day that is said; `note`: worth knowing. */
  readonly severity: Severity;
  /** As it was named, or found in a folder; `stdin` for the standard input. */
  readonly file: string;
  /** Counted from 1. Where the path ends, or its nearest parent that is there. */
  readonly line: number;
  /** Counted from 1, in UTF-16 units. */
  readonly column: number;
  /** None when it is about the document and no object. */
  readonly object?: ReportedObject;
  /** JSON path within the object. */
  readonly path: string;
  /** What is wrong, with the value got. */
  readonly what: string;
  /** What comes of it. */
  readonly why: string;
  /** What to do. */
  readonly fix: string;
  /** Where it is known from. */
  readonly source: string;
}

/** A finding that its object accepts, by an annotation. */
export interface AcceptedFinding extends ReportedFinding {
  /** The value of the annotation. */
  readonly reason: string;
}

/** Findings of a rule beyond those that are listed. */
export interface MoreFindings {
  /** Stable name: `group/name`. */
  readonly id: string;
  readonly severity: Severity;
  readonly count: number;
}

/** An object of a kind that no rule judges, with an image of vLLM in it. */
export interface UnjudgedObject extends ReportedObject {
  /** As findings name it. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The first one in it. */
  readonly image: string;
}

/** How much was read, and how much was found. */
export interface Counts {
  /** Files that were read. */
  readonly files: number;
  /** Documents in them that say anything. */
  readonly documents: number;
  /** Kubernetes objects, those of Lists one by one. */
  readonly objects: number;
  readonly errors: number;
  readonly warnings: number;
  /** Worth knowing, and not counted against the exit code. */
  readonly notes: number;
  readonly accepted: number;
  /** Parts that could not be read; `unread` names the first thousand. */
  readonly unread: number;
  /** Documents and files that are no objects; `passedBy` names the first thousand. */
  readonly passedBy: number;
  /** Findings that `--rule` and `--ignore` leave out. */
  readonly leftOut: number;
  /** Objects that name an image of vLLM in a kind that is not judged; `unjudged` names the first thousand. */
  readonly unjudged: number;
}

/** What `check` has to say, in the order of files and lines. */
export interface Report {
  readonly counts: Counts;
  /** Those that are not accepted; of each rule the first thousand. */
  readonly findings: readonly ReportedFinding[];
  /** How many more there are, of rules with more than that: `counts` and the exit code know them. */
  readonly more: readonly MoreFindings[];
  /** Those that their object accepts; of each rule the first thousand. */
  readonly accepted: readonly AcceptedFinding[];
  /** What could not be read; with any of them the exit code is 2. */
  readonly unread: readonly Remark[];
  /** What is no object of Kubernetes, and other remarks that nothing hangs on. */
  readonly passedBy: readonly Remark[];
  /** What names an image of vLLM, and no rule looks into; nothing hangs on it. */
  readonly unjudged: readonly UnjudgedObject[];
}
