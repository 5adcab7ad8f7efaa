import { isPromise, type Awaitable } from '../phase/awaitable.js';
import type { Phase, PhaseData } from '../phase/row.js';
import type { GuardSpan, RunScope } from '../phase/scope.js';
import { isStop, pass, type Author, type Stop, type Verdict } from '../verdict.js';
import { readThrown, type Thrower } from './read-thrown.js';

/** Something that judges a payload: never throws, always a verdict; synchronous where the code inside it is. */
export type Guard<P extends Phase> = (data: PhaseData<P>, scope: RunScope) => Awaitable<Verdict<PhaseData<P>>>;

/**
 * One step of a sequence: the author's function, and how to read its result. A policy (a deadline, a cache) is a function from
 * step to step, applied when the plan is built.
 */
export interface GuardStep<P extends Phase> extends Thrower {
  readonly author: Author;
  /** Whether its inner guards report their own verdicts, as those of a parallel block do. */
  readonly isBlock?: boolean;
  /** Whether there is nothing to do; a skipped call is not reported. */
  skips?(data: PhaseData<P>): boolean;
  /** Calls the code. */
  run(data: PhaseData<P>, scope: RunScope): unknown;
  /** Reads its answer; throws what it cannot use. */
  read(returned: unknown, data: PhaseData<P>, scope: RunScope): Awaitable<Verdict<PhaseData<P>>>;
}

/** A sequence under way. */
interface Progress<P extends Phase> {
  readonly steps: readonly GuardStep<P>[];
  readonly scope: RunScope;
  data: PhaseData<P>;
  isEdited: boolean;
  /** The step under way. */
  index: number;
  /** When the step under way began. One reading of the clock ends a step and begins the next. */
  startedAt: number;
  /** The answer of the step under way, where it takes its time; or the reading of its answer, where that does. */
  answer: Promise<unknown> | undefined;
  reading: Promise<Verdict<PhaseData<P>>> | undefined;
  /** The step under way as a trace shows it, where one is made. */
  span: GuardSpan | undefined;
}

/**
 * Steps one after another as one guard: each is given what the one before it made; the first stop ends it. This is the one
 * place that runs a hook: it waits only where it must, takes whatever the hook throws for a verdict, and reports each verdict
 * with the time spent. A chain of plain functions stays synchronous and costs no turn of the event loop.
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
      answer: undefined,
      reading: undefined,
      span: undefined,
    };
    return goOn(progress) ?? finish(progress);
  };

/** Runs steps until the sequence ends, and gives its outcome, or until one takes its time, and gives nothing. */
const goOn = <P extends Phase>(progress: Progress<P>): Verdict<PhaseData<P>> | undefined => {
  const { steps, scope } = progress;
  for (; progress.index < steps.length; progress.index += 1) {
    const step = steps[progress.index] as GuardStep<P>; // as the loop's bounds say
    let verdict: Verdict<PhaseData<P>>;
    try {
      if (step.skips?.(progress.data)) continue;
      const answer = step.run(progress.data, enter(step, progress));
      if (isPromise(answer)) {
        progress.answer = answer;
        return undefined;
      }
      const read = step.read(answer, progress.data, scope);
      if (read !== pass && isPromise(read)) {
        progress.reading = read;
        return undefined;
      }
      verdict = read;
    } catch (error) {
      verdict = readThrown(error, step, scope.host);
    }
    if (!take(step, progress, verdict)) return verdict;
  }
  return progress.isEdited ? { kind: 'edit', data: progress.data } : pass;
};

/** The scope that a step runs in: its span's, where a trace is made. What a block holds has spans of its own. */
const enter = <P extends Phase>({ author, isBlock }: GuardStep<P>, progress: Progress<P>): RunScope => {
  const { scope, data } = progress;
  if (!scope.openSpan || isBlock) return scope;
  progress.span = scope.openSpan({ author, data, scope });
  return progress.span.scope;
};

/** The rest of a sequence from a step that takes its time. */
const finish = async <P extends Phase>(progress: Progress<P>): Promise<Verdict<PhaseData<P>>> => {
  const { steps, scope } = progress;
  for (;;) {
    const step = steps[progress.index] as GuardStep<P>; // the one that is waited for
    let verdict: Verdict<PhaseData<P>>;
    try {
      const read = progress.reading ?? step.read(await progress.answer, progress.data, scope);
      verdict = read !== pass && isPromise(read) ? await read : read;
    } catch (error) {
      verdict = readThrown(error, step, scope.host);
    }
    progress.reading = undefined;
    if (!take(step, progress, verdict)) return verdict;
    progress.index += 1;
    const next = steps[progress.index];
    if (next && scope.abortSignal?.aborted) return givenUp(next, scope);
    const outcome = goOn(progress);
    if (outcome) return outcome;
  }
};

/** Reports a verdict and takes it in; false where the sequence ends with it. */
const take = <P extends Phase>(
  { author, isBlock }: GuardStep<P>,
  progress: Progress<P>,
  verdict: Verdict<PhaseData<P>>,
): boolean => {
  const now = progress.scope.now();
  const given = isStop(verdict) ? undefined : progress.data; // a report does not quote blocked words
  if (!isBlock) progress.scope.reportGuard({ author, verdict, given, durationMs: now - progress.startedAt });
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

/** The caller has given up, so the remaining guards are not started. */
const givenUp = <P extends Phase>({ author }: GuardStep<P>, { abortSignal }: RunScope): Stop => ({
  kind: 'unavailable',
  ...author,
  error: abortSignal?.reason,
});
