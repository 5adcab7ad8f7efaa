/**
 * Counts what vitest's JSON reports say.
 *
 *     node scripts/count-tests.mjs REPORT STATUS                     counts one run
 *     node scripts/count-tests.mjs REPORT STATUS AGAIN AGAIN_STATUS  counts a run whose failed files ran again
 *     node scripts/count-tests.mjs --failed REPORT                   lists the files with a failure
 *
 * Standard output of a count: "PASSED FAILED". Standard error: each failure with the beginning of its message; a test that failed once and
 * passed once counts as passed and is listed as UNSTABLE.
 * A file that could not be collected counts as one failure, and so does a run that failed in another way or left no report.
 */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const shownLines = 12;

const failuresOf = (file) => {
  const failed = file.assertionResults.filter((test) => test.status === 'failed');
  const name = relative(process.cwd(), file.name);
  if (failed.length === 0 && file.status === 'failed') return [{ file: name, title: name, message: file.message }];
  return failed.map((test) => ({ file: name, title: `${name} > ${test.fullName}`, message: test.failureMessages.join('\n') }));
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
  const lines = message.split('\n').slice(0, shownLines);
  process.stderr.write([`${word}  ${title}`, ...lines.map((line) => `      ${line}`), ''].join('\n'));
};

const count = ([path, status, againPath, againStatus]) => {
  const first = read(path, status);
  const again = againPath && existsSync(againPath) ? read(againPath, againStatus) : first;
  const failed = new Set(again.failures.map(({ title }) => title));
  const unstable = first.failures.filter(({ title }) => !failed.has(title));
  for (const failure of unstable) print('UNSTABLE', failure);
  for (const failure of again.failures) print('FAIL', failure);
  process.stdout.write(`${first.passed + unstable.length} ${again.failures.length}\n`);
};

const [command, report] = process.argv.slice(2);
if (command === '--failed') {
  const files = new Set(read(report, '0').failures.flatMap(({ file }) => file ?? []));
  process.stdout.write([...files].map((file) => `${file}\n`).join(''));
} else count(process.argv.slice(2));
