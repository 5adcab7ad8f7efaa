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

const maxLines = 12;

const nameOf = (file) => relative(process.cwd(), file.name);

const testsOf = (file, status) =>
  file.assertionResults
    .filter((test) => test.status === status)
    .map((test) => ({
      file: nameOf(file),
      title: `${nameOf(file)} > ${test.fullName}`,
      message: test.failureMessages.join('\n'),
    }));

const failuresOf = (file) => {
  const failed = testsOf(file, 'failed');
  const isUncollected = failed.length === 0 && file.status === 'failed';
  return isUncollected ? [{ file: nameOf(file), title: nameOf(file), message: file.message }] : failed;
};

const read = (path, status) => {
  if (!existsSync(path))
    return { passed: 0, titles: new Set(), failures: [{ title: 'no report', message: `the run ended with ${status}` }] };
  const { numPassedTests, testResults } = JSON.parse(readFileSync(path, 'utf8'));
  const failures = testResults.flatMap(failuresOf);
  if (failures.length === 0 && status !== '0')
    failures.push({ title: 'outside the tests', message: `every test passed and the run ended with ${status}: see its output` });
  const titlesIn = (file) => [
    ...testsOf(file, 'passed').map(({ title }) => title),
    ...(file.status === 'passed' ? [nameOf(file)] : []),
  ];
  const titles = new Set(testResults.flatMap(titlesIn));
  return { passed: numPassedTests, titles, failures };
};

const print = (word, { title, message }) => {
  const lines = message.split('\n').slice(0, maxLines);
  process.stderr.write([`${word}  ${title}`, ...lines.map((line) => `      ${line}`), ''].join('\n'));
};

const count = ([path, status, againPath, againStatus]) => {
  const first = read(path, status);
  const again = againPath === undefined ? { titles: new Set(), failures: [] } : read(againPath, againStatus);
  const unstable = first.failures.filter(({ title }) => again.titles.has(title));
  const failures = new Map([...first.failures, ...again.failures].map((failure) => [failure.title, failure]));
  for (const { title } of unstable) failures.delete(title);
  for (const failure of unstable) print('UNSTABLE', failure);
  for (const failure of failures.values()) print('FAIL', failure);
  process.stdout.write(`${first.passed + unstable.length} ${failures.size}\n`);
};

const [command, report] = process.argv.slice(2);
if (command === '--failed') {
  const files = new Set(read(report, '0').failures.flatMap(({ file }) => file ?? []));
  process.stdout.write([...files].map((file) => `${file}\n`).join(''));
} else count(process.argv.slice(2));
