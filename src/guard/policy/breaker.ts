import { CircuitState, type CircuitBreakerPolicy } from 'cockatiel';
import type { Phase, PhaseData } from '../../phase/row.js';
import type { RunScope } from '../../phase/scope.js';
import type { Verdict } from '../../verdict.js';
import type { Guard } from '../in-sequence.js';
import { unavailable, type Layer } from './layer.js';

/**
 * `breaker`: after some calls in a row without a verdict the guard is not asked for a while, and is unavailable with
 * `guard/breaker-open`; then one call tries, and all others still fail fast. A call that its caller gave up says nothing about the
 * guard, except that such a try has not shown that the guard is back.
 */
export const withBreaker: Layer = (inner, { author, state: { breaker } }) => {
  if (!breaker) return inner;
  return async (data, scope) =>
    (breaker.state === CircuitState.HalfOpen ? undefined : await askThrough(breaker, inner, { data, scope })) ??
    unavailable(author, 'guard/breaker-open');
};

interface Call<P extends Phase> {
  readonly data: PhaseData<P>;
  readonly scope: RunScope;
}

/** The guard's verdict; none where the breaker is open. */
const askThrough = async <P extends Phase>(
  breaker: CircuitBreakerPolicy,
  inner: Guard<P>,
  { data, scope }: Call<P>,
): Promise<Verdict<PhaseData<P>> | undefined> => {
  let verdict: Verdict<PhaseData<P>> | undefined;
  const ask = async () => {
    verdict = await inner(data, scope);
    const isGivenUp = verdict.kind === 'unavailable' && scope.abortSignal?.aborted;
    // To the breaker, an error that it does not handle is no failure and no success.
    if (isGivenUp && breaker.state === CircuitState.Closed) throw new Error('Given up.');
    return verdict;
  };
  await breaker.execute(ask).catch(() => undefined); // open, or given up
  return verdict;
};
