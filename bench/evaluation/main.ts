/**
 * Judges the built-in guards on public data sets, and fails if a bound is missed.
 *   npm run evaluate                     downloads them from GitHub
 *   npm run evaluate -- --from FOLDER    takes them from a folder that has the repositories as owner/name
 *   npm run evaluate -- --write          writes docs/evaluation.md too
 *   npm run evaluate -- --honest         counts what guards change in honest texts of npm packages, and prints the shortest cases; --write writes the shares to the pages
 *   npm run evaluate -- --cost           measures the CPU time of each guard for a kilobyte of READMEs
 *   npm run evaluate -- --forms          counts the known forms of attacks that each guard finds
 *   npm run evaluate -- --secrets        looks for made-up secrets of each rule of gitleaks, as they are now; --rules FILE takes them from a file
 *   npm run evaluate -- --honest --guard link --cases 200   the same for one guard, with more cases
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { format } from 'oxfmt';
import { printForms } from './forms.js';
import { judgeGitleaks, printGitleaks, rulesAddress } from './gitleaks.js';
import { honestTexts } from './honest/corpora.js';
import { printCosts } from './honest/cost.js';
import { printHonest } from './honest/print-honest.js';
import { readDataSets } from './data-sets.js';
import { complaintsAbout, evaluateGuards } from './evaluate-guards.js';
import { pageOf } from './page.js';
import { downloaded, fromFolder } from './read-source.js';
import { sources } from './sources.js';

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    write: { type: 'boolean' },
    honest: { type: 'boolean' },
    cost: { type: 'boolean' },
    forms: { type: 'boolean' },
    secrets: { type: 'boolean' },
    rules: { type: 'string' },
    guard: { type: 'string' },
    cases: { type: 'string', default: '20' },
  },
});
if (values.honest) process.exit(await printHonest({ ...values, cases: Number(values.cases) }));
if (values.forms) {
  await printForms();
  process.exit();
}
if (values.cost) {
  await printCosts(honestTexts());
  process.exit();
}
if (values.secrets) {
  const toml = values.rules === undefined ? await (await fetch(rulesAddress)).text() : await readFile(values.rules, 'utf8');
  process.exit(printGitleaks(judgeGitleaks(toml)));
}
const results = await evaluateGuards(
  await readDataSets(sources, values.from === undefined ? downloaded : fromFolder(values.from)),
);
const page = pageOf(results, sources);
if (values.write) {
  const path = fileURLToPath(new URL('../../docs/evaluation.md', import.meta.url));
  const [honest = ''] = /## Honest text\n[^]*?(?=## The data\n)/.exec(await readFile(path, 'utf8')) ?? []; // measured by --honest
  const { code } = await format(path, page.replace('## The data\n', `${honest}## The data\n`), { printWidth: 140 });
  await writeFile(path, code);
} else console.log(page);
for (const complaint of complaintsAbout(results)) {
  console.error(`not kept: ${complaint}`);
  process.exitCode = 1;
}
