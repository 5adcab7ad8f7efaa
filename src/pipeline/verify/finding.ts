import type { FindingCode } from './checks.js';
import type { CounterExample, Severity } from './defect-location.js';

/** What `verify` has found. */
export interface Finding {
  /** What is wrong; a code of the table of errors. */
  readonly code: FindingCode;
  readonly severity: Severity;
  /** Where: the path under which run events know the place. */
  readonly path: string;
  /** What it is, and what to do. */
  readonly message: string;
  /** A run that shows it, where it is about how a run goes. */
  readonly counterExample?: CounterExample;
}
