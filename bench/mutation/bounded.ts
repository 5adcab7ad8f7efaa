import type * as fastCheck from 'fast-check';
import { vi } from 'vitest';

import type * as cuts from '../../src/testing/cuts.js';

// The law runs thousands of times here: each time with fewer values, always the same ones, and without shrinking counterexamples.
const mostRuns = 100;
const mostCuts = 12;
type Limits = fastCheck.Parameters<unknown>;

vi.mock('fast-check', async (original) => {
  const module = await original<typeof fastCheck>();
  const bounded = (property: fastCheck.IRawProperty<unknown>, { numRuns = mostRuns, ...rest }: Limits = {}) =>
    module.assert(property, { ...rest, numRuns: Math.min(numRuns, mostRuns), seed: 1, endOnFailure: true });
  const assert = bounded as typeof module.assert; // of any property, async if the property is
  return { ...module, assert, default: { ...module.default, assert } };
});

vi.mock('../../src/testing/cuts.js', async (original) => {
  const module = await original<typeof cuts>();
  const randomCuts: typeof module.randomCuts = (text, options) =>
    module.randomCuts(text, { ...options, count: Math.min(options.count, mostCuts) });
  const twoWayCuts: typeof module.twoWayCuts = (text) =>
    module.twoWayCuts(text).filter((_, at) => at % Math.ceil(text.length / mostCuts) === 0);
  return { ...module, randomCuts, twoWayCuts };
});
