import { readFileSync, writeFileSync } from 'node:fs';
import { format } from 'oxfmt';
import { figureOf, isMeasured, ratioOf, type Figure, type Series } from './case.js';
import { goalRow, goalsOf } from './goals.js';
import { groupOf, ratioSizes } from './measure.js';
import { brief, filled, markdownOf, type FigureTable } from './table.js';

/** All measurements of one run of the bench, as `--json` writes them. */
export interface BenchRun {
  readonly machine: string;
  readonly date: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** The machine's average load at the start and at the end. */
  readonly load: readonly [number, number];
  readonly series: readonly Series[];
}

/** The divisors of a group's rows: the row with the same number of guards, or one row. */
const bases: Readonly<Record<string, readonly string[]>> = {
  chunk: ['plain loop', 'mastra', 'ToolLoopAgent'],
  step: ['mastra', 'ToolLoopAgent'],
  'streamed steps': ['mastra', 'ToolLoopAgent'],
  'first call': ['no guards'],
  history: ['mastra'],
  results: ['mastra'],
  rows: ['mastra, 0 guards', 'mastra'],
  run: ['mastra'],
  defaults: ['hold none and single deltas'],
};

const ratioTo = (all: readonly Series[], own: Series, base: string): Figure | undefined => {
  const guards = /, (\d+) guards(.*)$/.exec(own.name);
  const names = [base, `${base}, ${guards?.[1] ?? 3} guards${guards?.[2] ?? ''}`, `${base}, 0 guards`];
  const over = names.flatMap(
    (name) => all.find((one) => one.name === `${groupOf(own)}: ${name}` && one.size === own.size) ?? [],
  )[0];
  return over && ratioOf(own, over);
};

const number = (value: number): string => value.toLocaleString('en');

/** The cases of a group: the estimate for each size or unit with the minimum in brackets, and the ratios at one size. */
const tableOfGroup = (all: readonly Series[], group: string): FigureTable => {
  const own = all.filter((one) => groupOf(one) === group);
  const columns = [...new Map(own.map(({ size, unit }) => [`${size} ${unit}`, { size, unit }])).values()].toSorted(
    (a, b) => a.size - b.size,
  );
  const ratioSize = ratioSizes[group] ?? columns[0]?.size ?? 0;
  const ratioBases = bases[group] ?? [];
  const rows = [...Map.groupBy(own, ({ name }) => name)].map(([name, series]) => {
    const cells = columns.map(({ size, unit }) => series.find((one) => one.size === size && one.unit === unit));
    const figures = cells.map((cell) => cell && figureOf(cell.values));
    const at = series.find(({ size }) => size === ratioSize);
    const ratios = ratioBases.map((base) => at && ratioTo(own, at, base));
    const measured = figures.filter((one) => one !== undefined);
    const spread = brief(Math.max(...measured.map((one) => one.spread)));
    const shown = measured.every(isMeasured)
      ? [
          ...figures.map((one) => one && `${brief(one.estimate)} (${brief(one.min)})`),
          ...ratios.map((one) => one && (isMeasured(one) ? brief(one.estimate) : 'not measured')),
        ]
      : ['not measured'];
    const width = columns.length + ratioBases.length;
    return [name.slice(group.length + 2), ...Array.from({ length: width }, (_, index) => shown[index] ?? ''), spread];
  });
  const heads = columns.map(({ size, unit }) => (size === 0 ? unit : `${number(size)}, ${unit}`));
  const ratioHeads = ratioBases.map((base) => `/ ${base}${ratioSizes[group] ? ` at ${number(ratioSize)}` : ''}`);
  return { id: group.replaceAll(' ', '-'), head: [group, ...heads, ...ratioHeads, 'spread'], rows };
};

/** A table for each group of cases. */
export const tablesOf = (series: readonly Series[]): FigureTable[] =>
  [...new Set(series.map(groupOf))].map((group) => tableOfGroup(series, group));

/** A sentence about a run: when, where, how. */
export const aboutOf = ({ machine, date, rounds, seconds, cpuSeconds, load }: BenchRun): string =>
  `Measured on ${date} on ${machine}; lower quartiles (and minimums) of up to ${rounds} rounds, ${Math.round(seconds)} s in all, ${Math.round(cpuSeconds)} s of CPU time; average load ${load.map((one) => one.toFixed(1)).join(' to ')}.`;

/** Writes a run's measurements into their places in docs/performance.md. */
export const writePage = async (run: BenchRun): Promise<void> => {
  const page = new URL('../docs/performance.md', import.meta.url);
  let text = filled(readFileSync(page, 'utf8'), 'about', aboutOf(run));
  const hasPlace = ({ id }: FigureTable): boolean => text.includes(`<!-- bench:${id} -->`); // texts have none
  for (const table of tablesOf(run.series).filter(hasPlace)) text = filled(text, table.id, markdownOf(table));
  text = filled(
    text,
    'goals',
    markdownOf({ id: 'goals', head: ['goal', 'measured', 'at most', 'held'], rows: goalsOf(run.series).map(goalRow) }),
  );
  writeFileSync(page, (await format('page.md', text, { printWidth: 140 })).code);
};
