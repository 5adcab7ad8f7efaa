import { asciiSet } from '../ascii-set.js';
import { defineFinder } from '../define-finder.js';
import type { ReadMatch } from '../finder.js';
import { ibanLocales, isIBAN } from '../validators.js';

const minChars = 15;
const maxChars = 34;

const alphanumeric = asciiSet((character) => /[A-Za-z0-9]/.test(character));
const isAlphanumeric = (code: number): boolean => alphanumeric[code] === 1;
const isEndOfWord = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code < 0x80 ? code !== 0x5f && !isAlphanumeric(code) : !/^[\p{L}\p{N}]/u.test(text.slice(at, at + 2));
};

/** An IBAN ends where a word ends; words that follow it are tried off, the longest reading first. */
const readIban: ReadMatch = (text, { start, end }) => {
  const country = text.slice(start, start + 2).toUpperCase();
  if (!countries.has(country)) return undefined;
  const plain = text
    .slice(start, end)
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .toUpperCase();
  let chars = plain.length;
  for (let at = end; chars >= minChars; at -= 1) {
    if (!isAlphanumeric(text.charCodeAt(at - 1))) continue;
    if (isEndOfWord(text, at) && isIban(plain.slice(0, chars))) return at;
    chars -= 1;
  }
  return undefined;
};

/** Lengths in countries and territories of the registry that `validator` does not know. */
const lengthsBeyondValidator: Partial<Record<string, number>> = Object.fromEntries(
  [
    [18, 'AX FK SD'],
    [20, 'MN'],
    [22, 'GG IM JE'],
    [23, 'OM SO'],
    [25, 'LY ST'],
    [27, 'BI BL DJ GF GP MF MQ NC PF PM RE TF WF YT'],
    [28, 'BY HN NI'],
    [30, 'YE'],
    [33, 'RU'],
  ].flatMap(([length, countries]) =>
    String(countries)
      .split(' ')
      .map((country) => [country, Number(length)]),
  ),
);

const countries: ReadonlySet<string> = new Set([...ibanLocales, ...Object.keys(lengthsBeyondValidator)]);

const isIban = (plain: string): boolean => {
  if (plain.length > maxChars || /^..(?:0[01]|99)/.test(plain)) return false; // check digits run from 02 to 98
  return hasChecksum(plain) && (lengthsBeyondValidator[plain.slice(0, 2)] === plain.length || isIBAN(plain));
};

/** ISO 7064, modulo 97: letters count as two digits, the first four characters come last. */
const hasChecksum = (plain: string): boolean => {
  let rest = 0;
  for (let index = 0; index < plain.length; index += 1) {
    const code = plain.charCodeAt((index + 4) % plain.length);
    rest = (code > 0x39 ? rest * 100 + code - 0x37 : rest * 10 + code - 0x30) % 97; // A counts as 10
  }
  return rest === 1;
};

/** IBANs, plain or in groups, of a country in the SWIFT registry and with a right checksum. */
export const ibanFinder = defineFinder({
  regex: /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ \u00A0\u202F-]?[A-Za-z0-9]){11,30}(?=[^]{0,2})/,
  hint: /\d/,
  read: readIban,
});
