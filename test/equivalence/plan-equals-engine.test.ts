import { beforeAll, describe, it, vi } from 'vitest';

import { phaseNames } from '../../src/phase/table.js';
import { engine, engineByHand, expectSame, plan, planByHand } from './equivalence.js';
import { isWhole, times } from '../modes.js';

/** Drawn anew each night; to repeat a failure, use the printed seed. */
const seed = Number(process.env['SEED'] ?? (isWhole ? Date.now() % 1_000_000_000 : 1));
const { numRuns } = times(20, 300);

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 5_000 }); // parts get their first reading's time
  vi.spyOn(console, 'error').mockImplementation(() => undefined); // Mastra's engine writes each failed step there
});

describe(`the plan and Mastra’s engine return the same (SEED=${seed})`, () => {
  it.each(phaseNames)(
    'in %s, for every pipeline',
    async (phase) => expectSame(phase, [plan, engine], { seed, numRuns }),
    120_000,
  );
  it.each(phaseNames)(
    'in %s, for every workflow made by hand',
    async (phase) => expectSame(phase, [planByHand, engineByHand], { seed, numRuns }),
    120_000,
  );
});
