import type { Change } from '../schemas/index.js';

/**
 * A guard's decision about one payload. Verdicts are values: nothing below the host's edge throws to stop a run.
 *
 * `trip`, `unavailable` (no verdict could be had) and `retry` stop the pipeline, `edit` continues with another payload, `pass`
 * with the same. Which of several verdicts counts: {@link verdictKinds}.
 */
export type Verdict<Data> = Pass | Edit<Data> | Stop;

/** Nothing to object to, nothing changed. */
export interface Pass {
  readonly kind: 'pass';
  /** Set where the guard did not judge, and its policy lets that pass. */
  readonly bypass?: Bypass;
}

/** Why a guard did not judge: `sampled-out`, or the code of the error for which it had no verdict. */
interface Bypass {
  readonly reason: string;
}

/** Continue with `data` in place of the guard's payload. */
export interface Edit<Data> {
  readonly kind: 'edit';
  readonly data: Data;
  /** The edits, if they are recorded. */
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
  /** True if the guard requested a retry and the budget was spent. */
  readonly retry?: boolean;
  readonly metadata?: unknown;
  /** Set if there was no verdict and the guard's policy blocks then: an outage, not a violation. */
  readonly outage?: { readonly error: unknown };
}

/** The guard rejects this attempt and requests another, with `reason` as feedback. */
export interface Retry extends Author {
  readonly kind: 'retry';
  readonly reason: string;
  readonly metadata?: unknown;
}

/** No verdict: the guard threw, timed out, or its breaker is open. `error` has the reason. */
export interface Unavailable extends Author {
  readonly kind: 'unavailable';
  readonly error: unknown;
}

/** A verdict that stops the pipeline. */
export type Stop = Trip | Retry | Unavailable;

export const pass: Pass = Object.freeze({ kind: 'pass' });

/** The kind of a verdict, as events and traces name it. */
export type VerdictKind = Verdict<unknown>['kind'];

/** All kinds of verdicts, the strictest first: the one order for parallel blocks, streams, traces and reports. */
export const verdictKinds: readonly VerdictKind[] = ['trip', 'unavailable', 'retry', 'edit', 'pass'];

/** Whether one kind of verdict is stricter than another. */
export const isStricter = (one: VerdictKind, other: VerdictKind): boolean =>
  verdictKinds.indexOf(one) < verdictKinds.indexOf(other);

/** Whether the pipeline ends with a verdict. */
export const isStop = (verdict: Verdict<unknown> | undefined): verdict is Stop =>
  verdict !== undefined && verdict.kind !== 'pass' && verdict.kind !== 'edit';

/**
 * The stop that counts among the verdicts of guards that ran side by side: the strictest, whichever came first. Of several
 * equally strict ones the first by processor id and path; retries become one retry with all reasons.
 */
export const strictest = (verdicts: readonly (Verdict<unknown> | undefined)[]): Stop | undefined => {
  const stops = verdicts.filter(isStop).toSorted(byStrictness);
  const [first] = stops;
  if (first?.kind !== 'retry' || stops.length === 1) return first;
  const retries = stops as readonly Retry[]; // nothing stricter is among them
  const reason = [...new Set(retries.map((retry) => retry.reason))].join('; ');
  return { ...first, reason, metadata: retries.map((retry) => retry.metadata) };
};

const byStrictness = (a: Stop, b: Stop): number =>
  verdictKinds.indexOf(a.kind) - verdictKinds.indexOf(b.kind) || compare(a.processorId, b.processorId) || compare(a.path, b.path);

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
