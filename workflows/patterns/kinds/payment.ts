import type { TextSpan } from '../../../src/guard/pattern.js';
import { defineFinder, type ReadMatch } from '../define-finder.js';
import { ibanLocales, isCreditCard, isIBAN, hasCheckDigit } from '../validators.js';
import { lazyRegex } from '../../../src/phase/memo.js';
import { unspaced } from '../../text/characters.js';
import { asciiSet } from '../ascii-set.js';

/** Numbers of 13 digits were last issued decades ago, and every tenth German or Japanese bar code would pass for one. */
const minDigits = 14;
const maxDigits = 19;
/** Brands write groups of four to six digits; only the last group may be shorter. */
const minGroupDigits = 4;

/** The separators between the groups of one number: at most three spaces, dots, slashes or dashes of any kind, or line ends. */
const separator = String.raw`[ \t\r\n\u00A0\u2009\u202F._\/\u2010-\u2015\-]`;
/** A number may continue on the next line, but not on one after it: that is a table. */
const manyLines = /\n[^]*\n/;
/** Nor are the last number of a row and the first of the next one, which may be a date. */
const isRow = (text: string, start: number, end: number): boolean =>
  /\n/.test(text.slice(start, end)) &&
  (/^(?:[-/.]\d|[,;|\t])/.test(text.slice(end, end + 2)) || /[,;|\t]$/.test(text.slice(Math.max(0, start - 1), start)));

/** The brands whose rule in `validator` fixes the length. The rule for mastercard does not, so it is used only for 16 digits. */
const brandsOfFixedLength = ['amex', 'dinersclub', 'discover', 'jcb', 'unionpay', 'visa'] as const;

/** Brands that `validator` lacks: UATP, which airlines issue, and the Danish Dankort. */
const furtherBrands = /^(?:1\d{14}|5019\d{12})$/;

const letter = String.raw`[\p{L}--${unspaced}]`;
const wordChar = lazyRegex(String.raw`^[[\p{L}\p{N}_]--${unspaced}]`, 'v');

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

/**
 * Identifiers in a path, a number with decimals, or a long one without a label: of the brands with more than 16 digits, only UnionPay
 * issues many.
 */
const isNumber = (written: string, before: string): boolean =>
  /\d{7}\/|\/\d{7}/.test(written) ||
  (/^\d+(?:\.\d+|\d{16})$/.test(written) && !/^(?:62|81)\d+$/.test(written) && !/card[^\d\n]{0,4}$/i.test(before));

const readCard: ReadMatch = (text, match) =>
  endsOf(text, match).findLast(
    ({ digits, end }) =>
      isCard(digits) &&
      !isNumber(text.slice(match.start, end), text.slice(Math.max(0, match.start - 8), match.start)) &&
      !manyLines.test(text.slice(match.start, end)) &&
      !isRow(text, match.start, end),
  )?.end;

/** Card numbers, plain or in groups, of a brand in `validator.isCreditCard`, or of UATP or Dankort, with a correct check digit. */
export const cardFinder = defineFinder(() => ({
  regex: new RegExp(
    String.raw`(?<![[\p{N}_]--${unspaced}])(?<!(?<!${letter}{2})${letter})(?<!\d[.\/]|\d{5}-|\d{4}-\d{4}-)\d(?:${separator}{0,3}\d){${minDigits - 1},${maxDigits - 1}}(?=[^]{0,2})`,
    'v',
  ),
  lookbehind: 10,
  read: readCard,
}));

/** Every brand's numbers have a check digit, which rules out most runs of digits. */
const isCard = (digits: string): boolean => {
  if (!hasCheckDigit(digits)) return false;
  if (furtherBrands.test(digits)) return true;
  if (digits.length === 16) return isCreditCard(digits);
  return brandsOfFixedLength.some((provider) => isCreditCard(digits, { provider }));
};

/** The length of IBANs by country and territory, from the SWIFT registry. */
const lengths: ReadonlyMap<string, number> = new Map(
  [
    '15 NO',
    '16 BE',
    '18 AX DK FI FK FO GL NL SD',
    '19 MK SI',
    '20 AT BA EE KZ LT LU MN XK',
    '21 CH HR LI LV',
    '22 BG BH CR DE GB GE GG IE IM JE ME RS VA',
    '23 AE GI IL IQ OM SO TL',
    '24 AD CZ ES MD PK RO SA SE SK TN VG',
    '25 LY MZ PT ST',
    '26 DZ IR IS TR',
    '27 BI BL DJ FR GF GP GR IT MC MF MQ MR NC PF PM RE SM TF WF YT',
    '28 AL AZ BY CY DO GT HN HU LB MA NI PL SV',
    '29 BR EG PS QA UA',
    '30 JO KW MU YE',
    '31 MT SC',
    '32 LC',
    '33 RU',
  ].flatMap((row) => {
    const [length, ...countries] = row.split(' ');
    return countries.map((country) => [country, Number(length)] as const);
  }),
);
/** Countries whose accounts the library checks. Its form for Belarus accepts only digits, while the registry allows letters. */
const known: ReadonlySet<string> = new Set(ibanLocales.filter((country) => country !== 'BY'));

const alphanumeric = asciiSet((character) => /[A-Za-z0-9]/.test(character));
const isAlphanumeric = (code: number): boolean => alphanumeric[code] === 1;
const wordStart = lazyRegex(String.raw`^[[\p{L}\p{N}]--${unspaced}]`, 'v');
const isEndOfWord = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code < 0x80 ? code !== 0x5f && !isAlphanumeric(code) : !wordStart().test(text.slice(at, at + 2));
};

/** An IBAN has the length of its country, and ends at the end of a word; the text after it is not read. */
const readIban: ReadMatch = (text, { start, end }) => {
  let left = lengths.get(text.slice(start, start + 2).toUpperCase());
  if (left === undefined) return undefined;
  let at = start;
  for (; at < end && left > 0; at += 1) if (isAlphanumeric(text.charCodeAt(at))) left -= 1;
  if (left > 0 || !isEndOfWord(text, at)) return undefined;
  const plain = text
    .slice(start, at)
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .toUpperCase();
  return isIban(plain) ? at : undefined;
};

const isIban = (plain: string): boolean =>
  !/^..(?:0[01]|99)/.test(plain) && // check digits are 02 to 98
  hasChecksum(plain) &&
  (!known.has(plain.slice(0, 2)) || isIBAN(plain));

/** ISO 7064, modulo 97: letters count as two digits, the first four characters come last. */
const hasChecksum = (plain: string): boolean => {
  let rest = 0;
  for (let index = 0; index < plain.length; index += 1) {
    const code = plain.charCodeAt((index + 4) % plain.length);
    rest = (code > 0x39 ? rest * 100 + code - 0x37 : rest * 10 + code - 0x30) % 97; // A counts as 10
  }
  return rest === 1;
};

/** IBANs, plain or in groups, of a country in the SWIFT registry, with a correct checksum. */
export const ibanFinder = defineFinder(() => ({
  regex: /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ \t\r\n\u00A0\u202F-]{0,2}[A-Za-z0-9]){11,30}(?=[^]{0,2})/,
  read: readIban,
}));
