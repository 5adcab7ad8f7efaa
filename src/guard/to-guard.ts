import { isPromise, type Awaitable } from '../phase/awaitable.js';
import type { Phase, PhaseData } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import { pass, type Author, type Verdict } from '../verdict.js';
import { readThrown, type Thrower } from './read-thrown.js';

/** A guard, ready to run: never throws, always a verdict; synchronous where the code inside it is. */
export type Guard<P extends Phase> = (data: PhaseData<P>, scope: RunScope) => Awaitable<Verdict<PhaseData<P>>>;

/** The author's code inside a guard. */
export interface GuardBody<P extends Phase> extends Thrower {
  readonly author: Author;
  /** Whether there is nothing to do; a skipped call is not reported. */
  skips?(data: PhaseData<P>): boolean;
  /** Calls the code. */
  run(data: PhaseData<P>, scope: RunScope): unknown;
  /** Reads its answer; throws what it cannot use. */
  read(returned: unknown, data: PhaseData<P>, scope: RunScope): Awaitable<Verdict<PhaseData<P>>>;
}

interface Call<P extends Phase> {
  readonly data: PhaseData<P>;
  readonly scope: RunScope;
  readonly startedAt: number;
}

/**
 * The one place that runs a hook: calls it, waits only where it must, reads its answer, takes whatever it throws for a verdict,
 * and reports the verdict with the time spent. All of it in one turn, because it happens for every chunk of a stream.
 */
export const toGuard =
  <P extends Phase>(body: GuardBody<P>): Guard<P> =>
  (data, scope) => {
    const call = { data, scope, startedAt: scope.now() };
    const onThrown = (error: unknown) => report(body, call, readThrown(error, body, scope.host));
    try {
      if (body.skips?.(data)) return pass;
      const returned = body.run(data, scope);
      if (!isPromise(returned)) return settle(body, call, returned);
      return returned.then((value) => settle(body, call, value), onThrown);
    } catch (error) {
      return onThrown(error);
    }
  };

const settle = <P extends Phase>(body: GuardBody<P>, call: Call<P>, returned: unknown): Awaitable<Verdict<PhaseData<P>>> => {
  const { data, scope } = call;
  try {
    const verdict = body.read(returned, data, scope);
    if (!isPromise(verdict)) return report(body, call, verdict);
    return verdict.then(
      (settled) => report(body, call, settled),
      (error) => report(body, call, readThrown(error, body, scope.host)),
    );
  } catch (error) {
    return report(body, call, readThrown(error, body, scope.host));
  }
};

const report = <P extends Phase>(
  { author }: GuardBody<P>,
  { scope, startedAt }: Call<P>,
  verdict: Verdict<PhaseData<P>>,
): Verdict<PhaseData<P>> => {
  scope.reportGuard({ author, verdict, durationMs: scope.now() - startedAt });
  return verdict;
};
