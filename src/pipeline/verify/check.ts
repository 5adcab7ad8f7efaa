import type { Severity, DefectLocation } from './defect-location.js';
import type { Subject } from './subject.js';

/** One thing that `verify` looks for. Its code is its name in the table; what to do about it stands in the table of errors. */
export interface Check {
  readonly severity: Severity;
  /** The places where it is so; each defect is one place. */
  find(subject: Subject): readonly DefectLocation[];
}
