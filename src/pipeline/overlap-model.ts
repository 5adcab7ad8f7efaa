import { inSequence, type GuardStep } from '../guard/in-sequence.js';
import type { Phase, PhaseData } from '../phase/row.js';
import { pass, type Verdict } from '../verdict.js';
import { createOwnPayloads } from './own-payload.js';

/**
 * A step that lets the run continue and judges in parallel with the model's call: a function from step to step, applied when the
 * plan is built. It judges the payload at its position, regardless of later changes. On paths that cannot wait for it later, it
 * judges at once.
 */
export const overlapModel = <P extends Phase>(step: GuardStep<P>): GuardStep<P> => {
  const { author } = step;
  const guard = inSequence([step]);
  const own = createOwnPayloads();
  return {
    author,
    isBlock: true, // it reports its own verdict later
    run: (data, scope) => {
      const copy = own.copyOf(data, scope);
      if (!scope.addOverlapGuard) return guard(copy, scope);
      scope.addOverlapGuard({ author, judge: (blockScope) => guard({ ...copy, retryCount: blockScope.retryCount }, blockScope) });
      return pass;
    },
    read: (verdict) => verdict as Verdict<PhaseData<P>>, // the result of `run`
  };
};
