const mode = (import.meta as { env?: { MODE?: string } }).env?.MODE; // vitest's own types are not everywhere

/** Whether the tests run with `--mode deep`, as in `npm run fuzz`: more random cases, longer texts and streams. */
export const isDeep = mode === 'deep';

/** Whether processes are killed at every boundary, as in `npm run test:crash`. */
export const killsEverywhere = mode === 'every-boundary';

/** The number of random cases for a law; in deep mode `deep`, by default twenty times as many. */
export const times = (runs: number, deep = runs * 20): { numRuns: number } => ({ numRuns: isDeep ? deep : runs });
