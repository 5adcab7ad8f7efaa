/**
 * Counts what vitest's JSON report says: `node scripts/count-tests.mjs REPORT EXIT_STATUS`.
 * Standard output: "PASSED FAILED". Standard error: each failure with the beginning of its message.
 * A file that could not be collected counts as one failure, and so does a run that failed in another way or left no report.
 */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const [path, status] = process.argv.slice(2);
const shownLines = 12;

const failuresOf = (file) => {
  const failed = file.assertionResults.filter((test) => test.status === 'failed');
  const name = relative(process.cwd(), file.name);
  if (failed.length === 0 && file.status === 'failed') return [{ title: name, message: file.message }];
  return failed.map((test) => ({ title: `${name} > ${test.fullName}`, message: test.failureMessages.join('\n') }));
};

const read = () => {
  if (!existsSync(path)) return { passed: 0, failures: [{ title: 'no report', message: `the run ended with ${status}` }] };
  const { numPassedTests, testResults } = JSON.parse(readFileSync(path, 'utf8'));
  const failures = testResults.flatMap(failuresOf);
  if (failures.length === 0 && status !== '0')
    failures.push({ title: 'outside the tests', message: `every test passed and the run ended with ${status}: see its output` });
  return { passed: numPassedTests, failures };
};

const { passed, failures } = read();
for (const { title, message } of failures) {
  const lines = message.split('\n').slice(0, shownLines);
  process.stderr.write([`FAIL  ${title}`, ...lines.map((line) => `      ${line}`), ''].join('\n'));
}
process.stdout.write(`${passed} ${failures.length}\n`);
