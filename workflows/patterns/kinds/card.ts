import validator from 'validator';
import { defineFinder } from '../define-finder.js';
import type { ReadMatch } from '../finder.js';

/** Numbers of 13 digits were last issued decades ago, while every tenth German or Japanese bar code would pass for one. */
const minDigits = 14;
const maxDigits = 19;
/** Brands write groups of four to six; only the last group may be shorter. */
const minGroupDigits = 4;

/** What people write between the groups of one number: at most three spaces, dots or dashes of any kind. */
const separator = String.raw`[ \t\u00A0\u2009\u202F.\u2010-\u2015-]`;

/** The brands whose rule in `validator` fixes the length; the rule for mastercard does not, and is asked at 16 digits only. */
const brandsOfFixedLength = ['amex', 'dinersclub', 'discover', 'jcb', 'unionpay', 'visa'] as const;

/** Brands that `validator` does not know: UATP, which airlines issue, and the Danish Dankort. */
const furtherBrands = /^(?:1\d{14}|5019\d{12})$/;

/** Where a number ends: behind a digit, and not inside a longer word or hash. */
const endOfNumber = /(?<=\d)(?![\p{L}\p{N}_])/gu;

const readCard: ReadMatch = (text, { start, end }) => {
  const ends = [...text.slice(start, end + 2).matchAll(endOfNumber)]
    .map(({ index }) => index)
    .filter((index) => index <= end - start);
  for (const length of ends.toReversed()) if (isCard(text.slice(start, start + length))) return start + length;
  return undefined;
};

/** Card numbers, plain or in groups, of a brand that `validator.isCreditCard` knows, or of UATP or Dankort, and with a right check digit. */
export const cardFinder = defineFinder({
  regex: new RegExp(
    String.raw`(?<![\p{L}\p{N}_])(?<!\d[.,])\d(?:${separator}{0,3}\d){${minDigits - 1},${maxDigits - 1}}(?=[^]{0,2})`,
    'u',
  ),
  hint: /\d/,
  read: readCard,
});

const isCard = (written: string): boolean => {
  const groups = written.match(/\d+/g) ?? [];
  if (groups.slice(0, -1).some((group) => group.length < minGroupDigits)) return false;
  const digits = groups.join('');
  if (digits.length < minDigits) return false;
  if (furtherBrands.test(digits)) return validator.isLuhnNumber(digits);
  if (digits.length === 16) return validator.isCreditCard(digits);
  return brandsOfFixedLength.some((provider) => validator.isCreditCard(digits, { provider }));
};
