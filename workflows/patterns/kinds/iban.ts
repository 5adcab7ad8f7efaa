import validator from 'validator';
import type { TextSpan } from '../text/text-span.js';
import type { PiiFinder } from './pii-finder.js';

const minChars = 15;
const maxChars = 34;

/** Country, check digits and what may follow; single spaces or dashes may stand between. Bounded, so linear. */
const candidate = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ \u00A0\u202F-]?[A-Za-z0-9]){11,30}/g;

/** IBANs, plain or in groups, of a country and with a checksum that `validator.isIBAN` accepts. */
export const findIbans: PiiFinder = (text) => {
  const spans: TextSpan[] = [];
  const pattern = new RegExp(candidate);
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const start = match.index;
    const end = endOfIban(text, start, match[0]);
    if (end !== undefined) spans.push({ start, end });
    pattern.lastIndex = end ?? start + 4;
  }
  return spans;
};

/** An IBAN ends where a word ends; words that follow it are tried off, the longest reading first. */
const endOfIban = (text: string, start: number, found: string): number | undefined => {
  for (let length = found.length; length >= minChars; length--) {
    const isBoundary = /[A-Za-z0-9]/.test(found[length - 1] ?? '') && !/[\p{L}\p{N}_]/u.test(text[start + length] ?? '');
    if (isBoundary && isIban(found.slice(0, length))) return start + length;
  }
  return undefined;
};

const isIban = (text: string): boolean => {
  const plain = text.replaceAll(/[^A-Za-z0-9]/g, '');
  return plain.length <= maxChars && validator.isIBAN(plain);
};
