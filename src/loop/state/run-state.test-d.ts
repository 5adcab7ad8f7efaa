import { expectTypeOf, it } from 'vitest';

import type { Attempt, Run } from '../run.js';
import type { AttemptState } from './attempt-state.js';
import type { RunState } from './run-state.js';

it('every field of a run is in its state, those aside that it is begun with or that stand for work under way', () => {
  type NotInState = 'options' | 'scope' | 'recorder' | 'signal' | 'overlapGuards';
  expectTypeOf<Exclude<keyof Run, keyof RunState>>().toEqualTypeOf<NotInState>();
});

it('every field of an attempt is in its state, those aside that stand for a call', () => {
  expectTypeOf<Exclude<keyof Attempt, keyof AttemptState>>().toEqualTypeOf<'ahead' | 'prompt'>();
});
