import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { BenchCase, Effort } from './case.js';
import { cases, probes as probeModules, suites, unreadStreams, type ProbeName } from './cases.js';
import { emit } from './emit.js';
import { lowest, median, toFigures } from './figures.js';
import type { Waits } from './gate/goals.js';
import { waitTable } from './gate/tables.js';
import { waitNames } from './gate/wait-names.js';
import type { Waited } from './gate/waits.js';
import { goalLine, goalsOf } from './goals.js';
import { writePage } from './page.js';
import { longRuns } from './probes/long-runs.js';
import { probed } from './probes/streaming.js';
import { reportOf } from './report.js';
import { inChild, measureRounds } from './rounds.js';
import type { BenchRun, Probes, Pulls } from './run.js';

const help = `npm run bench -- [--quick] [--suite <names>] [--only <part of a name>] [--rounds <n>] [--json <file>] [--write] [--list]

  --quick    everything once and with less effort: for a look, not for figures to quote
  --suite    compare (what a run without a choice measures), its part probes, pipeline, gate, durable; several with commas between
  --only     cases of any suite whose name holds this; several are separated by commas
  --rounds   interleaved repetitions, of which the median is told (default 5)
  --lowest   tells the lowest sample in place of the median: for a machine that others use too
  --json     writes everything that was measured to a file
  --write    writes the tables and the picture of docs/performance.md
  --from     measures nothing and tells what such a file holds
  --list     prints the names of the cases`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    suite: { type: 'string', default: 'compare' },
    only: { type: 'string' },
    rounds: { type: 'string' },
    lowest: { type: 'boolean', default: false },
    json: { type: 'string' },
    write: { type: 'boolean', default: false },
    from: { type: 'string' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const tell = (line: string): void => void (process.stderr.isTTY && process.stderr.write(`\r\x1b[K${line}`));

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

/** Whether subjects are asked what they take to start, to say a first word, and to hear long answers. */
const hasProbes = isWhole || (!wanted && chosenSuites.has('probes'));

const countPulls = async (): Promise<Pulls> => {
  const pulls: Record<string, number> = {};
  for (const name of Object.keys(unreadStreams)) pulls[name] = await inChild<number>({ kind: 'unread', name });
  return pulls;
};

const chosenWaits = waitNames.filter((name) => (wanted ? isWanted(name) : isWhole || chosenSuites.has('gate')));

/** Time that passes while nothing is computed: each wait in a process of its own, one after the other. */
const measureWaits = async (samples: number): Promise<Waits> => {
  const waits: Record<string, readonly Waited[]> = {};
  for (const name of chosenWaits) {
    tell(name);
    waits[name] = await inChild<Waited[]>({ kind: 'wait', name, samples });
  }
  return waits;
};

/** Who is asked what. A million chunks are asked for once, and of nobody else: it would take minutes. */
const asked: Readonly<Record<ProbeName, readonly string[]>> = { start: probed, first: probed, memory: probed, long: longRuns };

const measureProbes = async (rounds: number): Promise<Probes> => {
  const found: Record<string, Record<string, unknown[]>> = { start: {}, first: {}, memory: {}, long: {} };
  for (let round = 0; hasProbes && round < rounds; round += 1)
    for (const probe of Object.keys(probeModules) as ProbeName[])
      for (const name of probe === 'long' && round > 0 ? [] : asked[probe]) {
        tell(`round ${round + 1} of ${rounds}: ${probe} ${name}`);
        ((found[probe] ??= {})[name] ??= []).push(await inChild({ kind: 'probe', probe, name }));
      }
  return found as unknown as Probes; // what the probes of these names give
};

const quickEffort: Effort = { warmMs: 120, samples: 2, sampleMs: 40, enoughMs: 150, largest: 8_000 };
/** With less, the compiler is still at work while the shortest cases are measured. */
const fullEffort: Effort = { warmMs: 150, samples: 2, sampleMs: 60, enoughMs: 200, largest: Infinity };

const measure = async (): Promise<BenchRun> => {
  if (chosen.length + chosenWaits.length === 0 && !hasProbes) throw new Error('No case is meant; --list prints them.');
  const from = performance.now();
  emit();
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));
  const effort = values.quick ? quickEffort : fullEffort;
  const onCase = (name: string, round: number) => tell(`round ${round + 1} of ${rounds}: ${name}`);
  const costs = await measureRounds(chosen, { rounds, effort, onCase });
  const others = {
    pulls: isWhole ? await countPulls() : {},
    probes: await measureProbes(rounds),
    waits: await measureWaits(Math.min(rounds, 2)),
  };
  tell('');
  const figures = toFigures(costs, values.lowest ? lowest : median);
  const goals = goalsOf(figures, others).filter(({ measured }) => measured !== undefined && !Number.isNaN(measured));
  return {
    machine: `a ${process.platform} machine (${process.arch}) with ${availableParallelism()} cores, Node ${process.versions.node}`,
    date: new Date().toISOString().slice(0, 10),
    rounds,
    isQuick: values.quick,
    effort,
    seconds: (performance.now() - from) / 1_000,
    figures: figures.all,
    goals,
    costs,
    ...others,
  };
};

const bench = async (): Promise<void> => {
  const run = values.from ? (JSON.parse(readFileSync(values.from, 'utf8')) as BenchRun) : await measure();
  const { machine, rounds, seconds, costs, goals, waits } = run;
  const figures = toFigures(costs, values.lowest ? lowest : median);
  const told = `${values.lowest ? 'lowest' : 'median'} of ${rounds} interleaved repetitions in separate processes`;
  console.log(`CPU time, ${told}, on ${machine}; ${Math.round(seconds)} s in all.\n`);
  console.log(reportOf(figures, run));
  if (Object.keys(waits).length > 0) console.log(`\n${waitTable(waits)}`);
  console.log(`\n${goals.map(goalLine).join('\n')}`);
  if (values.json) writeFileSync(values.json, JSON.stringify(run, undefined, 2));
  if (values.write) await writePage(run, figures);
};

if (values.help) console.log(help);
else if (values.list) console.log([...chosen.map(({ name }) => name), ...chosenWaits].join('\n'));
else {
  if (chosen.length + chosenWaits.length > 0 || hasProbes || values.from) await bench();
  if (!wanted && chosenSuites.has('durable')) await import('./durable/main.js');
}
