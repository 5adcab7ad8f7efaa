import { CircuitState, type CircuitBreakerPolicy } from 'cockatiel';
import type { Phase, PhaseData } from '../../phase/row.js';
import type { RunScope } from '../../phase/scope.js';
import type { Verdict } from '../../verdict.js';
import type { Guard } from '../in-sequence.js';
import { unavailable, type Layer } from './layer.js';

/**
 * `breaker`: after some consecutive calls without a verdict the guard is not called for a while, and is unavailable with
 * `guard/breaker-open`; then one trial call is made, and all others still fail fast. A call that its caller canceled does not count; a
 * canceled trial leaves the breaker open.
 */
export const withBreaker: Layer = (inner, { author, state: { breaker } }) => {
  if (!breaker) return inner;
  return async (data, scope) =>
    (breaker.state === CircuitState.HalfOpen ? undefined : await callThrough(breaker, inner, { data, scope })) ??
    unavailable(author, 'guard/breaker-open');
};

interface Call<P extends Phase> {
  readonly data: PhaseData<P>;
  readonly scope: RunScope;
}

/** The guard's verdict; undefined if the breaker is open. */
const callThrough = async <P extends Phase>(
  breaker: CircuitBreakerPolicy,
  inner: Guard<P>,
  { data, scope }: Call<P>,
): Promise<Verdict<PhaseData<P>> | undefined> => {
  let verdict: Verdict<PhaseData<P>> | undefined;
  const call = async () => {
    verdict = await inner(data, scope);
    const isCanceled = verdict.kind === 'unavailable' && scope.abortSignal?.aborted;
    // An error that the breaker does not handle counts as neither failure nor success.
    if (isCanceled && breaker.state === CircuitState.Closed) throw new Error('Given up.');
    return verdict;
  };
  await breaker.execute(call).catch(() => undefined); // open, or canceled
  return verdict;
};
