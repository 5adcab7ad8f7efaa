import { asciiSet } from '../ascii-set.js';
import { defineFinder } from '../define-finder.js';
import type { ReadMatch } from '../finder.js';
import { ibanLocales, isIBAN } from '../validators.js';
import { lazyRegex } from '../../../src/phase/lazy-regex.js';

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
const wordStart = lazyRegex(String.raw`^[\p{L}\p{N}]`);
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
  hint: /\d/,
  read: readIban,
}));
