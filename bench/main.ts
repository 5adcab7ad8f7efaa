import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { BenchCase } from './case.js';
import { cases, suites } from './cases.js';
import { lowest, median, toFigures } from './figures.js';
import { waitTable } from './gate/tables.js';
import { waitNames } from './gate/wait-names.js';
import { goalLine } from './goals.js';
import { writePage } from './page.js';
import { reportOf } from './report.js';
import type { BenchRun } from './run.js';
import { measureRun } from './whole-run.js';

const help = `npm run bench -- [--quick] [--suite <names>] [--only <part of a name>] [--rounds <n>] [--json <file>] [--write] [--list]

  --quick    everything once and with less effort: for a look, not for figures to quote
  --suite    compare (what a run without a choice measures), its part probes, pipeline, gate, texts, durable; several with commas between
  --only     cases of any suite whose name holds this; several are separated by commas
  --rounds   interleaved repetitions, of which the median is told (default 5)
  --minutes  how long the repetitions may take (default 36): none begins that would end later
  --lowest   tells the lowest sample in place of the median: for a machine that others use too
  --json     writes everything that was measured to a file
  --write    writes the tables and the picture of docs/performance.md
  --from     measures nothing and tells what such a file holds
  --list     prints the names of the cases

What a run is at is told on stderr. A case that takes longer than two minutes is given up and named.`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    suite: { type: 'string', default: 'compare' },
    only: { type: 'string' },
    rounds: { type: 'string' },
    minutes: { type: 'string', default: '36' },
    lowest: { type: 'boolean', default: false },
    json: { type: 'string' },
    write: { type: 'boolean', default: false },
    from: { type: 'string' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** On a terminal in place, elsewhere line by line, each with the time that has passed. */
const tell = (line: string): void => {
  const at = `${Math.round(performance.now() / 1_000)} s`.padStart(7);
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${at}  ${line}` : `${at}  ${line}\n`);
};

const wanted = values.only?.split(',');
const isWanted = (name: string): boolean => wanted?.some((part) => name.includes(part)) ?? false;
const chosenSuites = new Set(values.suite.split(','));
const chosen: readonly BenchCase[] = wanted
  ? cases.filter(({ name }) => isWanted(name))
  : Object.entries(suites)
      .flatMap(([name, own]) => (chosenSuites.has(name) ? own : []))
      .filter(({ quick }) => quick || !values.quick);
/** A whole comparison, with what is measured beside the cases. */
const isWhole = !wanted && chosenSuites.has('compare');
const hasProbes = isWhole || (!wanted && chosenSuites.has('probes'));
const chosenWaits = waitNames.filter((name) => (wanted ? isWanted(name) : isWhole || chosenSuites.has('gate')));
const isAnything = chosen.length + chosenWaits.length > 0 || hasProbes;
const pick = values.lowest ? lowest : median;

const measure = async (): Promise<BenchRun> => {
  if (!isAnything) throw new Error('No case is meant; --list prints them.');
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));
  const run = await measureRun({
    cases: chosen,
    waits: chosenWaits,
    hasProbes,
    hasPulls: isWhole,
    rounds,
    isQuick: values.quick,
    minutes: Number(values.minutes),
    pick,
    tell,
  });
  tell('measured\n');
  return run;
};

const bench = async (): Promise<void> => {
  const run = values.from ? (JSON.parse(readFileSync(values.from, 'utf8')) as BenchRun) : await measure();
  const { machine, rounds, seconds, cpuSeconds, givenUp, costs, goals, waits } = run;
  const figures = toFigures(costs, pick);
  const told = `${values.lowest ? 'lowest' : 'median'} of ${rounds} interleaved repetitions in separate processes`;
  console.log(`CPU time, ${told}, on ${machine}; ${Math.round(seconds)} s in all, ${Math.round(cpuSeconds)} s of CPU time.\n`);
  for (const one of givenUp) console.log(`Given up after ${one.seconds} s: ${one.task}.\n`);
  console.log(reportOf(figures, run));
  if (Object.keys(waits).length > 0) console.log(`\n${waitTable(waits)}`);
  console.log(`\n${goals.map(goalLine).join('\n')}`);
  if (values.json) writeFileSync(values.json, JSON.stringify(run, undefined, 2));
  if (values.write) await writePage(run, figures);
};

if (values.help) console.log(help);
else if (values.list) console.log([...chosen.map(({ name }) => name), ...chosenWaits].join('\n'));
else {
  if (isAnything || values.from) await bench();
  if (!wanted && chosenSuites.has('durable'))
    await (await import('./durable/bench-durable.js')).benchDurable({ isQuick: values.quick });
}
