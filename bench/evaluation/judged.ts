import type { Bound, Measures } from '../../src/eval/index.js';

/** A judged guard, and its bounds. */
export interface Judged {
  readonly name: string;
  readonly measures: Measures;
  readonly bounds: readonly Bound[];
}
