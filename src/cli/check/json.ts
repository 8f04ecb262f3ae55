import { jsonPieces } from './pieces';
import type { Report } from './report';

/** What `cdk8s-vllm check -o json` prints. Fields may be added while `schemaVersion` stays the same. */
export interface CheckDocument extends Report {
  readonly schemaVersion: 1;
}

/** The report for a program. */
export function* jsonOf(report: Report): Iterable<string> {
  const document: CheckDocument = { schemaVersion: 1, ...report };
  yield* escapedPieces(document);
}

/** A document in pieces. */
export function* escapedPieces(document: object): Iterable<string> {
  for (const piece of jsonPieces(document)) {
    yield escaped(piece);
  }
  yield '\n';
}

/** JSON leaves some control characters as they are; in a terminal they would be obeyed. */
function escaped(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
