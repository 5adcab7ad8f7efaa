import type { Bound, Measures } from '../../src/eval/index.js';

/** A guard that was judged, and what it is held to. */
export interface Judged {
  readonly name: string;
  readonly measures: Measures;
  readonly bounds: readonly Bound[];
}
