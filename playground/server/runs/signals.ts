import type { RunEvent } from '../../../src/index.js';
import { isStricter, type VerdictKind } from '../../../src/verdict.js';
import type { GuardSignal, RunSummary } from '../../protocol/runs.js';

/** What the guards of a run did that was more than to pass, event by event. */
export interface Signals {
  hear(event: RunEvent): void;
  read(): Pick<RunSummary, 'guards' | 'signals'>;
}

/** Begins with none. */
export const createSignals = (): Signals => {
  const signals = new Map<string, GuardSignal>();
  return {
    hear: (event) => {
      const signal = signalIn(event);
      const known = signal && signals.get(signal.guard);
      if (signal && (!known || outranks(signal, known))) signals.set(signal.guard, signal);
    },
    read: () => ({
      guards: [...signals.keys()],
      signals: [...signals.values()].toSorted((a, b) => Number(outranks(b, a)) - Number(outranks(a, b))),
    }),
  };
};

const signalIn = (event: RunEvent): GuardSignal | undefined => {
  if (event.type === 'guard-bypass') return { guard: event.processorId, verdict: 'bypassed' };
  if ((event.type !== 'guard' && event.type !== 'guard-shadow') || event.verdict === 'pass') return undefined;
  const { processorId: guard, verdict } = event;
  return { guard, verdict, ...(event.type === 'guard-shadow' && { isShadow: true }) };
};

/** What counted goes before what did not. */
const outranks = (one: GuardSignal, other: GuardSignal): boolean => {
  if (counted(one) !== counted(other)) return counted(one);
  if (one.verdict === 'bypassed' || other.verdict === 'bypassed')
    return other.verdict === 'bypassed' && one.verdict !== 'bypassed';
  return isStricter(one.verdict as VerdictKind, other.verdict as VerdictKind); // verdicts of events
};

const counted = ({ verdict, isShadow }: GuardSignal): boolean => verdict !== 'bypassed' && !isShadow;
