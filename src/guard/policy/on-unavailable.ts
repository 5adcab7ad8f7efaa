import { whenReady } from '../../phase/awaitable.js';
import type { Phase, PhaseData } from '../../phase/row.js';
import type { Pass, Trip, Unavailable, Verdict } from '../../verdict.js';
import type { Guard } from '../in-sequence.js';
import { outageCode, type LayerSite } from './layer.js';

/**
 * `onUnavailable`: replaces a missing verdict. It does not apply to a run whose caller canceled: its guards stay unavailable, and nothing
 * is counted.
 */
export const onUnavailable = <P extends Phase>(inner: Guard<P>, { policy }: LayerSite<P>): Guard<P> => {
  const answer = answers[policy.onUnavailable ?? 'fail'];
  return (data, scope) =>
    whenReady(inner(data, scope), (verdict): Verdict<PhaseData<P>> =>
      verdict.kind === 'unavailable' && !scope.abortSignal?.aborted ? answer(verdict) : verdict,
    );
};

/** The outage as a tripwire: it blocks, but is no violation. */
export const outageTrip = ({ error, ...outage }: Unavailable): Trip => ({
  ...outage,
  kind: 'trip',
  // The guard's error message is for its operator; readers of the tripwire get the code.
  reason: `The guard ${outage.processorId} gave no verdict.`,
  metadata: { code: outageCode({ ...outage, error }) },
  outage: { error },
});

const answers = {
  fail: (outage: Unavailable): Unavailable => outage,
  trip: outageTrip,
  pass: (outage: Unavailable): Pass => ({ kind: 'pass', bypass: { reason: outageCode(outage) } }),
};
