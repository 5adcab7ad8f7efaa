import { fork } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import type { Cell } from './play.js';
import { markdownTable, page, terminalTable, type HostResult } from './results.js';
import { scenarios } from './scenarios/index.js';

const help = `npm run scorecard -- [options]

  --host ID|FILE      Only this host; an adapter of your own by its file. May be repeated. Without it: every host that is installed.
  --scenario PREFIX   Only scenarios whose id begins so, such as p1 or p2-edit. May be repeated.
  --failures          List what failed, and where.
  --no-cost           Do not measure CPU time.
  --json FILE         Write the results.
  --write             Write scorecard/results.json, docs/scorecard.md and the table of README.md. Hosts that were not played keep their last result.
  --help

npm ci --prefix scorecard/hosts installs the hosts of other vendors.`;

const { values } = parseArgs({
  allowNegative: true,
  options: {
    host: { type: 'string', multiple: true },
    scenario: { type: 'string', multiple: true, default: [] },
    failures: { type: 'boolean', default: false },
    cost: { type: 'boolean', default: true },
    json: { type: 'string' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const folder = import.meta.dirname;
/** The module of each host; ours and stock hosts of our own dependencies first. */
const own: Readonly<Record<string, string>> = {
  interlock: 'ours/interlock.ts',
  'interlock-hold': 'ours/interlock.ts',
  'interlock-mastra-agent': 'ours/interlock-mastra-agent.ts',
  'interlock-ai-sdk': 'ours/interlock-ai-sdk.ts',
  mastra: 'ours/mastra.ts',
  'mastra-workflow': 'ours/mastra-workflow.ts',
  'ai-sdk': 'ours/ai-sdk.ts',
};
const others = Object.fromEntries(
  ['openai-agents', 'langchain', 'voltagent', 'genkit', 'adk'].map((id) => [id, `hosts/${id}.ts`]),
);
const known: Readonly<Record<string, string>> = { ...own, ...others };

interface Task {
  readonly file: string;
  /** The host of the module that is played. Default: all. */
  readonly ids: readonly string[];
}

const taskOf = (host: string): Task => {
  if (/\.[mc]?[jt]s$/u.test(host)) return { file: path.resolve(host), ids: [] };
  const file = known[host];
  if (!file)
    throw new Error(`There is no host "${host}". Known: ${Object.keys(known).join(', ')}; or pass the file of an adapter.`);
  return { file: path.join(folder, file), ids: [host] };
};

const isInstalled = existsSync(path.join(folder, 'hosts/node_modules'));
const tasks = (values.host ?? Object.keys(isInstalled ? known : own)).map(taskOf);

const play = ({ file, ids }: Task): Promise<HostResult[]> =>
  new Promise((resolve, reject) => {
    const results: HostResult[] = [];
    const request = JSON.stringify({ prefixes: values.scenario, ids, cost: values.cost });
    const child = fork(path.join(folder, 'child.ts'), [file, request], {
      execArgv: ['--import', 'tsx', '--no-warnings'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let errors = '';
    child.stderr?.on('data', (data) => (errors = `${errors}${data}`.slice(-2_000)));
    child.on('message', (message: { progress?: string; result?: HostResult }) => {
      if (message.progress && process.stderr.isTTY) process.stderr.write(`\r\u001B[K${message.progress}`);
      if (message.result) results.push(message.result);
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

const tellFailure = ({ host, scenario, mode, status, detail }: Cell): void => {
  if (status === 'fails') console.log(`${host}  ${scenario}  ${mode}: ${detail}`);
};

if (values.help) {
  console.log(help);
} else {
  if (!values.host && !isInstalled)
    console.error('Hosts of other vendors are not installed; npm ci --prefix scorecard/hosts installs them.');
  const results: HostResult[] = [];
  for (const task of tasks) results.push(...(await play(task)));
  if (process.stderr.isTTY) process.stderr.write('\r\u001B[K');
  console.log(terminalTable(results));
  if (values.failures) for (const cell of results.flatMap(({ cells }) => cells)) tellFailure(cell);
  if (values.json) writeFileSync(values.json, JSON.stringify(results, undefined, 2));
  if (values.write) write(results);
}
