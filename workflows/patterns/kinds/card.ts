import type { TextSpan } from '../../../src/guard/pattern.js';
import { defineFinder } from '../define-finder.js';
import type { ReadMatch } from '../finder.js';
import { isCreditCard } from '../validators.js';

/** Numbers of 13 digits were last issued decades ago, while every tenth German or Japanese bar code would pass for one. */
const minDigits = 14;
const maxDigits = 19;
/** Brands write groups of four to six; only the last group may be shorter. */
const minGroupDigits = 4;

/** What people write between the groups of one number: at most three spaces, dots, slashes or dashes of any kind, or a line's end. */
const separator = String.raw`[ \t\r\n\u00A0\u2009\u202F._/\u2010-\u2015-]`;
/** A number goes on in the next line, and not in one after it: those are a table. */
const manyLines = /\n[^]*\n/;

/** The brands whose rule in `validator` fixes the length; the rule for mastercard does not, and is asked at 16 digits only. */
const brandsOfFixedLength = ['amex', 'dinersclub', 'discover', 'jcb', 'unionpay', 'visa'] as const;

/** Brands that `validator` does not know: UATP, which airlines issue, and the Danish Dankort. */
const furtherBrands = /^(?:1\d{14}|5019\d{12})$/;

const wordChar = /^[\p{L}\p{N}_]/u;

/** Where groups of a number end, at which it may, and its digits up to there. */
const endsOf = (text: string, { start, end }: TextSpan): { end: number; digits: string }[] => {
  const ends: { end: number; digits: string }[] = [];
  let [digits, group] = ['', 0];
  for (let at = start; at < end; at += 1) {
    const isDigit = isAsciiDigit(text.charCodeAt(at));
    if (isDigit) {
      digits += text.charAt(at);
      group += 1;
      const isLast = !isAsciiDigit(text.charCodeAt(at + 1));
      if (isLast && digits.length >= minDigits && !wordChar.test(text.slice(at + 1, at + 3))) ends.push({ end: at + 1, digits });
    } else {
      if (group > 0 && group < minGroupDigits) break;
      group = 0;
    }
  }
  return ends;
};

const isAsciiDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

const readCard: ReadMatch = (text, match) =>
  endsOf(text, match).findLast(({ digits, end }) => isCard(digits) && !manyLines.test(text.slice(match.start, end)))?.end;

/** Card numbers, plain or in groups, of a brand that `validator.isCreditCard` knows, or of UATP or Dankort, and with a right check digit. */
export const cardFinder = defineFinder({
  regex: new RegExp(
    String.raw`(?<![\p{N}_])(?<!(?<!\p{L}\p{L})\p{L})(?<!\d[.,/])\d(?:${separator}{0,3}\d){${minDigits - 1},${maxDigits - 1}}(?=[^]{0,2})`,
    'u',
  ),
  hint: /\d{4}/,
  beginning: /\d{4}/,
  read: readCard,
});

/** Every brand's numbers have a check digit, which most rows of digits have not. */
const isCard = (digits: string): boolean => {
  if (!hasCheckDigit(digits)) return false;
  if (furtherBrands.test(digits)) return true;
  if (digits.length === 16) return isCreditCard(digits);
  return brandsOfFixedLength.some((provider) => isCreditCard(digits, { provider }));
};

/** By Luhn: every second digit counts double, from the last but one on; of those above nine the digits are added. */
const hasCheckDigit = (digits: string): boolean => {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const value = (digits.charCodeAt(index) - 0x30) * ((digits.length - index) % 2 === 0 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
};
