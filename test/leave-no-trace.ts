import fc from 'fast-check';
import { afterAll, vi } from 'vitest';

import { isWhole } from './modes.js';

/** The same random cases in each run; new ones when everything runs. A failure prints its seed; `SEED=… npm test` draws its cases. */
const { SEED } = process.env;
if (SEED !== undefined || !isWhole) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(SEED ?? 20_261_128) });

/** Test files of one project share a process: each leaves it with the real clock and the real globals, and without observers of runs. */
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  Reflect.deleteProperty(globalThis, 'mastraInterlockObservers'); // a mounted studio cannot be closed
});
