// Adds up the checks and the vitest reports of one CI run; its last line is what CI reads.
// Usage: count-results.mjs PASSED FAILED SKIPPED FOLDER SUITE…
//   FOLDER/SUITE.json    report of a suite
//   FOLDER/SUITE.failed  is there when the runner of the suite said that it failed
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [checksPassed, checksFailed, leftOut, folder, ...suites] = process.argv.slice(2);

/** What a suite adds; a suite that crashed, or ran nothing, or failed outside of its tests counts as one failure. */
function count(suite) {
  let report;
  try {
    report = JSON.parse(readFileSync(join(folder, `${suite}.json`), 'utf8'));
  } catch (error) {
    return { passed: 0, failed: 1, skipped: 0, why: `no report: ${error.message}` };
  }
  const passed = report.numPassedTests ?? 0;
  const skipped = (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0);
  const failed = report.numFailedTests ?? 0;
  if (passed + failed === 0) return { passed, failed: 1, skipped, why: 'ran no test' };
  if (failed === 0 && existsSync(join(folder, `${suite}.failed`))) {
    return { passed, failed: 1, skipped, why: 'failed outside of its tests' };
  }
  return { passed, failed, skipped };
}

const total = { passed: Number(checksPassed), failed: Number(checksFailed), skipped: Number(leftOut) };
for (const suite of suites) {
  const { passed, failed, skipped, why } = count(suite);
  console.log(`${suite}: ${passed} passed, ${failed} failed, ${skipped} skipped${why ? ` (${why})` : ''}`);
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
}

console.log(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
process.exit(total.failed === 0 ? 0 : 1);
