import type { Change } from '../schemas/run-event.js';

/**
 * A guard's decision about one payload. Verdicts are values: nothing below the host's edge throws to stop a run.
 *
 * `trip`, `unavailable` (no verdict) and `retry` stop the pipeline; `edit` continues with another payload, `pass` with the same.
 * {@link verdictKinds} is the order of precedence.
 */
export type Verdict<Data> = Pass | Edit<Data> | Stop;

/** No objection and no change. */
export interface Pass {
  readonly kind: 'pass';
  /** Set if the guard did not judge and its policy allows that. */
  readonly bypass?: Bypass;
}

/** The reason that a guard did not judge: `sampled-out`, or the code of the error that prevented a verdict. */
interface Bypass {
  readonly reason: string;
  /** The error of the guard; for the trace alone. */
  readonly error?: unknown;
}

/** Continue with `data` in place of the guard's payload. */
export interface Edit<Data> {
  readonly kind: 'edit';
  readonly data: Data;
  /** The edits, if they are recorded. */
  readonly changes?: readonly Change[];
}

/** The origin of a verdict. */
export interface Author {
  readonly processorId: string;
  readonly phase: string;
  /** The path of the guard in the pipeline, e.g. `content-moderation/parallel.1/pii`. */
  readonly path: string;
}

/** The guard blocks: the run ends as a tripwire. */
export interface Trip extends Author {
  readonly kind: 'trip';
  readonly reason: string;
  /** True if the guard requested a retry and the budget was spent. */
  readonly retry?: boolean;
  readonly metadata?: unknown;
  /** Set if the guard had no verdict and its policy then blocks: an outage, not a violation. */
  readonly outage?: { readonly error: unknown };
  /** Set if the guard counts and reads no content, see `GuardTraits`. */
  readonly ignoresContent?: boolean;
}

/** The guard rejects this attempt and requests another, with `reason` as feedback. */
export interface Retry extends Author {
  readonly kind: 'retry';
  readonly reason: string;
  readonly metadata?: unknown;
  readonly ignoresContent?: boolean;
}

/** No verdict: the guard threw, timed out, or its breaker is open. `error` has the reason. */
export interface Unavailable extends Author {
  readonly kind: 'unavailable';
  readonly error: unknown;
}

/** A verdict that stops the pipeline. */
export type Stop = Trip | Retry | Unavailable;

export const pass: Pass = Object.freeze({ kind: 'pass' });

/** The name of a verdict's kind in events and traces. */
export type VerdictKind = Verdict<unknown>['kind'];

/** All kinds of verdicts, the strictest first: the one order for parallel blocks, streams, traces and reports. */
export const verdictKinds: readonly VerdictKind[] = ['trip', 'unavailable', 'retry', 'edit', 'pass'];

export const isStricter = (one: VerdictKind, other: VerdictKind): boolean =>
  verdictKinds.indexOf(one) < verdictKinds.indexOf(other);

/** True for a verdict that stops the pipeline. */
export const isStop = (verdict: Verdict<unknown> | undefined): verdict is Stop =>
  verdict !== undefined && verdict.kind !== 'pass' && verdict.kind !== 'edit';

/** Whether a stop is a verdict on the content that the guard received: an outage is none, and neither is a limit. */
export const rejectsContent = (stop: Stop): boolean =>
  stop.kind !== 'unavailable' && !stop.ignoresContent && !(stop.kind === 'trip' && stop.outage);

/**
 * The effective stop among the verdicts of parallel guards: the strictest, regardless of arrival order. Of equally strict stops,
 * those that reject content are first, then they are ordered by processor id and path; retries merge into one retry with all reasons.
 */
export const strictest = (verdicts: readonly (Verdict<unknown> | undefined)[]): Stop | undefined => {
  const stops = verdicts.filter(isStop).toSorted(byStrictness);
  const [first] = stops;
  if (first?.kind !== 'retry' || stops.length === 1) return first;
  const retries = stops as readonly Retry[]; // the strictest is a retry
  const reason = [...new Set(retries.map((retry) => retry.reason))].join('; ');
  return { ...first, reason, metadata: retries.map((retry) => retry.metadata) };
};

const byStrictness = (a: Stop, b: Stop): number =>
  verdictKinds.indexOf(a.kind) - verdictKinds.indexOf(b.kind) ||
  Number(rejectsContent(b)) - Number(rejectsContent(a)) ||
  compare(a.processorId, b.processorId) ||
  compare(a.path, b.path);

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
