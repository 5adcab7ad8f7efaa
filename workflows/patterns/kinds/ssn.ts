import type { TextSpan } from '../text/text-span.js';
import type { PiiFinder } from './pii-finder.js';

const grouped = /(?<![\d.-])(?<area>\d{3})-(?<group>\d{2})-(?<serial>\d{4})(?![\d-]*\d)/g;
/** Other ways to write one count only where the text says what it is: nine digits may be anything. */
const labelled =
  /\b(?:ssn|social security(?: (?:number|no|num|nr))?)\b[^\d\n]{0,12}(?<found>(?<area>\d{3})[ .]?(?<group>\d{2})[ .]?(?<serial>\d{4}))(?!\d)/gi;

/** Numbers that were printed in advertisements and belong to nobody. */
const neverIssued = new Set(['078051120', '219099999']);

/** US social security numbers, by the rules of the Social Security Administration: no area 000, 666 or 9xx, no zero groups. */
export const findSsns: PiiFinder = (text) =>
  [...text.matchAll(grouped), ...text.matchAll(labelled)].filter(({ groups }) => isIssuable(groups)).map(spanOf);

const spanOf = ({ 0: whole, index, groups }: RegExpExecArray): TextSpan => {
  const end = index + whole.length;
  return { start: end - (groups?.['found'] ?? whole).length, end };
};

const isIssuable = (groups: Record<string, string> | undefined): boolean => {
  const { area = '', group = '', serial = '' } = groups ?? {};
  if (area === '000' || area === '666' || area.startsWith('9')) return false;
  if (group === '00' || serial === '0000') return false;
  return !neverIssued.has(area + group + serial);
};
