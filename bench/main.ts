import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleCode } from '../scripts/bundle.js';
import { entries } from '../scripts/entries.js';
import type { Series } from './case.js';
import { cases } from './cases.js';
import { goalLine, goalsOf } from './goals.js';
import { aboutOf, tablesOf, writePage, type BenchRun } from './report.js';
import { tableOf } from './table.js';

const help = `npm run bench -- [--quick] [--only <parts of names>] [--rounds <n>] [--json <file>] [--write] [--from <file>] [--list]

  --quick    the main cases in one process, each at one size, in at most four minutes
  --only     cases whose name contains one of these, with commas between; the groups are chunk, step, history, results, rows, run, defaults, held,
             start, first text, memory, unread, long, first word, judge and text (guards over texts, which a run without a choice leaves out)
  --rounds   rounds that count; each measures every case of a group once
  --json     writes all measurements to a file
  --write    writes the tables of docs/performance.md
  --from     reports such a file without measuring
  --list     prints the names of the cases

All cases run in one warm process, those of a group in turns; only start, memory and long need processes of their own. Durable runs: npm run bench:durable.`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string' },
    json: { type: 'string' },
    write: { type: 'boolean', default: false },
    from: { type: 'string' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const wanted = values.only?.split(',');
const chosen = cases.filter(({ name, quick }) =>
  wanted ? wanted.some((part) => name.includes(part)) : values.quick ? quick : !name.startsWith('text: '),
);

/** Inside `node_modules`, so that packages resolve from there and no other tool reads it. */
const folder = resolve('node_modules/.cache/interlock-bench', String(process.pid));

interface Answer {
  readonly series: readonly Series[];
  readonly cpuSeconds: number;
  readonly rounds: number;
}

const measure = async (): Promise<BenchRun> => {
  await bundleCode({ run: 'bench/run.ts' }, folder);
  await bundleCode(entries, join(folder, 'shipped')); // measures the shipped code
  const [from, load] = [performance.now(), loadavg()[0] ?? NaN];
  const task = { names: chosen.map(({ name }) => name), quick: values.quick, rounds: values.rounds && Number(values.rounds) };
  const args = ['--expose-gc', '--no-warnings', join(folder, 'run.js'), JSON.stringify(task)];
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const text = execFileSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 26, stdio: [...stdio] });
  const { series, cpuSeconds, rounds } = JSON.parse(text) as Answer;
  return {
    machine: `a ${process.platform} machine (${process.arch}) with ${availableParallelism()} cores, Node ${process.versions.node}`,
    date: new Date().toISOString().slice(0, 10),
    rounds,
    seconds: (performance.now() - from) / 1_000,
    cpuSeconds,
    load: [load, loadavg()[0] ?? NaN],
    series,
  };
};

const bench = async (): Promise<void> => {
  if (chosen.length === 0) throw new Error('No case has such a name; --list prints them.');
  const run = values.from ? (JSON.parse(readFileSync(values.from, 'utf8')) as BenchRun) : await measure();
  console.log(`${aboutOf(run)}\n`);
  for (const { head, rows } of tablesOf(run.series)) console.log(`${tableOf(head, rows)}\n`);
  console.log(goalsOf(run.series).map(goalLine).join('\n'));
  if (values.json) writeFileSync(values.json, JSON.stringify(run, undefined, 2));
  if (values.write) await writePage(run);
};

if (values.help) console.log(help);
else if (values.list) console.log(chosen.map(({ name }) => name).join('\n'));
else await bench().finally(() => rmSync(folder, { recursive: true, force: true }));
