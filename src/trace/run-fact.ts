import type { RunEvent } from '../../schemas/index.js';

type Common = 'runId' | 'seq' | 'at' | 'stepNumber' | 'attempt';
/** An event as its reporter says it; where and when it happened is the recorder's to add. */
export type RunFact = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, Common> : never) : never;

/** The place in the run at which something happens. */
export interface Position {
  stepNumber: number;
  attempt: number;
}
