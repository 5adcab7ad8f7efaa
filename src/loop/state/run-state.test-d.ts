import { expectTypeOf, it } from 'vitest';

import type { Attempt, RunState } from '../run.js';
import type { AttemptState, KeptState } from './run-state.js';

it('the kept state has every field of the state, except those of work under way and what is made again from the list', () => {
  type Live = 'overlapGuards' | 'lastParts' | 'editedFrom' | 'rejectedWords';
  expectTypeOf<Exclude<keyof RunState, keyof KeptState>>().toEqualTypeOf<Live>();
});

it('every field of an attempt is in its state, except those of a call and of a judged response', () => {
  expectTypeOf<Exclude<keyof Attempt, keyof AttemptState>>().toEqualTypeOf<'ahead' | 'modelCall' | 'prompt' | 'originals'>();
});
