import type { RunEvent } from '../../schemas/index.js';

type Common = 'runId' | 'seq' | 'at' | 'stepNumber' | 'attempt';
/** An event from its reporter. The recorder adds its place and time. */
export type RunFact = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, Common> : never) : never;

/** The place in the run at which something happens. */
export interface Position {
  stepNumber: number;
  attempt: number;
}
