import type { Processor } from '@mastra/core/processors';
import { stringify } from 'safe-stable-stringify';

import { attempted } from '../phase/awaitable.js';
import type { Host } from '../phase/host.js';
import type { Author, Retry, Stop, Trip } from '../verdict.js';

type OnViolation = Processor['onViolation'];

/** The source of the thrown value, and the callbacks for reports. */
export interface Thrower {
  readonly author: Author;
  readonly onViolation?: OnViolation;
}

/**
 * Reads a hook's error as a verdict: a tripwire as a trip or a retry, anything else as `unavailable`. A failed guard passes nothing (P3).
 */
export const readThrown = (error: unknown, { author, onViolation }: Thrower, host: Host): Stop => {
  const signal = tripWireOf(error, host);
  if (!signal) return { kind: 'unavailable', ...author, error: readable(error) };
  const { reason, retry } = signal;
  const metadata = serializable(signal.metadata);
  const by = { ...author, processorId: signal.processorId ?? author.processorId };
  const stop: Trip | Retry = { kind: retry ? 'retry' : 'trip', ...by, reason, metadata };
  notifyViolation(onViolation, stop);
  return stop;
};

/** Metadata, as JSON if it contains what JSON cannot: a server would drop each chunk that carries it, such as the end of the run. */
const serializable = (metadata: unknown): unknown => {
  try {
    JSON.stringify(metadata);
    return metadata;
  } catch {
    return asJson(metadata);
  }
};

const asJson = (value: unknown): unknown => {
  try {
    return JSON.parse(stringify(value) ?? 'null');
  } catch {
    return undefined; // a getter throws
  }
};

/** Reads a thrown value as a tripwire; undefined if it is none or cannot be read. */
const tripWireOf = (error: unknown, host: Host): ReturnType<Host['readTripWire']> => {
  try {
    return host.readTripWire(error);
  } catch {
    return undefined; // a proxy whose traps throw
  }
};

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
