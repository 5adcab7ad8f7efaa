import type { FindingCode } from './checks.js';
import type { CounterExample, Severity } from './defect-location.js';

/** What `verify` has found. */
export interface Finding {
  /** The code of the defect, a key of the table of errors. */
  readonly code: FindingCode;
  readonly severity: Severity;
  /** Where: the path under which run events know the place. */
  readonly path: string;
  /** The defect and its remedy. */
  readonly message: string;
  /** A run that shows the defect, if it concerns the course of a run. */
  readonly counterExample?: CounterExample;
}
