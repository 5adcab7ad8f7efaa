import type { RunTrace } from './run-trace.js';
import type { Run } from './run.js';

// The studio and an application may have their own copies of the library: the names are those of all copies.

/** The field of a guarded agent with the graph of its guards. */
export const guardsOfLoop = Symbol.for('mastra-interlock.guards');

/** The field of a call that the studio makes. */
export const shownRun = Symbol.for('mastra-interlock.shown-run');

/** The id and the trace of a run that the studio starts. */
export interface ShownRun {
  readonly id: string;
  readonly openTrace: (run: Run) => RunTrace | undefined;
}
