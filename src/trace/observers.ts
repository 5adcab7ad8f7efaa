import type { RunEvent } from '../../schemas/index.js';
import type { Reports } from '../phase/scope.js';
import type { ParentCall } from './parent-call.js';
import type { TraceRecorder, TraceSink } from './trace-writer.js';

/** A run whose loop is not ours: what is known of it is what its guards report. */
export interface GuardedRunFacts {
  readonly runId: string;
  readonly agentId?: string;
  /** What calls the guards: a stock agent of Mastra's, its workflow engine, or the AI SDK. */
  readonly host: 'mastra' | 'workflow' | 'ai-sdk';
  readonly pipelineId: string;
}

/** What the guards of one run report to. */
export interface GuardReports {
  readonly reports: Reports;
  /** The guards of a payload are about to be asked. */
  ask(data: { readonly phase: string }): void;
}

/** A run whose loop is not ours, as it is observed. */
export interface GuardedRun extends GuardedRunFacts {
  /** The call of a tool that the run is a part of. */
  readonly parent?: ParentCall;
}

/** What is observed of such a run. */
export type GuardsNews =
  | { readonly kind: 'event'; readonly event: RunEvent }
  /** The guards of a phase are about to judge; reported once for each step of the run. `said` is the caller's last message. */
  | {
      readonly kind: 'asked';
      readonly phase: string;
      readonly lane: string;
      readonly stepNumber: number;
      readonly said?: string;
    };

export type GuardsObserver = (run: GuardedRun, news: GuardsNews) => void;

/**
 * What observes this process. All copies of the library find it under one name. It holds what observing needs, so that a guard
 * carries none of that, and it works in every runtime.
 */
interface Observers {
  readonly recorders: Set<TraceRecorder>;
  readonly guardsObservers: Set<GuardsObserver>;
  /** Opens the reports of a run whose loop is not ours; absent where nothing observes such runs. */
  openGuardReports?: (run: GuardedRunFacts) => GuardReports;
}

const place = globalThis as { mastraInterlockObservers?: Observers };

/** What observes this process, made on first use: for those that observe. */
export const observers = (): Observers =>
  (place.mastraInterlockObservers ??= { recorders: new Set(), guardsObservers: new Set() });

/**
 * Observes every run of an `InterlockAgent` that begins in this process from now on, whatever the agent records itself. What is
 * given back stops that for runs that begin later.
 */
export const observeRuns = (recorder: TraceRecorder): (() => void) => {
  const { recorders } = observers();
  recorders.add(recorder);
  return () => {
    recorders.delete(recorder);
  };
};

/** The recorder of a run that begins: its own, and those that observe the process. Nothing where nothing records it. */
export const recorderOf = (own: TraceRecorder | undefined): TraceRecorder | undefined => {
  const observing = place.mastraInterlockObservers?.recorders;
  if (!observing?.size) return own;
  const recorders = [...new Set([...(own ? [own] : []), ...observing])];
  return recorders.length > 1 ? joined(recorders) : recorders[0];
};

/** Several recorders as one. What one of them throws does not reach the others. */
const joined =
  (recorders: readonly TraceRecorder[]): TraceRecorder =>
  (header) => {
    const sinks = recorders.flatMap((recorder) => attempted(() => recorder(header)) ?? []);
    const tell: TraceSink = (entry) => {
      for (const sink of sinks) attempted(() => sink(entry));
    };
    return sinks.length > 0 ? tell : undefined;
  };

/** Observers change nothing of what they observe. */
export const attempted = <T>(act: () => T): T | undefined => {
  try {
    return act();
  } catch {
    return undefined; // it only misses its own news
  }
};

/** By what a host keeps through a run. */
const runs = new WeakMap<object, GuardReports>();

/**
 * What the guards of a run report to; nothing where nothing observes the process.
 *
 * @param key an object that stays the same through the run
 */
export const guardReports = (key: object, factsOf: () => GuardedRunFacts): GuardReports | undefined => {
  const open = place.mastraInterlockObservers?.openGuardReports;
  if (!open) return undefined;
  const known = runs.get(key);
  if (known) return known;
  const made = open(factsOf());
  runs.set(key, made);
  return made;
};
