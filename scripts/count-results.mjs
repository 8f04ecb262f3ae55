// Adds up the checks and the vitest reports of one CI run. Usage: count-results.mjs PASSED FAILED REPORT.json…
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

const [checksPassed, checksFailed, ...reports] = process.argv.slice(2);
let passed = Number(checksPassed);
let failed = Number(checksFailed);
let skipped = 0;
/** The suites that have to be there: one that crashed before it wrote a report must not pass unseen. */
const missing = new Set(['unit', 'unit-node24', 'browser']);

for (const file of reports) {
  const name = basename(file, '.json');
  missing.delete(name);
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const brokenFiles = report.testResults.filter(({ status, assertionResults }) => {
    return status === 'failed' && !assertionResults.some((test) => test.status === 'failed');
  }).length;
  console.log(
    `${name}: ${report.numPassedTests} passed, ${report.numFailedTests + brokenFiles} failed, ${report.numPendingTests} skipped`,
  );
  passed += report.numPassedTests;
  failed += report.numFailedTests + brokenFiles;
  skipped += report.numPendingTests + report.numTodoTests;
  if (report.numPassedTests + report.numFailedTests === 0) {
    console.log(`${name}: ran no test`);
    failed += 1;
  }
}
for (const name of missing) {
  console.log(`${name}: wrote no report`);
  failed += 1;
}

console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed === 0 ? 0 : 1);
