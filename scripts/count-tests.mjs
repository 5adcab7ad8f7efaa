/**
 * Counts what vitest's JSON report says.
 *
 *     node scripts/count-tests.mjs REPORT STATUS [QUARANTINE]
 *
 * Standard output: "PASSED FAILED". Standard error: each failure with the beginning of its message. A failure that the quarantine lists
 * (`.ci/quarantine.json`: file, test, reason, date) is printed as QUARANTINED and does not count.
 * A file that could not be collected counts as one failure, and so does a run that failed in another way or left no report.
 */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const maxLines = 12;

const failuresOf = ({ name, status, message, assertionResults }) => {
  const file = relative(process.cwd(), name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0) return status === 'failed' ? [{ file, title: file, message }] : [];
  return failed.map(({ fullName, failureMessages }) => ({
    file,
    test: fullName,
    title: `${file} > ${fullName}`,
    message: failureMessages.join('\n'),
  }));
};

const read = (path, status) => {
  if (!existsSync(path)) return { passed: 0, failures: [{ title: 'no report', message: `the run ended with ${status}` }] };
  const { numPassedTests, testResults } = JSON.parse(readFileSync(path, 'utf8'));
  const failures = testResults.flatMap(failuresOf);
  if (failures.length === 0 && status !== '0')
    failures.push({ title: 'outside the tests', message: `every test passed and the run ended with ${status}: see its output` });
  return { passed: numPassedTests, failures };
};

const print = (word, { title, message }) => {
  const lines = message.split('\n').slice(0, maxLines);
  process.stderr.write([`${word}  ${title}`, ...lines.map((line) => `      ${line}`), ''].join('\n'));
};

const [report, status, list = '.ci/quarantine.json'] = process.argv.slice(2);
const quarantine = JSON.parse(readFileSync(list, 'utf8'));
const { passed, failures } = read(report, status);
let failed = 0;
for (const failure of failures) {
  const known = quarantine.find(({ file, test }) => file === failure.file && test === failure.test);
  if (known) print('QUARANTINED', { ...failure, message: `since ${known.date}: ${known.reason}\n${failure.message}` });
  else {
    print('FAIL', failure);
    failed += 1;
  }
}
process.stdout.write(`${passed} ${failed}\n`);
