import type { FindingCode } from './checks.js';
import type { CounterExample, Severity } from './defect-location.js';

/** A finding of `verify`. */
export interface Finding {
  /** The code of the defect, a key of the table of errors. */
  readonly code: FindingCode;
  readonly severity: Severity;
  /** The path of the place, as in run events. */
  readonly path: string;
  /** The defect and its remedy. */
  readonly message: string;
  /** A run that shows the defect, if it concerns the course of a run. */
  readonly counterExample?: CounterExample;
}
