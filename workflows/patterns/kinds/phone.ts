import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/max';
import { defineFinder } from '../define-finder.js';
import type { Finder, ReadMatch } from '../finder.js';

/** Digits that `libphonenumber-js` reads: European, full-width, Arabic-Indic and Persian. */
const digit = String.raw`[\d\uFF10-\uFF19\u0660-\u0669\u06F0-\u06F9]`;
const separator = String.raw`[ \t\u00A0\u00AD\u2009\u202F\u2060\u3000.()（）\u2010-\u2015\u2212\uFF0D-\uFF0F/-]`;
const lettersOrDigits = String.raw`[\p{L}\p{N}_]`;

/** E.164 allows 15 digits with the country's; no country's number is shorter than seven with it. */
const international = String.raw`(?:[+＋]${separator}{0,2}|\([+＋]|(?<!${digit}|[+.,-]|${digit}[ \u00A0(])00(?=[1-9]))${digit}(?:${separator}{0,4}${digit}){6,15}`;
const national = String.raw`(?<!${lettersOrDigits}|[+.,/_-])(?<!${digit}[-./])[(（]?${digit}(?:${separator}{0,4}${digit}){5,14}`;
const endOfText = String.raw`(?=[^]{0,3})`;

/** Groups that a national number is written in; more are a list of numbers. */
const maxNationalGroups = 6;
/** Any number with its country has as many digits, and so have those without that are not only a local extension. */
const minDigits = 7;

/** Numbers that are called something else: order, ticket, tracking and the like. */
const otherLabel =
  /(?:(?:order|invoice|ticket|tracking|reference|ref|case|id|sku|serial|part|account|article|isbn|item|booking|claim|policy)(?:\s{0,2}(?:number|num|no|nr|id))?[\s.:#=-]{0,4}|#\s?)$/i;
const labelChars = 24;
const year = String.raw`(?:19|20)\d{2}`;
const date = new RegExp(
  String.raw`^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]${year}|${year}[-./]?(?:0[1-9]|1[0-2])[-./]?(?:0[1-9]|[12]\d|3[01])|${year} ?[-\u2013] ?${year})(?!\d)`,
);

/**
 * Phone numbers that `libphonenumber-js` finds valid: international ones (`+44 …`, `0044 …`), and national ones of the default
 * country unless they are dates or stand behind a label such as "order".
 */
export const phoneFinder = (defaultCountry?: CountryCode): Finder =>
  defineFinder({
    regex: new RegExp(`(?:${international}${defaultCountry ? `|${national}` : ''})${endOfText}`, 'u'),
    lookbehind: labelChars,
    hint: new RegExp(digit),
    read: readNumber(defaultCountry),
  });

const readNumber =
  (defaultCountry: CountryCode | undefined): ReadMatch =>
  (text, { start, end }) => {
    const written = text.slice(start, end);
    const isInternational = /^\(?[+＋]|^00/.test(written);
    if (!isInternational && isSomethingElse(text, start, written)) return undefined;
    const ends = endsOf(written, text.slice(end, end + 3));
    for (const length of (isInternational ? ends : ends.slice(0, maxNationalGroups)).toReversed()) {
      const number = written.slice(0, length);
      if (isBalanced(number) && isValid(number, defaultCountry)) return start + length;
    }
    return undefined;
  };

/** Where the number may end: behind a group, and not right before a letter, unless that begins an extension. */
const endsOf = (written: string, after: string): number[] =>
  [...(written + after).matchAll(endOfGroup)].map(({ index }) => index).filter((index) => index <= written.length);
const endOfGroup = new RegExp(String.raw`(?<=${digit})(?!${lettersOrDigits})|(?<=${digit})(?=x\d)`, 'gu');

/** The library is given digits: it does not read the prefix 00, nor a parenthesis before the plus. */
const isValid = (number: string, defaultCountry: CountryCode | undefined): boolean => {
  const digits = number.replaceAll(noDigit, '');
  if (digits.length < minDigits) return false;
  const readable = /[+＋]/.test(number) ? `+${digits}` : digits.replace(/^00/, '+');
  return parsePhoneNumberFromString(readable, { defaultCountry, extract: false })?.isValid() ?? false;
};
const noDigit = new RegExp(`(?!${digit})[^]`, 'gu');

const isBalanced = (number: string): boolean => /^[^()（）]*(?:[(（][^()（）]*[)）][^()（）]*)*$/.test(number);

/** A list in brackets, rather than a number with one group in them. */
const manyBrackets = /[)）][^]*[(（]/;

const isSomethingElse = (text: string, start: number, written: string): boolean =>
  manyBrackets.test(written) || otherLabel.test(text.slice(Math.max(0, start - labelChars), start)) || date.test(written);
