import type { Processor } from '@mastra/core/processors';
import { isPromise, type Awaitable } from '../phase/awaitable.js';
import type { Phase, PhaseData } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import type { Author, Stop, Verdict } from '../verdict.js';
import type { GuardCall } from './guard.js';
import type { Layer } from './layer.js';

/**
 * Turns whatever a hook throws into a verdict: a tripwire into a trip or a retry, anything else into `unavailable`. A guard
 * that fails lets nothing pass (P3).
 */
export const failClosed =
  <P extends Phase>(author: Author, processor: Processor): Layer<GuardCall<P>, Verdict<PhaseData<P>>> =>
  (call, next) => {
    const toVerdict = (error: unknown): Stop => readThrown(error, { author, processor, scope: call.scope });
    try {
      const verdict: Awaitable<Verdict<PhaseData<P>>> = next(call);
      return isPromise(verdict) ? verdict.catch(toVerdict) : verdict;
    } catch (error) {
      return toVerdict(error);
    }
  };

interface Thrower {
  author: Author;
  processor: Processor;
  scope: RunScope;
}

const readThrown = (error: unknown, { author, processor, scope }: Thrower): Stop => {
  const signal = scope.host.readTripWire(error);
  if (!signal) return { kind: 'unavailable', ...author, error };
  const { reason, metadata, retry } = signal;
  const by = { ...author, processorId: signal.processorId ?? author.processorId };
  tellViolation(processor, { processorId: by.processorId, message: reason, detail: metadata });
  return retry ? { kind: 'retry', ...by, reason, metadata } : { kind: 'trip', ...by, reason, metadata };
};

/** The callback is a side effect of somebody else: the run neither waits for it nor hears it fail. */
const tellViolation = (processor: Processor, violation: Parameters<NonNullable<Processor['onViolation']>>[0]): void => {
  try {
    const told: unknown = processor.onViolation?.(violation);
    if (isPromise(told)) told.catch(() => undefined);
  } catch {
    // By contract a failing callback never disturbs the run.
  }
};
