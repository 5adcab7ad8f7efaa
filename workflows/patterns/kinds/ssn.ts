import { defineFinder } from '../define-finder.js';
import type { ReadMatch } from '../finder.js';

/** Numbers that were printed in advertisements and were never issued. */
const neverIssued = new Set(['078051120', '219099999']);

const readSsn: ReadMatch = (text, { start, end }) => {
  const digits = text.slice(start, end).replaceAll(/\D/g, '');
  const [area, group, serial] = [digits.slice(0, 3), digits.slice(3, 5), digits.slice(5)];
  if (area === '000' || area === '666' || area.startsWith('9')) return undefined;
  if (group === '00' || serial === '0000' || neverIssued.has(digits)) return undefined;
  return end;
};

const grouped = String.raw`(?<![\d.-])\d{3}-\d{2}-\d{4}(?!-{0,2}\d)`;
/** Other notations count only after a label: nine digits are ambiguous. */
const labelled = String.raw`(?<=\b(?:ssn|social security(?: (?:number|no|num|nr))?)\b[^\d\n]{0,12})\d{3}[ .]?\d{2}[ .]?\d{4}(?!\d)`;

/** US social security numbers, by the rules of the Social Security Administration: no area 000, 666 or 9xx, no zero groups. */
export const ssnFinder = defineFinder(() => ({
  regex: new RegExp(`${grouped}|${labelled}`, 'i'),
  hint: /\d{3}/,
  beginning: /\d{3}[-. ]?\d{2}[-. ]?\d{4}/,
  read: readSsn,
}));
