const mode = (import.meta as { env?: { MODE?: string } }).env?.MODE; // vitest's own types are not everywhere

/** Whether the tests run with `--mode deep`, as `npm run fuzz` starts them: more random cases, longer texts and streams. */
export const isDeep = mode === 'deep';

/** Whether processes are killed at every boundary, as `npm run test:crash` asks. */
export const killsEverywhere = mode === 'every-boundary';

/** How many random cases a law gets; in deep mode `deep`, by default twenty times as many. */
export const times = (runs: number, deep = runs * 20): { numRuns: number } => ({ numRuns: isDeep ? deep : runs });
