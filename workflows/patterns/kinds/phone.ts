import { findPhoneNumbersInText } from 'libphonenumber-js/max';
import type { TextSpan } from '../text/text-span.js';
import type { PiiFinder } from './pii-finder.js';

/** Numbers that are called something else: order, ticket, tracking and the like. */
const otherLabel =
  /(?:order|invoice|ticket|tracking|reference|ref|case|id|sku|serial|part|account|article|isbn|item|booking|claim|policy)(?:\s{0,2}(?:number|num|no|nr|id))?[\s.:#=-]{0,4}$/i;
const hash = /#\s?$/;
const date = /^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./](?:19|20)\d{2})(?!\d)/;

/**
 * Phone numbers that `libphonenumber-js` finds valid: international ones, and national ones of the default country unless they
 * are dates or stand behind a label such as "order".
 */
export const findPhones: PiiFinder = (text, { defaultCountry }) => {
  if (!/\d[^\n]{0,20}\d/.test(text)) return [];
  // The library does not read the international prefix 00; two characters for two keep the offsets.
  const readable = text.replaceAll(/(?<![\d+.,-]|\d[ \u00A0(])00(?=[1-9])/g, ' +');
  if (!defaultCountry && !readable.includes('+') && !readable.includes('＋')) return [];
  return findPhoneNumbersInText(readable, { defaultCountry })
    .map(({ startsAt, endsAt }) => withoutLoneParenthesis(readable, { start: startsAt, end: endsAt }))
    .filter(({ start, end }) => isInternational(readable, start) || !isSomethingElse(text, { start, end }))
    .map(({ start, end }) => ({ start: text[start] === readable[start] ? start : start - 1, end }));
};

/** The library takes the parenthesis before a number along where the number stands in parentheses. */
const withoutLoneParenthesis = (text: string, { start, end }: TextSpan): TextSpan =>
  /^[(（][^)）]*$/.test(text.slice(start, end)) ? { start: start + 1, end } : { start, end };

const isInternational = (text: string, start: number): boolean => /[+＋]/.test(text.slice(start, start + 2));

const isSomethingElse = (text: string, { start, end }: TextSpan): boolean => {
  const before = text.slice(Math.max(0, start - 24), start);
  return otherLabel.test(before) || hash.test(before) || date.test(text.slice(start, end));
};
