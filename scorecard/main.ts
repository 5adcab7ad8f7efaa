import { fork } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { areOthersInstalled, installed, known, taskOf, UsageError, type Task } from './known.js';
import type { Cell } from './play.js';
import { playPrograms, programsOf } from './programs.js';
import { markdownTable, page, terminalTable, totalOf, type HostResult } from './results.js';
import { scenarios } from './scenarios/index.js';

const help = `npm run scorecard -- [options]

  --host ID|FILE      Only this host; an adapter of your own by its file, relative to your folder. May be repeated. Default: every installed host.
  --scenario PREFIX   Only scenarios whose id begins so, such as p1 or p2-edit. May be repeated.
  --failures          List what failed, and where.
  --no-cost           Do not measure CPU time.
  --json              Write the results to standard output as JSON, and the table to standard error (npm run --silent scorecard -- --json).
  --write             Write scorecard/results.json, docs/scorecard.md and the table of README.md. Hosts that were not played keep their last result.
  --programs          Run the programs that show failures instead, and fail where one no longer shows its failure.
  --help

npm ci --prefix scorecard/hosts installs the hosts of other vendors.`;

const { values } = parseArgs({
  allowNegative: true,
  options: {
    host: { type: 'string', multiple: true },
    scenario: { type: 'string', multiple: true, default: [] },
    failures: { type: 'boolean', default: false },
    cost: { type: 'boolean', default: true },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    programs: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const folder = import.meta.dirname;
const isTerminal = process.stderr.isTTY;

interface Message {
  readonly progress?: string;
  readonly result?: HostResult;
  readonly wrong?: { readonly code: `scorecard/${string}`; readonly message: string };
}

const play = ({ file, ids }: Task): Promise<HostResult[]> =>
  new Promise((resolve, reject) => {
    const results: HostResult[] = [];
    const startedAt = performance.now();
    const request = JSON.stringify({ prefixes: values.scenario, ids, cost: values.cost });
    const child = fork(path.join(folder, 'child.ts'), [file, request], {
      execArgv: ['--import', import.meta.resolve('tsx'), '--no-warnings'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let errors = '';
    child.stderr?.on('data', (data) => (errors = `${errors}${data}`.slice(-2_000)));
    child.on('message', ({ progress, result, wrong }: Message) => {
      if (progress && isTerminal) process.stderr.write(`\r\u001B[K${progress}`);
      if (wrong) reject(new UsageError(wrong.code, wrong.message));
      if (!result) return;
      results.push(result);
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
      process.stderr.write(`${isTerminal ? '\r\u001B[K' : ''}${result.name}: ${totalOf(result)} hold (${seconds} s)\n`);
    });
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(results) : reject(new Error(`${file} ended with ${code}.\n${errors}`))));
  });

const replaceTable = (text: string, table: string): string =>
  text.replace(
    /(<!-- scorecard -->\n)[\s\S]*?(\n<!-- \/scorecard -->)/u,
    (_, start: string, end: string) => `${start}\n${table}\n${end}`,
  );

const write = (played: readonly HostResult[]): void => {
  const file = path.join(folder, 'results.json');
  const before: HostResult[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
  const kept = before.filter(({ id }) => !played.some((host) => host.id === id));
  const order = Object.keys(known);
  const rank = ({ id }: HostResult) => (id in known ? order.indexOf(id) : order.length);
  const all = [...kept, ...played].toSorted((a, b) => rank(a) - rank(b));
  writeFileSync(file, `${JSON.stringify(all, undefined, 1)}\n`);
  const titles = new Map(scenarios.map(({ id, title }) => [id, title]));
  writeFileSync(path.join(folder, '../docs/scorecard.md'), page(all, titles));
  const readme = path.join(folder, '../README.md');
  writeFileSync(readme, replaceTable(readFileSync(readme, 'utf8'), markdownTable(all)));
};

const lineOf = ({ host, scenario, mode, detail }: Cell): string => `${host}  ${scenario}  ${mode}: ${detail}`;

const playScenarios = async (hosts: readonly string[]): Promise<void> => {
  const results: HostResult[] = [];
  for (const task of hosts.map(taskOf)) results.push(...(await play(task)));
  const cells = results.flatMap((host) => host.cells);
  const broken = cells.filter(({ status }) => status === 'error');
  const failed = values.failures ? cells.filter(({ status }) => status === 'fails') : [];
  const print = values.json ? console.error : console.log;
  print([terminalTable(results), ...[...failed, ...broken].map(lineOf)].join('\n'));
  if (values.json) process.stdout.write(`${JSON.stringify(results, undefined, 2)}\n`);
  if (values.write) write(results);
  if (broken.length > 0)
    throw new UsageError('scorecard/adapter-failed', `${broken.length} cells have no result, because the adapter failed`);
};

const checkPrograms = async (hosts: readonly string[]): Promise<void> => {
  let outdated = 0;
  for (const host of hosts) {
    const files = programsOf(host);
    for (const [file, said] of files.length > 0 ? await playPrograms(files) : []) {
      console.log(`${file}  ${said || 'ended without a verdict'}`);
      if (!said.startsWith('FAILS')) outdated += 1;
    }
  }
  if (outdated > 0) throw new UsageError('scorecard/program-outdated', `${outdated} programs no longer show their failure`);
};

const run = async (): Promise<void> => {
  if (values.help) return console.log(help);
  if (!values.host && !areOthersInstalled)
    console.error('Hosts of other vendors are not installed; npm ci --prefix scorecard/hosts installs them.');
  await (values.programs ? checkPrograms : playScenarios)(values.host ?? installed);
};

await run().catch((error: unknown) => {
  console.error(error instanceof UsageError ? error.message : error);
  process.exitCode = 1;
});
