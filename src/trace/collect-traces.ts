import type { TraceEntry } from '../../schemas/index.js';
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
