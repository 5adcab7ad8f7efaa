import { streamShapes, type StreamShape } from '../src/testing/stream-shapes.js';

const mode = (import.meta as { env?: { MODE?: string } }).env?.MODE; // vitest's own types are not everywhere

/** Whether the tests run with `--mode deep`, as in `npm run fuzz`: more random cases, longer texts and streams. */
export const isDeep = mode === 'deep';

/** Whether everything runs, as in `npm run test:all`: all random cases, with new seeds. */
export const isWhole = isDeep || mode === 'all';

/** Whether only the merge tier of `.ci/run` runs: of pages that are tested in each size and theme, one size and theme for each page. */
export const isMergeTier = mode === 'merge';

/** Whether processes are killed at every boundary, as in `npm run test:crash`. */
export const killsEverywhere = mode === 'every-boundary';

/** The number of random cases for a law; by default a fifth of them, and in deep mode `deep`, by default twenty times as many. */
export const times = (runs: number, deep = runs * 20): { numRuns: number } => ({
  numRuns: isDeep ? deep : isWhole ? runs : Math.ceil(runs / 5),
});

/**
 * One in `of` of the values, another one for each turn: so a table whose columns are independent meets each pair of values, and the whole
 * product only when everything runs.
 */
export const inTurn = <Value>(values: readonly Value[], turn: number, of = values.length): Value[] =>
  values.filter((_, at) => isWhole || at % of === turn % of);

/**
 * The shapes of the streams in which a guard meets a text. Other turns have other shapes, three turns have all, and in deep mode each turn has
 * all: the stream's gate is the same for every guard, and its own tests always take all shapes.
 */
export const shapesOf = (turn: number): StreamShape[] => streamShapes.filter((_, at) => isDeep || at % 3 === turn % 3);
