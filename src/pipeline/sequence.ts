import type { Guard } from '../guard/to-guard.js';
import { isPromise, type Awaitable } from '../phase/awaitable.js';
import type { Phase, PhaseData } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import { pass, type Verdict } from '../verdict.js';

/** Guards one after another as one guard: each is given what the one before it made; the first stop ends it. */
export const inSequence = <P extends Phase>(guards: readonly Guard<P>[]): Guard<P> => {
  const [only] = guards;
  if (guards.length === 1 && only) return only;
  return (data, scope) => runFrom(guards, 0, { data, edited: false }, scope);
};

interface Progress<P extends Phase> {
  data: PhaseData<P>;
  edited: boolean;
}

/** Stays synchronous for as long as the guards do, so that a chain of plain functions costs no turn of the event loop. */
const runFrom = <P extends Phase>(
  guards: readonly Guard<P>[],
  from: number,
  progress: Progress<P>,
  scope: RunScope,
): Awaitable<Verdict<PhaseData<P>>> => {
  for (let index = from; index < guards.length; index += 1) {
    const verdict = (guards[index] as Guard<P>)(progress.data, scope);
    if (isPromise(verdict))
      return verdict.then((settled) => (advance(progress, settled) ? runFrom(guards, index + 1, progress, scope) : settled));
    if (!advance(progress, verdict)) return verdict;
  }
  return progress.edited ? { kind: 'edit', data: progress.data } : pass;
};

/** Takes a verdict in; false where the sequence ends with it. */
const advance = <P extends Phase>(progress: Progress<P>, verdict: Verdict<PhaseData<P>>): boolean => {
  switch (verdict.kind) {
    case 'pass':
      return true;
    case 'edit':
      progress.data = verdict.data;
      progress.edited = true;
      return true;
    case 'trip':
    case 'retry':
    case 'unavailable':
      return false;
    default:
      return verdict satisfies never;
  }
};
