import type { RunEvent } from '../../schemas/index.js';
import { attempted } from '../phase/awaitable.js';
import type { Reports } from '../phase/scope.js';
import type { TraceRecorder, TraceSink } from './trace-writer.js';
import type { ParentCall } from './parent-call.js';
import { computed } from '../phase/plain-data.js';

/** A run outside of our loop: only its guards' reports are known. */
export interface GuardedRunFacts {
  readonly runId: string;
  readonly agentId?: string;
  /** The caller of the guards: Mastra's own agent, its workflow engine, or the AI SDK. */
  readonly host: 'mastra' | 'workflow' | 'ai-sdk';
  readonly pipelineId: string;
}

/** The receiver of reports from the guards of one run. */
export interface GuardReports {
  readonly reports: Reports;
  /** The guards of a payload are about to be called. */
  ask(data: { readonly phase: string }): void;
}

/** An observed run outside of our loop. */
export interface GuardedRun extends GuardedRunFacts {
  /** The tool call that started the run. */
  readonly parent?: ParentCall;
}

/** The observations of such a run. */
export type GuardsNews =
  | { readonly kind: 'event'; readonly event: RunEvent }
  /** The guards of a phase are about to judge; reported once for each step of the run. `userText` is the caller's last message. */
  | {
      readonly kind: 'asked';
      readonly phase: string;
      readonly lane: string;
      readonly stepNumber: number;
      readonly userText?: string;
    };

export type GuardsObserver = (run: GuardedRun, news: GuardsNews) => void;

/**
 * The observers of this process. All copies of the library find them under one name. The object contains all code that observation
 * needs: a guard imports none of it, and it works in every runtime.
 */
interface Observers {
  readonly recorders: Set<TraceRecorder>;
  readonly guardsObservers: Set<GuardsObserver>;
  /** Opens the reports of a run outside of our loop; undefined if such runs are not observed. */
  openGuardReports?: (run: GuardedRunFacts) => GuardReports;
  /** Opens the trace of a run of the AI SDK. */
  openTrace?: (run: never) => unknown;
}

const place = globalThis as { mastraInterlockObservers?: Observers };

/** The observers of this process, created on first use: for the observing side. */
export const observers = (): Observers =>
  (place.mastraInterlockObservers ??= { recorders: new Set(), guardsObservers: new Set() });

/**
 * Observes every run of an `InterlockAgent` that starts in this process from now on, in addition to the agent's own recorder.
 * Returns a function that stops it for later runs.
 */
export const observeRuns = (recorder: TraceRecorder, openTrace?: Observers['openTrace']): (() => void) => {
  const all = observers();
  all.recorders.add(recorder);
  if (openTrace) all.openTrace ??= openTrace;
  return () => {
    all.recorders.delete(recorder);
  };
};

/** The trace of a run of the AI SDK, for the observers of the process; undefined if there are none. */
export const openTraceOf = (run: object): unknown => place.mastraInterlockObservers?.openTrace?.(run as never); // the observing side's type

/** The recorder of a new run: its own, and the observers of the process. Undefined if there are none. */
export const recorderOf = (own: TraceRecorder | undefined): TraceRecorder | undefined => {
  const observing = place.mastraInterlockObservers?.recorders;
  if (!observing?.size) return own;
  const recorders = [...new Set([...(own ? [own] : []), ...observing])];
  return recorders.length > 1 ? joined(recorders) : recorders[0];
};

/** Several recorders as one. An error of one does not reach the others. */
const joined =
  (recorders: readonly TraceRecorder[]): TraceRecorder =>
  (header) => {
    const sinks = recorders.flatMap((recorder) => attempted(() => recorder(header)) ?? []);
    const notify: TraceSink = (entry) => {
      for (const sink of sinks) attempted(() => sink(entry));
    };
    return sinks.length > 0 ? notify : undefined;
  };

/** By an object that a host keeps through a run. */
const runs = new WeakMap<object, GuardReports>();

/**
 * The receiver of a run's guard reports; undefined if the process has no observer.
 *
 * @param key an object that stays the same through the run
 */
export const guardReports = (key: object, factsOf: () => GuardedRunFacts): GuardReports | undefined => {
  const open = place.mastraInterlockObservers?.openGuardReports;
  return open && computed(runs, key, () => open(factsOf()));
};
