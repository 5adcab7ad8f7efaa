import type { Change } from '../schemas/index.js';

/**
 * What a guard decided about one payload. Verdicts are values: nothing in the pure rooms throws to stop a run.
 *
 * Strictest first: `unavailable` (no verdict could be had) and `trip` stop the pipeline, `retry` asks for the attempt again,
 * `edit` goes on with another payload, `pass` with the same.
 */
export type Verdict<Data> = Pass | Edit<Data> | Stop;

/** Nothing to object to, nothing changed. */
export interface Pass {
  readonly kind: 'pass';
  /** Set where nobody judged, and the guard's policy lets that pass. */
  readonly bypass?: Bypass;
}

/** Why a guard did not judge: `sampled-out`, or the code of the error for which it had no verdict. */
export interface Bypass {
  readonly reason: string;
}

/** Go on with `data` in place of what the guard was given. */
export interface Edit<Data> {
  readonly kind: 'edit';
  readonly data: Data;
  /** What was changed, where that is recorded. */
  readonly changes?: readonly Change[];
}

/** Where a verdict comes from. */
export interface Author {
  readonly processorId: string;
  readonly phase: string;
  /** The way to the guard through the pipeline, e.g. `content-moderation/parallel.1/pii`. */
  readonly path: string;
}

/** The guard blocks: the run ends as a tripwire. */
export interface Trip extends Author {
  readonly kind: 'trip';
  readonly reason: string;
  /** True where the guard asked for a retry and the budget was spent. */
  readonly retry?: boolean;
  readonly metadata?: unknown;
  /** Set where no verdict could be had, and the guard's policy lets that block: an outage, and no violation. */
  readonly outage?: { readonly error: unknown };
}

/** The guard rejects this attempt and asks for another, with `reason` as feedback. */
export interface Retry extends Author {
  readonly kind: 'retry';
  readonly reason: string;
  readonly metadata?: unknown;
}

/** No verdict: the guard threw, timed out, or its breaker is open. `error` says why. */
export interface Unavailable extends Author {
  readonly kind: 'unavailable';
  readonly error: unknown;
}

/** A verdict after which the pipeline does not go on. */
export type Stop = Trip | Retry | Unavailable;

export const pass: Pass = Object.freeze({ kind: 'pass' });
