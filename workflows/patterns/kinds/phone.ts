import type { CountryCode } from 'libphonenumber-js/max';
import type { TextSpan } from '../../../src/guard/pattern.js';
import { lazyRegex } from '../../../src/phase/lazy-regex.js';
import { defineFinder } from '../define-finder.js';
import type { Finder, ReadMatch } from '../finder.js';
import { isValidInternational, isValidNational } from './phone-plan.js';

/** The digits that `libphonenumber-js` reads: European, full-width, Arabic-Indic and Persian. */
const digit = String.raw`[\d\uFF10-\uFF19\u0660-\u0669\u06F0-\u06F9]`;
const separator = String.raw`[ \t\u00A0\u00AD\u2009\u202F\u2060\u3000.()（）\u2010-\u2015\u2212\uFF0D-\uFF0F/-]`;
const lettersOrDigits = String.raw`[\p{L}\p{N}_]`;

/** E.164 allows 15 digits including the calling code; no number is shorter than seven including it. */
const international = String.raw`(?:[+＋]${separator}{0,2}|\([+＋]|(?<!${digit}|[+.,-]|${digit}[ \u00A0(])00(?=[1-9]))${digit}(?:${separator}{0,4}${digit}){6,15}`;
const national = String.raw`(?<!${lettersOrDigits}|[+.,/_-])(?<!${digit}[-./])[(（]?${digit}(?:${separator}{0,4}${digit}){5,14}`;
const endOfText = String.raw`(?=[^]{0,3})`;

/** The maximum number of groups in a national number; more are a list of numbers. */
const maxNationalGroups = 6;
/** The minimum number of digits, also without a calling code: shorter ones are local extensions. */
const minDigits = 7;

/** Labels of other numbers: order, ticket, tracking and the like. */
const otherLabel =
  /(?:(?:order|invoice|ticket|tracking|reference|ref|case|id|sku|serial|part|account|article|isbn|item|booking|claim|policy)(?:\s{0,2}(?:number|num|no|nr|id))?[\s.:#=-]{0,4}|#\s?)$/i;
const labelChars = 24;
const year = String.raw`(?:19|20)\d{2}`;
const date = new RegExp(
  String.raw`^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]${year}|${year}[-./]?(?:0[1-9]|1[0-2])[-./]?(?:0[1-9]|[12]\d|3[01])|${year} ?[-\u2013] ?${year})(?!\d)`,
);

/**
 * Phone numbers that `libphonenumber-js` accepts: international ones (`+44 …`, `0044 …`), and national ones of the default
 * country unless they are dates or follow a label such as "order".
 */
export const phoneFinder = (defaultCountry?: CountryCode): Finder =>
  defineFinder(() => ({
    regex: new RegExp(`(?:${international}${defaultCountry ? `|${national}` : ''})${endOfText}`, 'u'),
    lookbehind: labelChars,
    hint: new RegExp(digit),
    read: readNumber(defaultCountry),
  }));

const readNumber =
  (defaultCountry: CountryCode | undefined): ReadMatch =>
  (text, { start, end }) => {
    const written = text.slice(start, end);
    const isInternational = /^\(?[+＋]|^00/.test(written);
    const ends = endsOf(text, { start, end });
    const number = (isInternational ? ends : ends.slice(0, maxNationalGroups)).findLast(
      ({ digits, end: its }) =>
        digits.length >= minDigits &&
        (isInternational
          ? isValidInternational(digits.replace(/^00/, ''))
          : defaultCountry !== undefined && isValidNational(digits, defaultCountry)) &&
        isBalanced(text.slice(start, its)),
    );
    return number && !isInternational && isSomethingElse(text, start, written) ? undefined : number?.end;
  };

/** A possible end of a number, and its digits up to there. */
interface NumberEnd {
  readonly end: number;
  readonly digits: string;
}

/** The possible ends of a number: after a group, and not directly before a letter, unless that starts an extension. */
const endsOf = (text: string, { start, end }: TextSpan): NumberEnd[] => {
  const ends: NumberEnd[] = [];
  let digits = '';
  let wasDigit = false;
  for (let at = start; at <= end; at += 1) {
    const value = at < end ? digitAt(text, at) : undefined;
    const mayEnd = wasDigit && digitAt(text, at) === undefined;
    if (mayEnd && (!wordChar().test(text.slice(at, at + 2)) || extension.test(text.slice(at, at + 2))))
      ends.push({ end: at, digits });
    if (value !== undefined) digits += value;
    wasDigit = value !== undefined;
  }
  return ends;
};
const wordChar = lazyRegex(`^${lettersOrDigits}`);
const extension = /^x\d/;

/** The digit at a place, in a script that the library reads. Each script has its ten digits in a row, from a code that ends in 0. */
const digitAt = (text: string, at: number): number | undefined => {
  const code = text.charCodeAt(at);
  if (code < 0x80) return code >= 0x30 && code <= 0x39 ? code - 0x30 : undefined;
  return (code >= 0x660 && code <= 0x669) || (code >= 0x6f0 && code <= 0x6f9) || (code >= 0xff10 && code <= 0xff19)
    ? code & 0xf
    : undefined;
};

const isBalanced = (number: string): boolean => /^[^()（）]*(?:[(（][^()（）]*[)）][^()（）]*)*$/.test(number);

/** A list in brackets, rather than a number with one group in them. */
const manyBrackets = /[)）][^]*[(（]/;

const isSomethingElse = (text: string, start: number, written: string): boolean =>
  manyBrackets.test(written) || otherLabel.test(text.slice(Math.max(0, start - labelChars), start)) || date.test(written);
