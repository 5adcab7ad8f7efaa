import type { Severity, DefectLocation } from './defect-location.js';
import type { Subject } from './subject.js';

/** One check of `verify`. Its code is its key in the table of errors, which also has the remedy. */
export interface Check {
  readonly severity: Severity;
  /** The places with the defect; each defect is one place. */
  find(subject: Subject): readonly DefectLocation[];
}
