import { isPromise, type Awaitable } from '../phase/awaitable.js';
import type { Phase, PhaseData } from '../phase/row.js';
import type { GuardSpan, RunScope } from '../phase/scope.js';
import { isStop, pass, type Author, type Unavailable, type Verdict } from '../verdict.js';
import { readThrown, type Thrower, openCall, settled, thrownBy, type StepCall } from './read-thrown.js';

/** Judges a payload: never throws, always returns a verdict; synchronous if its code is. */
export type Guard<P extends Phase> = (data: PhaseData<P>, scope: RunScope) => Awaitable<Verdict<PhaseData<P>>>;

/**
 * One step of a sequence: the author's function, and how to read its result. A policy (a deadline, a cache) is a function from
 * step to step, applied when the plan is built.
 */
export interface GuardStep<P extends Phase> extends Thrower {
  readonly author: Author;
  /** Whether its inner guards report their own verdicts, as those of a parallel block do. */
  readonly isBlock?: boolean;
  /** Whether the step has nothing to do; a skipped call is not reported. */
  skips?(data: PhaseData<P>): boolean;
  /** Calls the code. */
  run(data: PhaseData<P>, scope: RunScope, call: StepCall): unknown;
  /** Reads the code's result; throws if it is invalid. */
  read(returned: unknown, data: PhaseData<P>, scope: RunScope): Awaitable<Verdict<PhaseData<P>>>;
}

/** A sequence in progress. */
interface Progress<P extends Phase> {
  readonly steps: readonly GuardStep<P>[];
  readonly scope: RunScope;
  data: PhaseData<P>;
  isEdited: boolean;
  /** Index of the current step. */
  index: number;
  /** Start time of the current step. One reading of the clock ends a step and starts the next. */
  startedAt: number;
  /** The call of the current step. */
  call: StepCall;
  /** The pending result of the current step, or the pending reading of its result. */
  answer: Promise<unknown> | undefined;
  reading: Promise<Verdict<PhaseData<P>>> | undefined;
  /** The trace span of the current step, if there is a trace. */
  span: GuardSpan | undefined;
}

/**
 * Combines steps to one guard: each gets the payload after the previous one; the first stop ends the sequence. Only this code runs hooks:
 * it waits only if it must, reads errors as verdicts, and reports each verdict with its duration. A chain of plain functions stays
 * synchronous and costs no turn of the event loop.
 */
export const inSequence =
  <P extends Phase>(steps: readonly GuardStep<P>[]): Guard<P> =>
  (data, scope) => {
    const progress: Progress<P> = {
      steps,
      scope,
      data,
      isEdited: false,
      index: 0,
      startedAt: scope.now(),
      call: openCall(),
      answer: undefined,
      reading: undefined,
      span: undefined,
    };
    return runNext(progress) ?? finish(progress);
  };

/** Runs steps until the sequence ends, and returns its outcome; undefined if a step is asynchronous. */
const runNext = <P extends Phase>(progress: Progress<P>): Verdict<PhaseData<P>> | undefined => {
  const { steps, scope } = progress;
  for (; progress.index < steps.length; progress.index += 1) {
    const step = steps[progress.index] as GuardStep<P>; // within the loop's bounds
    let verdict: Verdict<PhaseData<P>>;
    try {
      if (step.skips?.(progress.data)) continue;
      progress.call = openCall();
      const answer = step.run(progress.data, enter(step, progress), progress.call);
      if (isPromise(answer)) {
        progress.answer = answer;
        return undefined;
      }
      const read = step.read(settled(progress.call, answer), progress.data, scope);
      if (read !== pass && isPromise(read)) {
        progress.reading = read;
        return undefined;
      }
      verdict = read;
    } catch (error) {
      verdict = readThrown(thrownBy(progress.call, error, scope.host), step, scope.host);
    }
    if (!take(step, progress, verdict)) return verdict;
  }
  return progress.isEdited ? { kind: 'edit', data: progress.data } : pass;
};

/** The scope of a step: that of its span, if there is a trace. The steps of a block have their own spans. */
const enter = <P extends Phase>({ author, isBlock }: GuardStep<P>, progress: Progress<P>): RunScope => {
  const { scope, data } = progress;
  if (!scope.openSpan || isBlock) return scope;
  progress.span = scope.openSpan({ author, data, scope });
  return progress.span.scope;
};

/** Runs the rest of a sequence from an asynchronous step on. */
const finish = async <P extends Phase>(progress: Progress<P>): Promise<Verdict<PhaseData<P>>> => {
  const { steps, scope } = progress;
  for (;;) {
    const step = steps[progress.index] as GuardStep<P>; // the awaited one
    let verdict: Verdict<PhaseData<P>>;
    try {
      const read = progress.reading ?? step.read(settled(progress.call, await progress.answer), progress.data, scope);
      verdict = read !== pass && isPromise(read) ? await read : read;
    } catch (error) {
      verdict = readThrown(thrownBy(progress.call, error, scope.host), step, scope.host);
    }
    progress.reading = undefined;
    if (!take(step, progress, verdict)) return verdict;
    progress.index += 1;
    const next = steps[progress.index];
    if (next && scope.abortSignal?.aborted) return canceled(next.author, scope);
    const outcome = runNext(progress);
    if (outcome) return outcome;
  }
};

/** Reports a verdict and applies it; false if it ends the sequence. */
const take = <P extends Phase>(
  { author, isBlock }: GuardStep<P>,
  progress: Progress<P>,
  verdict: Verdict<PhaseData<P>>,
): boolean => {
  const now = progress.scope.now();
  const input = isStop(verdict) ? undefined : progress.data; // a report does not quote blocked text
  if (!isBlock) progress.scope.reportGuard({ author, verdict, given: input, durationMs: now - progress.startedAt });
  progress.startedAt = now;
  progress.span?.end(verdict);
  progress.span = undefined;
  switch (verdict.kind) {
    case 'pass':
      return true;
    case 'edit':
      progress.data = verdict.data;
      progress.isEdited = true;
      return true;
    case 'trip':
    case 'retry':
    case 'unavailable':
      return false;
    default:
      return verdict satisfies never;
  }
};

/** The caller has canceled: the guard is not called, or its verdict is not awaited. */
export const canceled = (author: Author, { abortSignal }: RunScope): Unavailable => ({
  kind: 'unavailable',
  ...author,
  error: abortSignal?.reason,
});
