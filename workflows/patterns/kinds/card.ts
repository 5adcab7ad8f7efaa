import type { TextSpan } from '../../../src/guard/pattern.js';
import { defineFinder } from '../define-finder.js';
import type { ReadMatch } from '../finder.js';
import { isCreditCard } from '../validators.js';
import { lazyRegex } from '../../../src/phase/lazy-regex.js';

/** Numbers of 13 digits were last issued decades ago, and every tenth German or Japanese bar code would pass for one. */
const minDigits = 14;
const maxDigits = 19;
/** Brands write groups of four to six digits; only the last group may be shorter. */
const minGroupDigits = 4;

/** The separators between the groups of one number: at most three spaces, dots, slashes or dashes of any kind, or line ends. */
const separator = String.raw`[ \t\r\n\u00A0\u2009\u202F._/\u2010-\u2015-]`;
/** A number may continue on the next line, but not on one after it: that is a table. */
const manyLines = /\n[^]*\n/;

/** The brands whose rule in `validator` fixes the length. The rule for mastercard does not, so it is used only for 16 digits. */
const brandsOfFixedLength = ['amex', 'dinersclub', 'discover', 'jcb', 'unionpay', 'visa'] as const;

/** Brands that `validator` lacks: UATP, which airlines issue, and the Danish Dankort. */
const furtherBrands = /^(?:1\d{14}|5019\d{12})$/;

const wordChar = lazyRegex(String.raw`^[\p{L}\p{N}_]`);

/** The ends of groups at which a number may end, with its digits up to there. */
const endsOf = (text: string, { start, end }: TextSpan): { end: number; digits: string }[] => {
  const ends: { end: number; digits: string }[] = [];
  let [digits, group] = ['', 0];
  for (let at = start; at < end; at += 1) {
    const isDigit = isAsciiDigit(text.charCodeAt(at));
    if (isDigit) {
      digits += text.charAt(at);
      group += 1;
      const isLast = !isAsciiDigit(text.charCodeAt(at + 1));
      if (isLast && digits.length >= minDigits && !wordChar().test(text.slice(at + 1, at + 3)))
        ends.push({ end: at + 1, digits });
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

/** Card numbers, plain or in groups, of a brand in `validator.isCreditCard`, or of UATP or Dankort, with a correct check digit. */
export const cardFinder = defineFinder(() => ({
  regex: new RegExp(
    String.raw`(?<![\p{N}_])(?<!(?<!\p{L}\p{L})\p{L})(?<!\d[.,/])\d(?:${separator}{0,3}\d){${minDigits - 1},${maxDigits - 1}}(?=[^]{0,2})`,
    'u',
  ),
  hint: /\d{4}/,
  beginning: /\d{4}/,
  read: readCard,
}));

/** Every brand's numbers have a check digit, which rules out most runs of digits. */
const isCard = (digits: string): boolean => {
  if (!hasCheckDigit(digits)) return false;
  if (furtherBrands.test(digits)) return true;
  if (digits.length === 16) return isCreditCard(digits);
  return brandsOfFixedLength.some((provider) => isCreditCard(digits, { provider }));
};

/** Luhn's check: every second digit counts double, starting with the second to last; the digits of sums above nine are added. */
const hasCheckDigit = (digits: string): boolean => {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const value = (digits.charCodeAt(index) - 0x30) * ((digits.length - index) % 2 === 0 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
};
