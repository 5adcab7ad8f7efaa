import { inheriting, computed } from '../../phase/plain-data.js';
import { CircuitState, type CircuitBreakerPolicy } from 'cockatiel';
import pLimit from 'p-limit';
import { isPromise, untilAborted, whenReady, type Awaitable } from '../../phase/awaitable.js';
import type { Phase, PhaseData } from '../../phase/row.js';
import type { GuardReport, RunScope } from '../../phase/scope.js';
import { pass, type Author, type Pass, type Trip, type Unavailable, type Verdict } from '../../verdict.js';
import { canceled, type Guard } from '../../guard/in-sequence.js';
import type { LayerSite } from './policy-state.js';
import { createBlockScopes, createOwnPayloads } from '../block-scope.js';
import { InterlockError, isInterlockError, type ErrorCode } from '../../errors.js';

/** One option of a policy as a function from guard to guard, applied once when the plan is built. */
export type Layer = <P extends Phase>(inner: Guard<P>, site: LayerSite<P>) => Guard<P>;

/** The guard gave no verdict, for a reason of the policy's. */
const unavailable = (author: Author, code: ErrorCode): Unavailable => ({
  kind: 'unavailable',
  ...author,
  error: new InterlockError(code, { path: `${author.phase} ${author.path}` }),
});

/** The code of the reason for a missing verdict. */
const outageCode = ({ error }: Unavailable): ErrorCode => (isInterlockError(error) ? error.code : 'guard/unavailable');

/**
 * `deadlineMs`: a guard without a verdict by then is unavailable with `guard/deadline`. Its signal is aborted, its later output is
 * discarded, and its later changes affect only its own copy. A synchronous guard never waits, and needs no timer.
 */
export const withDeadline: Layer = (inner, { author, policy: { deadlineMs = Infinity } }) => {
  const scopes = createBlockScopes();
  return (data, scope) => {
    const blockScope = scopes.take(scope);
    const verdict = inner(data, blockScope.scope);
    if (!isPromise(verdict)) {
      scopes.giveBack(scope, blockScope);
      return verdict;
    }
    return new Promise((resolve) => {
      const stopTimer = scope.setTimer(() => {
        const late = unavailable(author, 'guard/deadline');
        blockScope.cancel(late.error);
        resolve(late);
      }, deadlineMs);
      void verdict.then((done) => {
        stopTimer();
        // After a timeout the guard keeps its scope for good: it may still be running.
        if (!blockScope.scope.abortSignal?.aborted) scopes.giveBack(scope, blockScope);
        return resolve(done);
      });
    });
  };
};

/**
 * `breaker`: after some consecutive calls without a verdict the guard is not called for a while, and is unavailable with
 * `guard/breaker-open`; then one trial call is made, and all others still fail fast. A call that its caller canceled does not count; a
 * canceled trial leaves the breaker open.
 */
export const withBreaker: Layer = (inner, { author, state: { breaker } }) => {
  if (!breaker) return inner;
  return async (data, scope) =>
    (breaker.state === CircuitState.HalfOpen ? undefined : await callThrough(breaker, inner, { data, scope, author })) ??
    unavailable(author, 'guard/breaker-open');
};

interface Call<P extends Phase> {
  readonly data: PhaseData<P>;
  readonly scope: RunScope;
  readonly author: Author;
}

/** The guard's verdict; undefined if the breaker is open. */
const callThrough = async <P extends Phase>(
  breaker: CircuitBreakerPolicy,
  inner: Guard<P>,
  { data, scope, author }: Call<P>,
): Promise<Verdict<PhaseData<P>> | undefined> => {
  let verdict: Verdict<PhaseData<P>> | undefined;
  const call = async () => {
    verdict = await untilCanceled(inner(data, scope), author, scope); // a trial that hangs must not be the last
    const isCanceled = verdict.kind === 'unavailable' && scope.abortSignal?.aborted;
    // An error that the breaker does not handle counts as neither failure nor success.
    if (isCanceled && breaker.state === CircuitState.Closed) throw new Error('Given up.');
    return verdict;
  };
  await breaker.execute(call).catch(() => undefined); // open, or canceled
  return verdict;
};

/**
 * `concurrency`: at most `limit` calls at a time, over all runs; others wait. If `queue` calls already wait, one more is unavailable with
 * `guard/busy`. A canceled call leaves the queue, or frees its place, even if it ignores its signal: otherwise one hanging call would
 * stop the guard for good.
 */
export const withConcurrency: Layer = (inner, { author, policy: { concurrency }, state: { limit } }) => {
  if (!concurrency || !limit) return inner;
  const { limit: places, queue = Infinity } = concurrency;
  return (data, scope) =>
    limit.activeCount + limit.pendingCount >= places + queue // calls that start in this turn count as waiting until the next
      ? unavailable(author, 'guard/busy')
      : limit(() => (scope.abortSignal?.aborted ? canceled(author, scope) : untilCanceled(inner(data, scope), author, scope)));
};

/** The verdict, or unavailable as soon as the caller cancels, even if the guard ignores its signal. */
const untilCanceled = <D>(verdict: Awaitable<Verdict<D>>, author: Author, scope: RunScope): Awaitable<Verdict<D>> => {
  const { abortSignal } = scope;
  if (!isPromise(verdict) || !abortSignal) return verdict;
  return untilAborted(verdict, abortSignal).then((given) => given ?? canceled(author, scope));
};

/**
 * `overlap`, `reads`: the guard may only judge. The model already has its input when the verdict comes, or the text was sent, so that an
 * edit cannot be applied: it counts as no verdict, with `guard/overlap-edits` or `guard/reader-edits`.
 */
export const withoutEdits: Layer =
  (inner, { author, policy }) =>
  (data, scope) =>
    whenReady(inner(data, scope), (verdict) =>
      verdict.kind === 'edit' ? unavailable(author, policy.reads ? 'guard/reader-edits' : 'guard/overlap-edits') : verdict,
    );

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
  pass: (outage: Unavailable): Pass => ({ kind: 'pass', bypass: { reason: outageCode(outage), error: outage.error } }),
};

/** Maximum number of a run's calls that wait for a slow shadow; further calls are recorded as unavailable. */
const mostWaiting = 1_000;

/**
 * `shadow`: the guard judges a copy after the run has continued; its verdict is only recorded. The calls of one run are made one after
 * another, because a guard may keep a state; the last verdict may come after the run has ended.
 */
export const shadowed: Layer = (inner, { author, state }) => {
  const own = createOwnPayloads();
  const judge = async <P extends Phase>(guard: Guard<P>, data: PhaseData<P>, scope: RunScope): Promise<void> => {
    await new Promise<void>((resolve) => void scope.setTimer(resolve, 0)); // yields first, so that the hook's computation does not delay the run
    const startedAt = scope.now();
    const verdict: Verdict<PhaseData<P>> = await guard(data, scope);
    scope.reportGuard({ author, verdict, durationMs: scope.now() - startedAt });
  };
  return (data, scope) => {
    const aside = shadowScope(scope, scope.openShadow());
    const line = computed(state.lines, scope.slot(author.processorId).state, () => pLimit(1));
    if (line.pendingCount < mostWaiting) void line(judge, inner, own.copyOf(data, scope), aside);
    else aside.reportGuard({ author, verdict: unavailable(author, 'guard/busy'), durationMs: 0 });
    return pass;
  };
};

/**
 * A read-only run scope for shadow guards: reads pass through; writes, also to the request context, are dropped. The verdict
 * goes to `report`.
 */
const shadowScope = (scope: RunScope, report: (report: GuardReport) => void): RunScope => {
  const retryCount = scope.retryCount(); // the current value: when the guard is called, the run may be further
  const own: Partial<RunScope> = {
    requestContext: copyOf(scope.requestContext),
    retryCount: () => retryCount,
    writer: scope.writer && { custom: async () => undefined },
    reportGuard: report,
    reportConflict: () => undefined,
  };
  return inheriting(scope, own);
};

/** A copy of the context. It is created by the host's class, which this module must not import. */
const copyOf = (context: RunScope['requestContext']): RunScope['requestContext'] => {
  if (!context) return context;
  const Context = context.constructor as new (entries: Iterable<readonly [unknown, unknown]>) => typeof context;
  return new Context([...context.entries()]);
};
