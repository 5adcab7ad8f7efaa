import { isPromise, attempted, type Awaitable } from '../phase/awaitable.js';
import { otherCodeRan } from '../phase/plain-data.js';
import type { Phase, PhaseData } from '../phase/row.js';
import type { GuardSpan, RunScope } from '../phase/scope.js';
import { isStop, pass, type Author, type Unavailable, type Verdict, type Retry, type Stop, type Trip } from '../verdict.js';
import type { Processor } from '@mastra/core/processors';
import { stringify } from 'safe-stable-stringify';
import type { Host } from '../phase/host.js';

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

/** A guard as one step of a sequence, which reports its own verdicts. */
export const guardStep = <P extends Phase>(author: Author, run: Guard<P>): GuardStep<P> => ({
  author,
  isBlock: true,
  run,
  read: (verdict) => verdict as Verdict<PhaseData<P>>, // the result of `run`
});

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
  for (let step = steps[progress.index]; step; progress.index += 1, step = steps[progress.index]) {
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
  otherCodeRan();
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

type OnViolation = Processor['onViolation'];

/** The source of the thrown value, and the callbacks for reports. */
interface Thrower {
  readonly author: Author;
  readonly onViolation?: OnViolation;
  /** Whether it reads no content, see `GuardTraits`. */
  readonly ignoresContent?: boolean;
}

/**
 * Reads a hook's error as a verdict: a tripwire as a trip or a retry, anything else as `unavailable`. A failed guard passes nothing (P3).
 */
export const readThrown = (error: unknown, { author, onViolation, ignoresContent }: Thrower, host: Host): Stop => {
  const signal = tripWireOf(error, host);
  if (!signal) return { kind: 'unavailable', ...author, error: readable(error) };
  const { reason, retry } = signal;
  const metadata = serializable(signal.metadata);
  const by = { ...author, processorId: signal.processorId ?? author.processorId };
  const stop: Trip | Retry = {
    kind: retry ? 'retry' : 'trip',
    ...by,
    reason,
    metadata,
    ...(ignoresContent && { ignoresContent }),
  };
  notifyViolation(onViolation, stop);
  return stop;
};

/** Metadata, as JSON if it contains what JSON cannot: a server would drop each chunk that carries it, such as the end of the run. */
const serializable = (metadata: unknown): unknown => {
  try {
    JSON.stringify(metadata);
    return metadata;
  } catch {
    return attempted((): unknown => JSON.parse(stringify(metadata) ?? 'null')); // undefined if a getter throws
  }
};

/** Reads a thrown value as a tripwire; undefined if it is none or cannot be read. */
const tripWireOf = (error: unknown, host: Host): ReturnType<Host['readTripWire']> => attempted(() => host.readTripWire(error));

/** The thrown value in a form that reporters can read. */
const readable = (error: unknown): unknown => {
  try {
    readAll(error);
    return error;
  } catch {
    return new Error('It threw a value that cannot be read.');
  }
};

/** Reads what reporters read of an error and of its causes. Throws for a proxy whose traps throw. */
const readAll = (error: unknown, seen = new Set<unknown>()): void => {
  if (typeof error !== 'object' || error === null || seen.has(error)) return;
  seen.add(error);
  void (error instanceof Error);
  Object.getOwnPropertyDescriptors(error);
  for (const name of ['name', 'message', 'stack', 'code']) Reflect.get(error, name);
  if ('cause' in error) readAll(error.cause, seen);
};

/** Reports a violation. The callback is a side effect of the application: the run neither waits for it nor fails with it. */
export const notifyViolation = (onViolation: OnViolation, { processorId, reason, metadata }: Trip | Retry): void => {
  attempted((): unknown => onViolation?.({ processorId, message: reason, detail: metadata }));
};

/** A call of a step's code. */
export interface StepCall {
  /** The error that `abort` threw, which is the code's verdict. */
  aborted: Error | undefined;
  /** Whether the code has settled: a later `abort` is ignored and reported, however long the run continues. */
  isSettled: boolean;
}

export const openCall = (): StepCall => ({ aborted: undefined, isSettled: false });

/** The result of a call. If its code called `abort`, that counts, even if it caught the error. */
export const settled = (call: StepCall, answer: unknown): unknown => {
  call.isSettled = true;
  if (call.aborted) throw call.aborted;
  return answer;
};

/** The error of a call: a tripwire, otherwise the one from `abort`, otherwise what it threw. */
export const thrownBy = (call: StepCall, error: unknown, host: Host): unknown => {
  call.isSettled = true;
  return tripWireOf(error, host) ? error : (call.aborted ?? error);
};
