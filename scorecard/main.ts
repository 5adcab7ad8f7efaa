import { fork } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import type { Message, Selection } from './child.js';
import { UsageError } from './host.js';
import { installOthers, known, tasksOf, type Task } from './known.js';
import type { Cell } from './play.js';
import { playPrograms, programsOf } from './programs.js';
import { page, terminalTable, totalOf, type HostResult } from './results.js';
import { isNamed, scenarios } from './scenarios/index.js';

const help = `npm run scorecard -- [options]

  --host ID|FILE      Only this host: an id, or the file of your own adapter. Repeatable. Default: all known hosts.
  --scenario PREFIX   Only scenarios whose id starts with this text, such as p1 or p2-edit. Repeatable.
  --failures          List each failure with its host and scenario.
  --no-cost           Skip the cost measurement. --write keeps the last one.
  --limit SECONDS     Time limit of a run and of the start of an adapter. Default: 15.
  --json              Write the results to standard output as JSON, and the table to standard error (npm run --silent scorecard -- --json).
  --check             Fail if a result differs from scorecard/results.json.
  --write             Write scorecard/results.json and docs/scorecard.md. Hosts that did not run keep their last result.
  --programs          Run the programs that demonstrate failures instead. Fail if one no longer shows its failure.
  --help

Known hosts: ${known.join(', ')}.
The first run with hosts of other vendors installs their packages (1.3 GB) in scorecard/.`;

const { values } = parseArgs({
  allowNegative: true,
  options: {
    host: { type: 'string', multiple: true },
    scenario: { type: 'string', multiple: true, default: [] },
    failures: { type: 'boolean', default: false },
    cost: { type: 'boolean', default: true },
    limit: { type: 'string', default: '15' },
    json: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    programs: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const folder = import.meta.dirname;
const isTerminal = process.stderr.isTTY;

const limitMs = Number(values.limit) * 1_000;

/** A process that sends nothing for so long is stuck in a loop: a scenario ends within two turns, an open and a look at the history. */
const silenceMs = limitMs * 5;

const play = ({ file, ids }: Task): Promise<HostResult[]> =>
  new Promise((resolve, reject) => {
    const results: HostResult[] = [];
    let startedAt = performance.now();
    const selection: Selection = { prefixes: values.scenario, ids, cost: values.cost, limitMs };
    const child = fork(path.join(folder, 'child.ts'), [file, JSON.stringify(selection)], {
      execArgv: ['--import', import.meta.resolve('tsx'), '--no-warnings'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const silence = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new UsageError('scorecard/adapter-failed', `${file} sent no output for ${silenceMs / 1_000} s; last step: ${last}`));
    }, silenceMs);
    let last = 'loading it';
    let errors = '';
    child.stderr?.on('data', (data) => (errors = `${errors}${data}`.slice(-2_000)));
    child.on('message', ({ progress, result, wrong }: Message) => {
      silence.refresh();
      last = progress ?? last;
      if (progress && isTerminal) process.stderr.write(`\r\u001B[K${progress}`);
      if (wrong) reject(new UsageError(wrong.code, wrong.message));
      if (!result) return;
      results.push(result);
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
      startedAt = performance.now();
      process.stderr.write(`${isTerminal ? '\r\u001B[K' : ''}${result.name}: ${totalOf(result)} hold (${seconds} s)\n`);
    });
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(silence);
      if (code === 0) return resolve(results);
      reject(
        new UsageError(
          'scorecard/adapter-failed',
          `the process of ${file} ended with code ${code}; last step: ${last}\n${errors}`,
        ),
      );
    });
  });

const resultsFile = path.join(folder, 'results.json');
const readResults = (): HostResult[] => JSON.parse(readFileSync(resultsFile, 'utf8'));

const write = (played: readonly HostResult[]): void => {
  const last = new Map(readResults().map((host) => [host.id, host]));
  for (const host of played) last.set(host.id, { ...host, cost: host.cost ?? last.get(host.id)?.cost });
  const rank = ({ id }: HostResult) => (known.includes(id) ? known.indexOf(id) : known.length);
  const all = [...last.values()].toSorted((a, b) => rank(a) - rank(b));
  writeFileSync(resultsFile, `${JSON.stringify(all, undefined, 1)}\n`);
  const titles = new Map(scenarios.map(({ id, title }) => [id, title]));
  writeFileSync(path.join(folder, '../docs/scorecard.md'), page(all, titles));
};

const lineOf = ({ host, scenario, mode, detail }: Cell): string => `${host}  ${scenario}  ${mode}: ${detail}`;

/** Cells without a result, one line for each reason. */
const brokenLines = (broken: readonly Cell[]): string[] =>
  [...Map.groupBy(broken, ({ host, detail }) => `${host}  ${detail}`)].map(
    ([line, { length }]) => `${line} (${length} scenarios)`,
  );

/** Cells that are not as in the results of the repository. */
const changesIn = (results: readonly HostResult[]): string[] => {
  const keyOf = ({ host, scenario, mode }: Cell): string => `${host}  ${scenario}  ${mode}`;
  const before = new Map(readResults().flatMap(({ cells }) => cells.map((cell) => [keyOf(cell), cell.status])));
  return results
    .flatMap(({ cells }) => cells)
    .filter((cell) => before.get(keyOf(cell)) !== cell.status)
    .map(
      (cell) => `${keyOf(cell)}: ${cell.status}, in results.json: ${before.get(keyOf(cell)) ?? 'absent'} ${cell.detail ?? ''}`,
    );
};

const playScenarios = async (hosts: readonly string[]): Promise<void> => {
  const without = values.scenario.find((prefix) => !scenarios.some(({ id }) => isNamed(id, prefix)));
  if (without)
    throw new UsageError(
      'scorecard/no-scenario',
      `no scenario id starts with "${without}"; docs/scorecard.md lists all scenarios`,
    );
  const results: HostResult[] = [];
  for (const task of await tasksOf(hosts)) results.push(...(await play(task)));
  const cells = results.flatMap((host) => host.cells);
  const broken = cells.filter(({ status }) => status === 'error');
  const failed = values.failures ? cells.filter(({ status }) => status === 'fails') : [];
  const print = values.json ? console.error : console.log;
  print([terminalTable(results), ...failed.map(lineOf), ...brokenLines(broken)].join('\n'));
  if (values.json) process.stdout.write(`${JSON.stringify(results, undefined, 2)}\n`);
  if (values.write) write(results);
  if (broken.length > 0)
    throw new UsageError('scorecard/adapter-failed', `${broken.length} scenarios have no result, because the adapter failed`);
  const changes = values.check ? changesIn(results) : [];
  if (changes.length > 0)
    throw new UsageError('scorecard/changed', `results differ from scorecard/results.json:\n${changes.join('\n')}`);
};

const checkPrograms = async (hosts: readonly string[]): Promise<void> => {
  let outdated = 0;
  for (const host of hosts) {
    const files = programsOf(host);
    for (const [file, output] of files.length > 0 ? await playPrograms(files) : []) {
      console.log(`${file}  ${output || 'ended without a verdict'}`);
      if (!output.startsWith('FAILS')) outdated += 1;
    }
  }
  if (outdated > 0) throw new UsageError('scorecard/program-outdated', `${outdated} programs no longer show their failure`);
};

const run = async (): Promise<void> => {
  if (values.help) return console.log(help);
  if (!(limitMs > 0))
    throw new UsageError('scorecard/wrong-option', `--limit must be a number of seconds, not "${values.limit}"`);
  const hosts = values.host ?? known;
  installOthers(hosts);
  await (values.programs ? checkPrograms : playScenarios)(hosts);
};

await run().catch((error: unknown) => {
  console.error(error instanceof UsageError ? `${error.code}: ${error.message}` : error);
  process.exitCode = 1;
});
