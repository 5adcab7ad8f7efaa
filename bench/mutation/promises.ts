import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { format } from 'oxfmt';

import { filled, markdownOf } from '../table.js';
import { promiseMutations, type PromiseMutation } from './promise-mutations.js';

/** `npm run mutation:promises` tests all of them and writes the page; `-- P1 P7` tests some. */
const page = new URL('../../docs/mutation.md', import.meta.url);
const vitest = 'node_modules/vitest/vitest.mjs';
const config = 'bench/mutation/promises.config.ts';

interface Report {
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly assertionResults: readonly { readonly status: string; readonly title: string }[] }[];
}

/** Runs the suite of a promise against the changed source; returns the test that fails. */
const noticedBy = ({ promise, tests }: PromiseMutation): string | undefined => {
  const report = join(tmpdir(), `interlock-mutation-${process.pid}-${promise}.json`);
  const args = [vitest, 'run', '--config', config, '--reporter=json', `--outputFile=${report}`, ...tests];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: { ...process.env, MUTATION: promise } });
  if (status === 0) return undefined;
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  const failed = testResults.flatMap((file) => file.assertionResults).find((test) => test.status === 'failed');
  if (!failed) throw new Error(`${promise}: the run failed outside the tests.\n${stderr}`);
  return failed.title;
};

const named = process.argv.slice(2);
const wanted = promiseMutations.filter(({ promise }) => named.length === 0 || named.includes(promise));
const rows = wanted.map((mutation) => {
  const title = noticedBy(mutation);
  if (title === undefined) process.exitCode = 1;
  process.stdout.write(
    `${mutation.promise}  ${mutation.breaks}: ${title === undefined ? 'NOT NOTICED' : `noticed by "${title}"`}\n`,
  );
  return [
    mutation.promise,
    mutation.breaks,
    `\`${mutation.file}\``,
    title === undefined ? '**not noticed**' : `\`${title.replaceAll('|', '\\|')}\``,
  ];
});
if (named.length === 0) {
  const table = markdownOf({ id: 'promises', head: ['promise', 'change', 'file', 'first test that fails'], rows }).replaceAll(
    '---:',
    '---',
  );
  const text = filled(readFileSync(page, 'utf8'), 'promises', table);
  writeFileSync(page, (await format('page.md', text, { printWidth: 140 })).code);
}
