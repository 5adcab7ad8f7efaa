import type { RunEvent, TraceEntry } from '../../schemas/index.js';
import type { TraceRecorder } from './trace-writer.js';

/** The record of a run, line by line; the first line is the header. */
export type Trace = readonly TraceEntry[];

/** Collects traces in memory. */
export interface TraceCollection {
  /** The recorder: pass it to an agent or a call as `record`. */
  readonly record: TraceRecorder;
  /** The trace of the run that started last. */
  readonly trace: Trace;
  /** The traces of all runs, in the order of their start. */
  readonly traces: readonly Trace[];
}

/**
 * Collects the traces of all runs in memory: for tests and single runs.
 *
 * @example
 * const recording = collectTraces();
 * await agent.generate('Where is my order?', { record: recording.record });
 * await writeFile('order.jsonl', formatTrace(recording.trace));
 */
export const collectTraces = (): TraceCollection => {
  const traces: TraceEntry[][] = [];
  return {
    record: () => {
      const trace: TraceEntry[] = [];
      traces.push(trace);
      return (entry) => void trace.push(entry);
    },
    traces,
    get trace() {
      return traces.at(-1) ?? [];
    },
  };
};

/** The entries of one kind, in order. */
export const traceOfKind = <K extends TraceEntry['kind']>(trace: Trace, kind: K): Extract<TraceEntry, { kind: K }>[] =>
  trace.filter((entry): entry is Extract<TraceEntry, { kind: K }> => entry.kind === kind);

type Of<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

/** The first event of a run in this process. A run whose process died continues with the next state of its statechart. */
export type OpeningEvent = Of<'run-start' | 'run-resume' | 'state-enter'>;

/** Whether an event is the first one of a run, or of its segment after an answer. `isKnown`: the run has had one. */
export const opensRun = (event: RunEvent, isKnown: boolean): event is OpeningEvent =>
  event.type === 'run-start' || event.type === 'run-resume' || (event.type === 'state-enter' && !isKnown);

/** Whether a run continues inside a step, whose beginning was in another process. */
export const continuesStep = (event: OpeningEvent): event is Of<'state-enter'> =>
  event.type === 'state-enter' &&
  event.state.startsWith('step.') &&
  event.state !== 'step.preparing' &&
  event.state !== 'step.deciding';
