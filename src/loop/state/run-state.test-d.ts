import { expectTypeOf, it } from 'vitest';

import type { Attempt, Run } from '../run.js';
import type { AttemptState, RunState } from './run-state.js';

it('the state has every field of a run, except its input, the fields of work under way and what is made again from the list', () => {
  type NotInState = 'options' | 'scope' | 'recorder' | 'signal' | 'overlapGuards' | 'lastParts' | 'editedFrom' | 'rejectedWords';
  expectTypeOf<Exclude<keyof Run, keyof RunState>>().toEqualTypeOf<NotInState>();
});

it('every field of an attempt is in its state, except those of a call and of a judged response', () => {
  expectTypeOf<Exclude<keyof Attempt, keyof AttemptState>>().toEqualTypeOf<'ahead' | 'modelCall' | 'prompt' | 'originals'>();
});
