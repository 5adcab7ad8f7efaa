import validator from 'validator';
import { defineFinder } from '../define-finder.js';
import type { ReadMatch } from '../finder.js';

const minChars = 15;
const maxChars = 34;

/** An IBAN ends where a word ends; words that follow it are tried off, the longest reading first. */
const readIban: ReadMatch = (text, { start, end }) => {
  for (let at = end; at - start >= minChars; at--) {
    const isBoundary = /[A-Za-z0-9]/.test(text[at - 1] ?? '') && !/^[\p{L}\p{N}_]/u.test(text.slice(at, at + 2));
    if (isBoundary && isIban(text.slice(start, at))) return at;
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

const isIban = (written: string): boolean => {
  const plain = written.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase();
  if (plain.length < minChars || plain.length > maxChars) return false;
  if (/^..(?:0[01]|99)/.test(plain)) return false; // check digits run from 02 to 98
  return validator.isIBAN(plain) || (lengthsBeyondValidator[plain.slice(0, 2)] === plain.length && hasChecksum(plain));
};

/** ISO 7064, modulo 97: letters count as two digits, the first four characters come last. */
const hasChecksum = (plain: string): boolean => {
  const digits = Array.from(plain.slice(4) + plain.slice(0, 4), (each) => Number.parseInt(each, 36)).join('');
  return BigInt(digits) % 97n === 1n;
};

/** IBANs, plain or in groups, of a country in the SWIFT registry and with a right checksum. */
export const ibanFinder = defineFinder({
  regex: /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ \u00A0\u202F-]?[A-Za-z0-9]){11,30}(?=[^]{0,2})/,
  hint: /\d/,
  read: readIban,
});
