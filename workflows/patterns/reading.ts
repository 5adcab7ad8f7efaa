import { isHighSurrogate } from './ascii-set.js';
import { once, lazyRegex } from '../../src/phase/memo.js';

/** A normalized text, with the position of each part in the original. */
export interface Reading {
  readonly text: string;
  readonly length: number;
  /** Whether the reading differs from the original between two places of the original. */
  differs(from: number, to: number): boolean;
  /** The first unit of the reading that represents `place` or later text. */
  unitAt(place: number): number;
  /** The start and end of a reading's unit in the original. */
  startOf(unit: number): number;
  endOf(unit: number): number;
}

/** A reading that is computed on demand. */
export interface Reader {
  readonly reading: Reading;
  /** Reads on until the reading has `units` units after an original place, or the text ends. */
  readUntil(place: number, units: number): void;
}

/** The maximum number of invisible units between two characters of a value; a longer run separates them. */
const maxUnseen = 16;
/** The maximum number of units for one encoded character: `&#x0000040;`. */
const maxCode = 12;
/** The maximum number of original units per unit of a reading. */
export const unitsPerSign = maxUnseen + maxCode;

const names: Readonly<Record<string, string>> = {
  commat: '@',
  period: '.',
  colon: ':',
  hyphen: '-',
  lowbar: '_',
  plus: '+',
  sol: '/',
  bsol: '\\',
  quest: '?',
  equals: '=',
  quot: '"',
  apos: "'",
  lpar: '(',
  rpar: ')',
  Tab: '\t',
  NewLine: '\n',
};
const code = String.raw`\\{1,4}(?:u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]{1,5}\}|x[0-9A-Fa-f]{2}|[nrt])|\\[!-\/:-@\[\]-\x60\{-~]|%[2-7][0-9A-Fa-f]|&#(?:\d{1,7}|[xX][0-9A-Fa-f]{1,7});?|&(?:${Object.keys(names).join('|')});`;
/** Also controls other than white space, blank braille, keycaps, and lines through and under letters. */
const unseen = String.raw`[\p{Default_Ignorable_Code_Point}\0-\x08\x0E-\x1F\x7F\u0332-\u0338\u20E3\u2800]`;
/** Terminal color codes. */
const color = String.raw`\x1B\[[\d;]{0,8}m`;
/** Digits of any script and, of Unicode's compatibility characters, the blocks with forms of ASCII. */
const forms = String.raw`[[\p{Nd}\xA0\xAA\xB2\xB3\xB9\xBA\u02B0-\u02B8\u02E0-\u02E4\u1D2C-\u1D6A\u2000-\u200A\u2010-\u2015\u2024\u202F\u205F\u2070-\u209C\u2100-\u217F\u2212\u2460-\u24FF\u3000\uFE50-\uFE6F\uFF01-\uFF5E\u{1D400}-\u{1D7FF}\u{1F100}-\u{1F16F}\u{1FBF0}-\u{1FBF9}]--[0-9]]`;
/** A run of characters with another reading, or one code. */
const tokenForms = once(() => new RegExp(`${color}|(?:(?!${color})${unseen}|${forms}){1,512}|${code}`, 'gv'));
const unseenForm = once(() => new RegExp(unseen, 'v'));
const codeStart = /^[\\%&]/;
const dash = /[\u2010-\u2015\u2212]/;
const digit = lazyRegex(String.raw`\p{Nd}`);

/** Characters that start a code or are outside ASCII: most texts have none, and need no reading. */
const mayDiffer = /[^\t-\r -$'-[\]-~]/g;
/** The first place, from `from` on, of a character that may have another reading; the text's length if there is none. */
export const differingFrom = (text: string, from: number): number => {
  mayDiffer.lastIndex = from;
  return mayDiffer.exec(text)?.index ?? text.length;
};
/** The beginning of a code at the end of a text. */
const openCode = new RegExp(
  String.raw`(?:\x1B(?:\[[\d;]{0,8})?|\\{1,4}(?:u(?:[0-9A-Fa-f]{0,3}|\{[0-9A-Fa-f]{0,5})|x[0-9A-Fa-f]?)?|%[2-7]?|&(?:#(?:\d{0,7}|[xX][0-9A-Fa-f]{0,7})|[A-Za-z]{0,7}))$`,
); // from a string: a control character in an expression is most often a mistake

/** The start of an unfinished code at the end of the text; the text's length if there is none. */
export const openCodeOf = (text: string): number => {
  const tail = Math.max(0, text.length - maxCode);
  if (differingFrom(text, tail) === text.length) return text.length;
  const index = openCode.exec(text.slice(tail))?.index;
  return index === undefined ? text.length : tail + index;
};

/** The length of text per step. */
const stepChars = 4096;

/**
 * Normalizes a text from a position on: invisible characters are removed; compatibility forms (`４`, `𝐚`, `＠`), digits of any
 * script, dashes and spaces become ASCII, and so do codes (`\u0040`, `%40`, `&#64;`, `\n`).
 */
export const createReader = (text: string, from: number): Reader => {
  const pieces = createPieces(from);
  let place = from;
  /** The number of invisible units directly before the position. */
  let unseenUnits = 0;
  const write = (to: number): void => {
    if (to > place) unseenUnits = 0;
    pieces.add(text.slice(place, to), place);
    place = to;
  };
  const readCharacter = (character: string): void => {
    const sign = signOfCharacter(character);
    unseenUnits = sign === '' ? unseenUnits + character.length : 0;
    if (sign && sign !== character) pieces.differ(place);
    if (sign === '' && unseenUnits <= maxUnseen) pieces.differ(place);
    else pieces.add(sign || character, place, sign ? character.length : undefined);
    place += character.length;
  };
  const readColor = (token: string): void => {
    unseenUnits += token.length;
    if (unseenUnits > maxUnseen) pieces.add(token, place);
    else pieces.differ(place);
    place += token.length;
  };
  const readToken = (token: string): void => {
    if (token.startsWith('\x1B[')) return readColor(token);
    if (!codeStart.test(token)) return Array.from(token).forEach(readCharacter);
    const sign = signOfCode(token);
    unseenUnits = 0;
    if (sign === undefined) return write(place + token.length);
    pieces.differ(place);
    pieces.add(sign, place, token.length);
    place += token.length;
  };
  const step = (): void => {
    const most = Math.min(text.length, place + stepChars);
    const end = isHighSurrogate(text.charCodeAt(most - 1)) ? Math.min(text.length, most + 1) : most;
    const scope = text.slice(0, Math.min(text.length, end + maxCode));
    for (let next = differingFrom(scope, place); next < end && place < end; next = differingFrom(scope, place)) {
      const tokenForm = tokenForms();
      tokenForm.lastIndex = next;
      const token = tokenForm.exec(scope);
      if (!token || token.index >= end) break;
      write(token.index);
      readToken(token[0]);
    }
    if (place < end) write(end);
  };
  return {
    reading: pieces,
    readUntil: (until, units) => {
      while (place < text.length && (place < until || pieces.length - pieces.unitAt(until) < units)) step();
    },
  };
};

/** The pieces of a reading: in each, one unit represents one unit, or its only unit represents the whole original. */
const createPieces = (base: number) => {
  const units: number[] = [];
  const starts: number[] = [];
  /** The original ends of pieces with one unit for several original ones. */
  const ends = new Map<number, number>();
  const differing: number[] = [];
  let [text, fresh, length, last] = ['', '', 0, base - 1];
  const startIn = (piece: number, unit: number): number => (starts[piece] ?? base) + unit - (units[piece] ?? 0);
  const pieceOf = (unit: number): number => lastUpTo(units, unit);
  const startOf = (unit: number): number => startIn(pieceOf(unit), unit);
  const endOf = (unit: number): number => ends.get(pieceOf(unit)) ?? startOf(unit) + 1;
  return {
    get text() {
      if (fresh !== '') [text, fresh] = [text + fresh, ''];
      return text;
    },
    get length() {
      return length;
    },
    /** Adds the reading of a place; `written` is the original length if one unit represents several. */
    add: (read: string, place: number, written = read.length): void => {
      if (read === '') return;
      if (place !== last || written !== read.length) {
        units.push(length);
        starts.push(place);
        if (written !== read.length) ends.set(units.length - 1, place + written);
      }
      fresh += read;
      length += read.length;
      last = written === read.length ? place + read.length : -1; // the next piece is another one
    },
    differ: (place: number): void => void differing.push(place),
    differs: (from: number, to: number): boolean => (differing[lastUpTo(differing, from - 1) + 1] ?? to) < to,
    startOf,
    endOf,
    unitAt: (place: number): number => {
      const piece = lastUpTo(starts, place);
      if (piece < 0) return 0;
      const unit = (units[piece] ?? 0) + place - (starts[piece] ?? 0);
      const next = units[piece + 1] ?? length;
      return ends.has(piece) ? (units[piece] ?? 0) + (place > (starts[piece] ?? 0) ? 1 : 0) : Math.min(unit, next);
    },
  };
};

/** The index of the last number that is at most `most`; -1 if there is none. The numbers ascend. */
const lastUpTo = (numbers: readonly number[], most: number): number => firstIndex(numbers, (number) => number > most) - 1;

/** The index of the first item from which on `holds` is true; the number of items if it never is. */
export const firstIndex = <T>(items: readonly T[], holds: (item: T) => boolean): number => {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(items[middle] as T)) high = middle; // between the first and the last
    else low = middle + 1;
  }
  return low;
};

const knownSigns = new Map<string, string | undefined>();
/** The ASCII form of a character: empty if it is invisible, undefined if it stays. The set of forms is fixed by Unicode. */
const signOfCharacter = (character: string): string | undefined => {
  if (!knownSigns.has(character)) knownSigns.set(character, unseenForm().test(character) ? '' : signOfForm(character));
  return knownSigns.get(character);
};

const signOfForm = (character: string): string | undefined => {
  const form = character.normalize('NFKC');
  if (dash.test(form)) return '-';
  return printable(form) ?? (digit().test(form) ? valueOfDigit(form) : undefined);
};

const codes = once(() => new RegExp(code, 'g'));
/** A text with the characters of its codes. */
export const decodeCodes = (text: string): string =>
  /[%&\\]/.test(text) ? text.replaceAll(codes(), (token) => signOfCode(token) ?? token) : text;

/** The ASCII character of a code, if it has one. */
const signOfCode = (token: string): string | undefined => {
  const name = /^&([A-Za-z]+);/.exec(token)?.[1];
  if (name) return names[name];
  if (/^\\[^nrtux\\]$/.test(token)) return token.charAt(1);
  if (/^\\+[nrt]$/.test(token)) return '\n'; // a line end or a tab
  const number = /^(?:\\+[ux]\{?|%|&#[xX])([0-9A-Fa-f]+)/.exec(token)?.[1];
  const decimal = /^&#(\d+)/.exec(token)?.[1];
  return printable(String.fromCodePoint(Math.min(0x10ffff, number ? Number.parseInt(number, 16) : Number(decimal))));
};

const printable = (sign: string): string | undefined => (/^[ -~]$/.test(sign) ? sign : undefined);

/** Each script has its ten digits in a row, from a code that ends in 0 or 6. */
const valueOfDigit = (sign: string): string => {
  const value = (sign.codePointAt(0) ?? 0) % 16;
  const isFromZero = digit().test(String.fromCodePoint((sign.codePointAt(0) ?? 0) - value));
  return String(isFromZero ? value : value - 6);
};
