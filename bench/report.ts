import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import type { Figure, Sample } from './case.js';
import { goalRow, type Goal } from './goals.js';
import { brief, filled, markdownOf, type FigureTable } from './table.js';

/** All measurements of one run of the bench, as `--json` writes them. */
export interface BenchRun {
  readonly machine: string;
  readonly date: string;
  readonly isQuick: boolean;
  readonly rounds: number;
  readonly seconds: number;
  /** CPU time of all processes. */
  readonly cpuSeconds: number;
  /** Cases that took too long. */
  readonly givenUp: readonly string[];
  readonly figures: readonly Figure[];
  readonly goals: readonly Goal[];
  readonly samples: readonly Sample[];
}

/** The divisors of a group's rows: the row with the same number of guards, or one row. */
const bases: Readonly<Record<string, readonly string[]>> = {
  chunk: ['plain loop', 'mastra', 'ToolLoopAgent'],
  step: ['mastra', 'ToolLoopAgent'],
  history: ['mastra'],
  results: ['mastra'],
};

const ratioTo = (figures: readonly Figure[], own: Figure, base: string): string => {
  const guards = /, (\d+) guards(.*)$/.exec(own.name);
  const group = own.name.split(':')[0] ?? '';
  const names = [`${group}: ${base}, ${guards?.[1] ?? 3} guards${guards?.[2] ?? ''}`, `${group}: ${base}, 0 guards`];
  const than = names.flatMap((name) => figures.find((one) => one.name === name && one.size === own.size) ?? [])[0];
  return than ? brief(own.value / than.value) : '';
};

const number = (value: number): string => value.toLocaleString('en');

/** The cases of a group: a column for each size or unit, the ratios at the size before the last, and the spread. */
const tableOfGroup = (figures: readonly Figure[], group: string): FigureTable => {
  const own = figures.filter(({ name }) => name.startsWith(`${group}: `));
  const sizes = [...new Set(own.map(({ size }) => size))].toSorted((a, b) => a - b);
  const units = [...new Set(own.map(({ unit }) => unit))];
  const columns = sizes.flatMap((size) => units.map((unit) => ({ size, unit })));
  const middle = sizes.at(-2) ?? 0;
  const ratioBases = bases[group] ?? [];
  const rows = [...Map.groupBy(own, ({ name }) => name)].map(([name, all]) => {
    const at = all.find(({ size }) => size === middle) ?? all.at(-1);
    const cells = columns.map(({ size, unit }) => brief(all.find((one) => one.size === size && one.unit === unit)?.value));
    const ratios = ratioBases.map((base) => (at ? ratioTo(figures, at, base) : ''));
    return [name.slice(group.length + 2), ...cells, ...ratios, brief(Math.max(...all.map(({ spread }) => spread)))];
  });
  const heads = columns.map(({ size, unit }) => (size === 0 ? unit : `${number(size)}, ${unit}`));
  return { id: group.replaceAll(' ', '-'), head: [group, ...heads, ...ratioBases.map((base) => `/ ${base}`), 'spread'], rows };
};

/** A table for each group of cases. */
export const tablesOf = (figures: readonly Figure[]): FigureTable[] =>
  [...new Set(figures.map(({ name }) => name.split(':')[0] ?? ''))].map((group) => tableOfGroup(figures, group));

/** Writes a run's measurements into their places in docs/performance.md. */
export const writePage = async ({
  machine,
  date,
  isQuick,
  rounds,
  seconds,
  cpuSeconds,
  givenUp,
  figures,
  goals,
}: BenchRun): Promise<void> => {
  const page = new URL('../docs/performance.md', import.meta.url);
  const how = isQuick ? 'a quick run' : rounds === 1 ? 'one repetition' : `medians of ${rounds} interleaved repetitions`;
  const lost = givenUp.map((name) => ` Stopped: ${name}.`).join('');
  const about = `Measured on ${date} on ${machine}; ${how}, ${Math.round(seconds / 60)} minutes in all, ${Math.round(cpuSeconds / 60)} minutes of CPU time.${lost}`;
  let text = filled(readFileSync(page, 'utf8'), 'about', about);
  for (const table of tablesOf(figures)) text = filled(text, table.id, markdownOf(table));
  text = filled(
    text,
    'goals',
    markdownOf({ id: 'goals', head: ['goal', 'measured', 'at most', 'held'], rows: goals.map(goalRow) }),
  );
  writeFileSync(page, await format(text, { filepath: fileURLToPath(page), printWidth: 140 }));
};
