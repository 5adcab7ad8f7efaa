import { errorTable } from '../../errors.js';
import type { Check } from './check.js';
import { checks, type FindingCode } from './checks.js';
import type { Severity, DefectLocation } from './defect-location.js';
import type { Subject } from './subject.js';

/** A finding without its counter-example. */
export interface Defect extends DefectLocation {
  readonly code: FindingCode;
  readonly severity: Severity;
}

/** The defects of a subject, check by check. */
export const findDefects = (subject: Subject, table: Partial<Record<FindingCode, Check>> = checks): Defect[] =>
  (Object.keys(table) as FindingCode[]).flatMap((code) => {
    const check = table[code];
    return check ? check.find(subject).map((defect) => ({ ...defect, code, severity: check.severity })) : [];
  });

/** The message for a defect, with its remedy. */
export const messageOf = ({ code, detail }: Defect): string => {
  const { say: sentence } = errorTable[code];
  return detail ? `${detail.charAt(0).toUpperCase()}${detail.slice(1)}. ${sentence}` : sentence;
};
