import type { Durable } from '../durable/journal.js';

/** What keeps the runs that a part of a run is made of, such as the tool call of a supervisor. */
export interface InsidePart {
  readonly durable: Durable;
  /** See `Engine`. */
  readonly isFenced: boolean;
}
