import type { TextSpan } from '../text/text-span.js';

/** Digits that stand together. */
export interface DigitGroup extends TextSpan {
  readonly digits: string;
}

/** What people write between the groups of one number: at most three spaces, dots or dashes of any kind. */
const separator = /^[ \t\u00A0\u2009\u202F.\u2010-\u2015-]{1,3}$/;

/** The runs of digit groups in a text: groups with only a separator between them belong to one run. */
export const digitRuns = (text: string): DigitGroup[][] => {
  const runs: DigitGroup[][] = [];
  let end = -1;
  for (const { 0: digits, index: start } of text.matchAll(/\d+/g)) {
    const group = { digits, start, end: start + digits.length };
    if (end >= 0 && start - end <= 3 && separator.test(text.slice(end, start))) runs.at(-1)?.push(group);
    else runs.push([group]);
    end = group.end;
  }
  return runs;
};
