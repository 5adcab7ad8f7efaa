import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { guardCounts } from './cases.js';
import { chartOf } from './chart.js';
import type { Figures } from './figures.js';
import { filled } from './filled.js';
import { goalRow } from './goals.js';
import { chartRows, tablesOf } from './report.js';
import type { BenchRun } from './run.js';
import { markdownOf } from './table.js';

const docs = new URL('../docs/', import.meta.url);
const [page, picture] = [new URL('performance.md', docs), new URL('performance.svg', docs)];

const minutes = (seconds: number): number => Math.round(seconds / 60);

/** Where the minutes are many more than those of CPU time, the machine had other work. */
const about = ({ machine, date, rounds, seconds, cpuSeconds, isQuick, givenUp }: BenchRun): string => {
  const told = isQuick ? 'a quick run: one repetition' : `medians of ${rounds} interleaved repetitions`;
  const lost = givenUp.map(({ task, seconds: after }) => ` Given up after ${after} s: ${task}.`).join('');
  return `Measured on ${date} on ${machine}; ${told} in separate processes, ${minutes(seconds)} minutes in all, of which ${minutes(cpuSeconds)} were CPU time.${lost}`;
};

/** Writes what a run measured into the documents: the tables' places of the page, and the picture. */
export const writePage = async (run: BenchRun, figures: Figures): Promise<void> => {
  let text = filled(readFileSync(page, 'utf8'), 'about', about(run));
  for (const table of tablesOf(figures, run)) text = filled(text, table.id, markdownOf(table));
  const goals = { id: 'goals', head: ['goal', 'measured', 'at most', 'held'], rows: run.goals.flatMap(goalRow) };
  text = filled(text, 'goals', markdownOf(goals));
  writeFileSync(page, await format(text, { filepath: fileURLToPath(page), printWidth: 140 }));
  writeFileSync(
    picture,
    chartOf(chartRows(figures), {
      title: 'CPU time per streamed chunk, by the number of guards (each step of the axis is ten times)',
      series: guardCounts.map((guards) => (guards === 1 ? '1 guard' : `${guards} guards`)),
    }),
  );
};
