import type { TraceEntry } from '../../schemas/index.js';
import type { TraceRecorder } from './trace-writer.js';

/** What happened in a run, line by line; the first line is its header. */
export type Trace = readonly TraceEntry[];

/** Gathers traces in memory. */
export interface TraceCollection {
  /** To be given to an agent or a call as `record`. */
  readonly record: TraceRecorder;
  /** The trace of the run that started last. */
  readonly trace: Trace;
  /** The traces of all runs, in the order of their start. */
  readonly traces: readonly Trace[];
}

/**
 * Gathers the traces of runs in memory, all of them: for tests and single runs.
 *
 * @example
 * const recording = collectTraces();
 * await agent.generate('Where is my order?', { record: recording.record }); await writeFile('order.jsonl',
 * formatTrace(recording.trace));
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
