import { readFileSync, writeFileSync } from 'node:fs';
import { format } from 'oxfmt';

import { filled, markdownOf, type FigureTable } from '../table.js';
import { modules } from './modules.js';
import { isInSample, wilson, type Change } from './sample.js';

/** The results for the changes of a file, or of a module. */
interface Tally {
  /** The tests failed, or did not end. */
  readonly noticed: number;
  /** The tests passed. */
  readonly survived: number;
  /** No test ran the code. */
  readonly uncovered: number;
}

export interface ModuleScore extends Tally {
  readonly date: string;
  /** The total number of changes, if only a sample was tested. */
  readonly of?: number;
  readonly files: Readonly<Record<string, Tally>>;
}

export type Scores = Record<string, ModuleScore>;

const scoresFile = new URL('scores.json', import.meta.url);
const pageAt = new URL('../../docs/mutation.md', import.meta.url);

export const reportFolder = (module: string): string => `test-output/mutation/${module}`;

export const loadScores = (): Scores => JSON.parse(readFileSync(scoresFile, 'utf8')) as Scores; // as written by writeScores

interface Mutant extends Change {
  readonly status: string;
}

/** The used fields of Stryker's report. */
export interface Report {
  readonly files: Readonly<Record<string, { mutants: readonly Mutant[] }>>;
}

/** The status of a change that is not in the sample. */
export const unasked = 'CompileError';

const tallyOf = (mutants: readonly Mutant[]): Tally => {
  const count = (...statuses: readonly string[]) => mutants.filter(({ status }) => statuses.includes(status)).length;
  return { noticed: count('Killed', 'Timeout'), survived: count('Survived'), uncovered: count('NoCoverage') };
};

/** The result of Stryker's last report about a module, from one in `sample` of its changes. */
export const scoreOf = (module: string, sample = 1): ModuleScore => {
  const { files } = JSON.parse(readFileSync(`${reportFolder(module)}/report.json`, 'utf8')) as Report;
  const all = Object.entries(files).map(
    ([file, { mutants }]) => [file, mutants.filter(({ status }) => status !== 'Ignored')] as const,
  );
  const drawn = all.map(([file, mutants]) => [file, mutants.filter((mutant) => isInSample(file, mutant, sample))] as const);
  const tallies = drawn.map(([file, mutants]) => [file, tallyOf(mutants)] as const);
  return {
    date: new Date().toISOString().slice(0, 10),
    of: sample > 1 ? all.flatMap(([, mutants]) => mutants).length : undefined,
    ...tallyOf(drawn.flatMap(([, mutants]) => mutants)),
    files: Object.fromEntries(tallies.filter(([, tally]) => totalOf(tally) > 0)),
  };
};

const totalOf = ({ noticed, survived, uncovered }: Tally): number => noticed + survived + uncovered;
const percent = (share: number): string => Math.round(100 * share).toString();

const cellsOf = (tally: Tally, of?: number): string[] => {
  const total = totalOf(tally);
  const [low, high] = wilson(tally.noticed, total);
  return [
    of === undefined ? `${total}` : `${total} of ${of}`,
    `${percent(tally.noticed / total)} %${of === undefined ? '' : `, ${percent(low)} to ${percent(high)}`}`,
    `${tally.survived}`,
    `${tally.uncovered}`,
  ];
};
const counts = ['changes', 'noticed', 'not noticed', 'not run'];

const moduleTable = (known: readonly [string, ModuleScore][]): FigureTable => ({
  id: 'modules',
  head: ['module', ...counts, 'on'],
  rows: known.map(([name, score]) => [`\`${name}\``, ...cellsOf(score, score.of), score.date]),
});

/** The files of modules that were tested completely: in a sample, each file has too few changes. */
const fileTable = (known: readonly [string, ModuleScore][]): FigureTable => ({
  id: 'files',
  head: ['file', ...counts],
  rows: known.flatMap(([, { files, of }]) =>
    of === undefined ? Object.entries(files).map(([file, tally]) => [`\`${file}\``, ...cellsOf(tally)]) : [],
  ),
});

/** Stores the scores, and fills the tables of the page. */
export const writeScores = async (scores: Scores): Promise<void> => {
  const known = Object.keys(modules).flatMap((name): [string, ModuleScore][] => {
    const score = scores[name];
    return score ? [[name, score]] : [];
  });
  writeFileSync(scoresFile, `${JSON.stringify(Object.fromEntries(known), undefined, 2)}\n`);
  let text = readFileSync(pageAt, 'utf8');
  for (const table of [moduleTable(known), fileTable(known)]) text = filled(text, table.id, markdownOf(table));
  writeFileSync(pageAt, (await format('page.md', text, { printWidth: 140 })).code);
};
