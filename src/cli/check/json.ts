import type { Report } from './report';

/** What `cdk8s-vllm check -o json` prints. Fields may be added while `schemaVersion` stays the same. */
export interface CheckDocument extends Report {
  readonly schemaVersion: 1;
}

/** The report for a program. */
export function jsonOf(report: Report): string {
  const document: CheckDocument = { schemaVersion: 1, ...report };
  return `${escaped(JSON.stringify(document, undefined, 2))}\n`;
}

/** JSON leaves some control characters as they are; in a terminal they would be obeyed. */
export function escaped(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
