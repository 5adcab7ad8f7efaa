/** A text as it is read: without what nobody sees, and with the signs that others stand for. */
export interface Reading {
  readonly text: string;
  /** Where each unit of it begins and ends in the text as it is written. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** So many units that nobody sees may stand between two signs of a value; more do part it. */
const maxUnseen = 16;
/** The most units that a sign is written in: `&#x0000040;`. */
const maxCode = 12;
/** The most units as written that one unit of a reading stands for. */
export const unitsPerSign = maxUnseen + maxCode;

const names: Readonly<Record<string, string>> = { commat: '@', period: '.', colon: ':', hyphen: '-', lowbar: '_', plus: '+' };
const code = String.raw`\\{1,4}u[0-9A-Fa-f]{4}|%[2-7][0-9A-Fa-f]|&#(?:\d{1,7}|[xX][0-9A-Fa-f]{1,7});|&(?:${Object.keys(names).join('|')});`;
/** Digits of any script and, of what Unicode calls compatible with others, the blocks that have forms of ASCII. */
const forms = String.raw`[[\p{Nd}\xA0\xAA\xB2\xB3\xB9\xBA\u02B0-\u02B8\u02E0-\u02E4\u1D2C-\u1D6A\u2000-\u200A\u2010-\u2015\u2024\u202F\u205F\u2070-\u209C\u2100-\u217F\u2212\u2460-\u24FF\u3000\uFE50-\uFE6F\uFF01-\uFF5E\u{1D400}-\u{1D7FF}\u{1F100}-\u{1F16F}\u{1FBF0}-\u{1FBF9}]--[0-9]]`;
const tokens = String.raw`(?<unseen>\p{Default_Ignorable_Code_Point})|${forms}|${code}`;
const firstToken = new RegExp(tokens, 'v');
const anyToken = new RegExp(tokens, 'gv');
const dash = /[\u2010-\u2015\u2212]/;
const digit = /\p{Nd}/u;

/** What a code begins with, and signs beyond ASCII: most texts have none, and are told by that. */
const mayDiffer = /[^\0-$'-[\]-\x7F]/g;
const mayDifferFrom = (text: string, from: number): boolean => {
  mayDiffer.lastIndex = from;
  return mayDiffer.test(text);
};
/** The beginning of a code at the end of a text. */
const openCode = /(?:\\{1,4}(?:u[0-9A-Fa-f]{0,3})?|%[2-7]?|&(?:#(?:\d{0,7}|[xX][0-9A-Fa-f]{0,7})|[a-z]{0,6}))$/;

/** Where a code begins that the text does not end; the text's length where there is none. */
export const openCodeOf = (text: string): number => {
  const tail = Math.max(0, text.length - maxCode);
  if (!mayDifferFrom(text, tail)) return text.length;
  const index = openCode.exec(text.slice(tail))?.index;
  return index === undefined ? text.length : tail + index;
};

/**
 * Reads a text from a place on: what nobody sees is left out; forms of compatibility (`４`, `𝐚`, `＠`), digits of any
 * script, dashes and spaces are read as the ASCII that they stand for, and so are codes (`\u0040`, `%40`, `&#64;`). Nothing where it
 * reads as it is written from the place `near` on.
 */
export const readingOf = (text: string, from: number, near: number): Reading | undefined => {
  if (!mayDifferFrom(text, near)) return undefined;
  const written = text.slice(from);
  return firstToken.test(written) ? readingIn(written, from) : undefined;
};

const readingIn = (written: string, base: number): Reading => {
  const reading = { text: '', starts: [] as number[], ends: [] as number[] };
  const addWritten = (from: number, to: number): void => {
    for (let unit = from; unit < to; unit += 1) addSign(written.charAt(unit), unit, unit + 1);
  };
  const addSign = (sign: string, start: number, end: number): void => {
    reading.text += sign;
    reading.starts.push(base + start);
    reading.ends.push(base + end);
  };
  let at = 0;
  /** How many units that nobody sees stand right before. */
  let unseen = 0;
  for (const { 0: token, index, groups } of written.matchAll(anyToken)) {
    addWritten(at, index);
    unseen = groups?.['unseen'] === undefined ? 0 : (index > at ? 0 : unseen) + token.length;
    at = index + token.length;
    const sign = unseen === 0 ? signOf(token) : undefined;
    if (sign !== undefined) addSign(sign, index, at);
    else if (unseen === 0 || unseen > maxUnseen) addWritten(index, at);
  }
  addWritten(at, written.length);
  return reading;
};

/** The sign of ASCII that a token stands for, if it does. */
const signOf = (token: string): string | undefined => {
  const name = /^&([a-z]+);/.exec(token)?.[1];
  if (name) return names[name];
  const number = /^(?:\\+u|%|&#[xX])([0-9A-Fa-f]+)/.exec(token)?.[1];
  const decimal = /^&#(\d+)/.exec(token)?.[1];
  if (number ?? decimal) return printable(String.fromCodePoint(number ? Number.parseInt(number, 16) : Number(decimal)));
  const form = token.normalize('NFKC');
  if (dash.test(form)) return '-';
  return printable(form) ?? (digit.test(form) ? valueOfDigit(form) : undefined);
};

const printable = (sign: string): string | undefined => (/^[ -~]$/.test(sign) ? sign : undefined);

/** Each script has its ten digits in a row, which begins where the code ends in 0 or in 6. */
const valueOfDigit = (sign: string): string => {
  const value = (sign.codePointAt(0) ?? 0) % 16;
  const isFromZero = digit.test(String.fromCodePoint((sign.codePointAt(0) ?? 0) - value));
  return String(isFromZero ? value : value - 6);
};
