import type { Durable } from '../durable/journal.js';

/** The durable storage for runs that are started inside a part of a run, such as the tool call of a supervisor. */
export interface InsidePart {
  readonly durable: Durable;
  /** See `Engine`. */
  readonly isFenced: boolean;
}
