/** A run that is to be gone on with by other code than has begun it. */
export interface CodeChange {
  readonly runId: string;
  /** What stands for the code by which the run was begun, and for that which is to go on with it. */
  readonly from: string;
  readonly to: string;
}

/** A run that waits for its code, or for a decision: `acceptChangedCode`, or `cancel`. */
export interface NeedsDecision extends CodeChange {
  readonly status: 'needs-decision';
}
