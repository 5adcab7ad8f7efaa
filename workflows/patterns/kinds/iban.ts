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

const isIban = (written: string): boolean => {
  const plain = written.replaceAll(/[^A-Za-z0-9]/g, '');
  return plain.length >= minChars && plain.length <= maxChars && validator.isIBAN(plain);
};

/** IBANs, plain or in groups, of a country and with a checksum that `validator.isIBAN` accepts. */
export const ibanFinder = defineFinder({
  regex: /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ \u00A0\u202F-]?[A-Za-z0-9]){11,30}(?=[^]{0,2})/,
  read: readIban,
});
