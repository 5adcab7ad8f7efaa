import { readFileSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { filled } from '../filled.js';
import { markdownOf, type FigureTable } from '../table.js';
import { rooms } from './rooms.js';

/** What became of the changes of a file, or of a room. */
interface Tally {
  /** The tests failed, or did not come to an end. */
  readonly noticed: number;
  /** They passed. */
  readonly survived: number;
  /** No test came to the place. */
  readonly uncovered: number;
}

export interface RoomScore extends Tally {
  readonly date: string;
  /** Minutes of CPU of a run that asked about every change. */
  readonly minutes?: number;
  readonly files: Readonly<Record<string, Tally>>;
}

export type Scores = Record<string, RoomScore>;

const keptAt = new URL('scores.json', import.meta.url);
const pageAt = new URL('../../docs/mutation.md', import.meta.url);

export const reportFolder = (room: string): string => `test-output/mutation/${room}`;

export const loadScores = (): Scores => JSON.parse(readFileSync(keptAt, 'utf8')) as Scores; // as writeScores wrote it

/** What is read of Stryker's report. */
interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}

const tallyOf = (mutants: Report['files'][string]['mutants']): Tally => {
  const count = (...statuses: readonly string[]) => mutants.filter(({ status }) => statuses.includes(status)).length;
  return { noticed: count('Killed', 'Timeout'), survived: count('Survived'), uncovered: count('NoCoverage') };
};

/** What Stryker's last report about a room says. */
export const scoreOf = (room: string, minutes: number | undefined): RoomScore => {
  const { files } = JSON.parse(readFileSync(`${reportFolder(room)}/report.json`, 'utf8')) as Report;
  const tallies = Object.entries(files).map(([file, { mutants }]) => [file, tallyOf(mutants)] as const);
  return {
    date: new Date().toISOString().slice(0, 10),
    minutes: minutes === undefined ? undefined : Math.round(minutes * 10) / 10,
    ...tallyOf(Object.values(files).flatMap(({ mutants }) => mutants)),
    files: Object.fromEntries(tallies.filter(([, tally]) => totalOf(tally) > 0)),
  };
};

const totalOf = ({ noticed, survived, uncovered }: Tally): number => noticed + survived + uncovered;
const cellsOf = (tally: Tally): string[] => [
  `${totalOf(tally)}`,
  `${Math.round((100 * tally.noticed) / totalOf(tally))} %`,
  `${tally.survived}`,
  `${tally.uncovered}`,
];
const counts = ['changes', 'noticed', 'not noticed', 'not run'];

const roomTable = (known: readonly [string, RoomScore][]): FigureTable => ({
  id: 'rooms',
  head: ['room', ...counts, 'minutes of CPU', 'on'],
  rows: known.map(([name, score]) => [`\`${name}\``, ...cellsOf(score), score.minutes?.toFixed(0) ?? '', score.date]),
});

const fileTable = (known: readonly [string, RoomScore][]): FigureTable => ({
  id: 'files',
  head: ['file', ...counts],
  rows: known.flatMap(([, { files }]) => Object.entries(files).map(([file, tally]) => [`\`${file}\``, ...cellsOf(tally)])),
});

/** Keeps the scores, and fills the tables of the page. */
export const writeScores = async (scores: Scores): Promise<void> => {
  const known = Object.keys(rooms).flatMap((name): [string, RoomScore][] => {
    const score = scores[name];
    return score ? [[name, score]] : [];
  });
  writeFileSync(keptAt, `${JSON.stringify(Object.fromEntries(known), undefined, 2)}\n`);
  let text = readFileSync(pageAt, 'utf8');
  for (const table of [roomTable(known), fileTable(known)]) text = filled(text, table.id, markdownOf(table));
  writeFileSync(pageAt, await format(text, { parser: 'markdown', printWidth: 140 }));
};
