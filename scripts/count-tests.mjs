/**
 * Prints "PASSED FAILED" from vitest's JSON report: `node scripts/count-tests.mjs REPORT EXIT_STATUS`.
 * A file that could not be collected counts as one failure, and so does a run that failed in another way or left no report.
 */
import { existsSync, readFileSync } from 'node:fs';

const [report, status] = process.argv.slice(2);

const count = () => {
  if (!existsSync(report)) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const uncollected = testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((t) => t.status === 'failed'),
  );
  const failed = numFailedTests + uncollected.length;
  return { passed: numPassedTests, failed: failed === 0 && status !== '0' ? 1 : failed };
};

const { passed, failed } = count();
process.stdout.write(`${passed} ${failed}\n`);
