import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { Effort } from './case.js';
import { cases, unreadStreams } from './cases.js';
import { lowest, median, toFigures } from './figures.js';
import type { Waits } from './gate/goals.js';
import { waitTable } from './gate/tables.js';
import { waitNames } from './gate/wait-names.js';
import type { Waited } from './gate/waits.js';
import { goalLine, goalsOf, type Pulls } from './goals.js';
import { reportOf } from './report.js';
import { inChild, measureRounds } from './rounds.js';

const help = `npm run bench -- [--quick] [--only <part of a name>] [--rounds <n>] [--json <file>] [--list]

  --quick    the main cases once: for a look, not for figures to quote
  --only     cases whose name holds this; several are separated by commas
  --rounds   interleaved repetitions, of which the median is told (default 5)
  --lowest   tells the lowest sample in place of the median: for a machine that others use too
  --json     writes everything that was measured to a file
  --list     prints the names of the cases`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string' },
    lowest: { type: 'boolean', default: false },
    json: { type: 'string' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const tell = (line: string): void => void (process.stderr.isTTY && process.stderr.write(`\r\x1b[K${line}`));

const wanted = values.only?.split(',');
const chosen = cases.filter(({ name, quick }) => (wanted ? wanted.some((part) => name.includes(part)) : quick || !values.quick));

const countPulls = async (): Promise<Pulls> => {
  const pulls: Record<string, number> = {};
  for (const name of Object.keys(unreadStreams)) pulls[name] = await inChild<number>({ kind: 'unread', name });
  return pulls;
};

const chosenWaits = waitNames.filter((name) => !wanted || wanted.some((part) => name.includes(part)));

/** Time that passes while nothing is computed: each wait in a process of its own, one after the other. */
const measureWaits = async (samples: number): Promise<Waits> => {
  const waits: Record<string, readonly Waited[]> = {};
  for (const name of chosenWaits) {
    tell(name);
    waits[name] = await inChild<Waited[]>({ kind: 'wait', name, samples });
  }
  return waits;
};

const quickEffort: Effort = { warmMs: 100, samples: 2, sampleMs: 50, largest: 8_000 };
/** With less, the compiler is still at work while the shortest cases are measured. */
const fullEffort: Effort = { warmMs: 1_000, samples: 5, sampleMs: 100, largest: Infinity };

const bench = async (): Promise<void> => {
  if (chosen.length + chosenWaits.length === 0) throw new Error(`No case has "${values.only}" in its name; --list prints them.`);
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));
  const effort = values.quick ? quickEffort : fullEffort;
  const onCase = (name: string, round: number) => tell(`round ${round + 1} of ${rounds}: ${name}`);
  const costs = await measureRounds(chosen, { rounds, effort, onCase });
  const pulls = wanted ? {} : await countPulls();
  const waits = await measureWaits(rounds);
  tell('');
  const figures = toFigures(costs, values.lowest ? lowest : median);
  const goals = goalsOf(figures, { pulls, waits }).filter(({ measured }) => !wanted || measured);
  const machine = `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${availableParallelism()} cores`;
  const told = `${values.lowest ? 'lowest' : 'median'} of ${rounds} interleaved rounds with ${effort.samples} samples each`;
  console.log(`CPU time (wall time), ${told}, a process for each case. ${machine}.\n`);
  console.log(reportOf(figures));
  if (chosenWaits.length > 0) console.log(`\n${waitTable(waits)}`);
  if (!wanted) console.log(`\nparts pulled in 100 ms with nobody reading: ${JSON.stringify(pulls)}`);
  console.log(`\n${goals.map(goalLine).join('\n')}`);
  const measured = { machine, rounds, effort, figures: figures.all, pulls, waits, goals, costs };
  if (values.json) writeFileSync(values.json, JSON.stringify(measured, undefined, 2));
};

if (values.help) console.log(help);
else if (values.list) console.log([...chosen.map(({ name }) => name), ...chosenWaits].join('\n'));
else await bench();
