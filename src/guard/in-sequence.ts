import { isPromise, type Awaitable } from '../phase/awaitable.js';
import type { Phase, PhaseData } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import { pass, type Author, type Stop, type Verdict } from '../verdict.js';
import { readThrown, type Thrower } from './read-thrown.js';

/** Something that judges a payload: never throws, always a verdict; synchronous where the code inside it is. */
export type Guard<P extends Phase> = (data: PhaseData<P>, scope: RunScope) => Awaitable<Verdict<PhaseData<P>>>;

/**
 * One place of a sequence: code of somebody's, and how to read its answer. A policy around it (a deadline, a cache) is a function
 * from step to step, applied when the plan is built.
 */
export interface GuardStep<P extends Phase> extends Thrower {
  readonly author: Author;
  /** Whether its verdicts are told by those inside it, as those of a parallel block are. */
  readonly isBlock?: boolean;
  /** Whether there is nothing to do; a skipped call is not reported. */
  skips?(data: PhaseData<P>): boolean;
  /** Calls the code. */
  run(data: PhaseData<P>, scope: RunScope): unknown;
  /** Reads its answer; throws what it cannot use. */
  read(returned: unknown, data: PhaseData<P>, scope: RunScope): Awaitable<Verdict<PhaseData<P>>>;
}

interface Progress<P extends Phase> {
  readonly scope: RunScope;
  data: PhaseData<P>;
  isEdited: boolean;
  /** When the step under way began. One reading of the clock ends a step and begins the next. */
  startedAt: number;
}

/**
 * Steps one after another as one guard: each is given what the one before it made; the first stop ends it. This is the one
 * place that runs a hook: it waits only where it must, takes whatever the hook throws for a verdict, and reports each verdict
 * with the time spent. A chain of plain functions stays synchronous and costs no turn of the event loop.
 */
export const inSequence =
  <P extends Phase>(steps: readonly GuardStep<P>[]): Guard<P> =>
  (data, scope) => {
    const progress: Progress<P> = { scope, data, isEdited: false, startedAt: scope.now() };
    for (let index = 0; index < steps.length; index += 1) {
      const step = steps[index] as GuardStep<P>; // as the loop's bounds say
      let verdict: Awaitable<Verdict<PhaseData<P>>>;
      try {
        if (step.skips?.(progress.data)) continue;
        const returned = step.run(progress.data, scope);
        if (isPromise(returned)) return goOn(steps, progress, { index, returned });
        verdict = step.read(returned, progress.data, scope);
        if (isPromise(verdict)) return goOn(steps, progress, { index, returned: verdict, isRead: true });
      } catch (error) {
        verdict = readThrown(error, step, scope.host);
      }
      if (!take(step, progress, verdict)) return verdict;
    }
    return outcomeOf(progress);
  };

/** What the first step that takes its time gave. */
interface Waiting {
  readonly index: number;
  readonly returned: Promise<unknown>;
  /** Whether that is the verdict itself and not the hook's answer. */
  readonly isRead?: boolean;
}

/** The rest of a sequence from the first step that takes its time. */
const goOn = async <P extends Phase>(
  steps: readonly GuardStep<P>[],
  progress: Progress<P>,
  first: Waiting,
): Promise<Verdict<PhaseData<P>>> => {
  const { scope } = progress;
  let waiting: Waiting | undefined = first;
  for (let index = first.index; index < steps.length; index += 1) {
    const step = steps[index] as GuardStep<P>; // as the loop's bounds say
    let verdict: Verdict<PhaseData<P>>;
    try {
      if (!waiting && step.skips?.(progress.data)) continue;
      const returned: unknown = waiting ? waiting.returned : step.run(progress.data, scope);
      const value = isPromise(returned) ? await returned : returned;
      // What was read is a verdict, as `Waiting` says.
      const read = waiting?.isRead ? (value as Verdict<PhaseData<P>>) : step.read(value, progress.data, scope);
      verdict = isPromise(read) ? await read : read;
    } catch (error) {
      verdict = readThrown(error, step, scope.host);
    }
    waiting = undefined;
    if (!take(step, progress, verdict)) return verdict;
    const next = steps[index + 1];
    if (next && scope.abortSignal?.aborted) return givenUp(next, scope);
  }
  return outcomeOf(progress);
};

/** Reports a verdict and takes it in; false where the sequence ends with it. */
const take = <P extends Phase>(
  { author, isBlock }: GuardStep<P>,
  progress: Progress<P>,
  verdict: Verdict<PhaseData<P>>,
): boolean => {
  const now = progress.scope.now();
  if (!isBlock) progress.scope.reportGuard({ author, verdict, durationMs: now - progress.startedAt });
  progress.startedAt = now;
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

const outcomeOf = <P extends Phase>({ isEdited, data }: Progress<P>): Verdict<PhaseData<P>> =>
  isEdited ? { kind: 'edit', data } : pass;

/** Whoever asked has given up: what has not begun is not begun. */
const givenUp = <P extends Phase>({ author }: GuardStep<P>, { abortSignal }: RunScope): Stop => ({
  kind: 'unavailable',
  ...author,
  error: abortSignal?.reason,
});
