import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { bundleCode } from '../scripts/bundle.js';
import { entries } from '../scripts/entries.js';
import { toFigures, type Sample } from './case.js';
import { cases } from './cases.js';
import { goalLine, goalsOf } from './goals.js';
import { tablesOf, writePage, type BenchRun } from './report.js';
import { tableOf } from './table.js';

const help = `npm run bench -- [--quick] [--only <parts of names>] [--rounds <n>] [--minutes <n>] [--json <file>] [--write] [--from <file>] [--list]

  --quick    the main cases, once and with less effort: within 90 s, and no figures to quote
  --only     cases whose name contains one of these, with commas between; the groups are chunk, step, history, results, start, first text,
             memory, unread, long, first word, judge and text (guards over texts, which a run without a choice leaves out)
  --rounds   interleaved repetitions, of which the median is reported (default 3)
  --minutes  starts no repetition that would end later (default 36)
  --json     writes all measurements to a file
  --write    writes the tables of docs/performance.md
  --from     reports such a file without measuring
  --list     prints the names of the cases

Each case runs in a process of its own; one that takes longer than two minutes is stopped and listed. Durable runs: npm run bench:durable.`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string' },
    minutes: { type: 'string', default: '36' },
    json: { type: 'string' },
    write: { type: 'boolean', default: false },
    from: { type: 'string' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const isQuick = values.quick;

const wanted = values.only?.split(',');
const chosen = cases.filter(({ name, quick }) =>
  wanted ? wanted.some((part) => name.includes(part)) : isQuick ? quick : !name.startsWith('text: '),
);

/** Inside `node_modules`, so that packages resolve from there and no other tool reads it. */
const folder = resolve('node_modules/.cache/interlock-bench', String(process.pid));
const limitMs = 120_000;

const progress = (line: string): void => {
  const at = `${Math.round(performance.now() / 1_000)} s`.padStart(7);
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${at}  ${line}` : `${at}  ${line}\n`);
};

interface Answer {
  readonly samples: readonly Sample[];
  readonly cpuMs: number;
}

/** Measures a case in a separate process; undefined if that took too long. */
const runChild = async (name: string): Promise<Answer | undefined> => {
  const args = ['--expose-gc', '--no-warnings', join(folder, 'child.js'), name, String(isQuick)];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: limitMs, maxBuffer: 2 ** 26 });
    return JSON.parse(stdout) as Answer;
  } catch (error) {
    const { killed, stderr = '' } = error as { killed?: boolean; stderr?: string };
    if (killed) return undefined;
    throw new Error(`${name} failed:\n${stderr.slice(-1_000)}`, { cause: error });
  }
};

const measureAll = async (): Promise<BenchRun> => {
  const rounds = Number(values.rounds ?? (isQuick ? 1 : 3));
  await bundleCode({ child: 'bench/child.ts' }, folder);
  await bundleCode(entries, join(folder, 'shipped')); // measures the shipped code
  const samples: Sample[] = [];
  const givenUp = new Set<string>();
  let [round, cpuMs] = [0, 0];
  const from = performance.now();
  const hasTime = (): boolean =>
    round === 0 || ((performance.now() - from) / round) * (round + 1) < Number(values.minutes) * 60_000;
  for (; round < rounds && hasTime(); round += 1) {
    // Every other round runs in reverse order, so that temporary disturbances of the machine affect all cases.
    for (const { name } of round % 2 === 0 ? chosen : chosen.toReversed()) {
      if (givenUp.has(name)) continue;
      progress(`round ${round + 1} of ${rounds}: ${name}`);
      const answer = await runChild(name);
      if (!answer) givenUp.add(name);
      samples.push(...(answer?.samples ?? []));
      cpuMs += answer?.cpuMs ?? 0;
    }
  }
  progress('measured\n');
  const figures = toFigures(samples);
  return {
    machine: `a ${process.platform} machine (${process.arch}) with ${availableParallelism()} cores, Node ${process.versions.node}`,
    date: new Date().toISOString().slice(0, 10),
    isQuick,
    rounds: round,
    seconds: (performance.now() - from) / 1_000,
    cpuSeconds: cpuMs / 1_000,
    givenUp: [...givenUp],
    figures,
    goals: goalsOf(figures),
    samples,
  };
};

const bench = async (): Promise<void> => {
  if (chosen.length === 0) throw new Error('No case has such a name; --list prints them.');
  const run = values.from ? (JSON.parse(readFileSync(values.from, 'utf8')) as BenchRun) : await measureAll();
  const { machine, rounds, seconds, cpuSeconds, givenUp, figures, goals } = run;
  console.log(
    `CPU time, median of ${rounds}, on ${machine}; ${Math.round(seconds)} s in all, ${Math.round(cpuSeconds)} s of CPU time.\n`,
  );
  for (const name of givenUp) console.log(`Stopped after ${limitMs / 1_000} s: ${name}.\n`);
  for (const { head, rows } of tablesOf(figures)) console.log(`${tableOf(head, rows)}\n`);
  console.log(goals.map(goalLine).join('\n'));
  if (values.json) writeFileSync(values.json, JSON.stringify(run, undefined, 2));
  if (values.write) await writePage(run);
};

if (values.help) console.log(help);
else if (values.list) console.log(chosen.map(({ name }) => name).join('\n'));
else await bench().finally(() => rmSync(folder, { recursive: true, force: true }));
