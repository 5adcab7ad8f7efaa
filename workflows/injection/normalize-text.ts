import type { Steps } from '../../src/guard/in-steps.js';
import { decodeCodes } from '../patterns/reading.js';
import { textOfBytes } from '../text/characters.js';
import { flagBase, flagTags, tag } from '../unicode/unicode-finders.js';
import { foldLookalikes } from '../unicode/fold-lookalikes.js';
import { lazyRegex } from '../../src/phase/memo.js';

/** A text as a model reads it, and its content that a person would not see. */
export interface NormalizedText {
  /** The text in normalized notation, with line ends kept. */
  text: string;
  /** Text that was written in invisible characters. */
  hidden: string;
  /** The number of invisible characters between Latin letters, where no language needs one. */
  invisibles: number;
}

const flag = new RegExp(`${flagBase}${flagTags}`, 'gu');
const tags = new RegExp(`${tag}+`, 'gu');
/** One selector after an emoji is normal; a sequence of them encodes bytes. */
const selectorRows = /[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]{4,}/gu;
const invisible = /[\u034F\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]+/g;
const invisibleInWord = /(?<=[A-Za-z])[\u200B-\u200D\u2060-\u2064\uFEFF]+(?=[A-Za-z])/g;

/**
 * Normalizes a text: reads codes (`%20`, `&#32;`, `\u0020`), folds compatibility forms (NFKC) and accents of Latin letters, removes and decodes invisible and tag
 * characters, replaces look-alike letters inside Latin words, and collapses white space.
 */
export const normalizeText = (written: string): NormalizedText => {
  const raw = decodeCodes(written);
  if (!/[^\0-\x7F]/.test(raw)) return { text: collapse(raw.replaceAll('`', "'")), hidden: '', invisibles: 0 };
  const withoutFlags = raw.replaceAll(flag, '\u{1F3F4}');
  const hidden = [...readTags(withoutFlags), ...readSelectors(withoutFlags)].join('\n');
  const text = collapse(foldLookalikes(fold(withoutFlags.replaceAll(tags, '').replaceAll(selectorRows, ''))));
  return { text, hidden, invisibles: withoutFlags.match(invisibleInWord)?.join('').length ?? 0 };
};

/** The approximate length of the pieces of a text, in UTF-16 units. */
const pieceChars = 8192;
/** A position at which a text can be split without a change of its reading: at a blank between two words. */
const border = /[A-Za-z0-9,] (?=[A-Za-z0-9])/g;

/** As {@link normalizeText}, for texts of any length. */
export function* normalizing(raw: string): Steps<NormalizedText> {
  const pieces: NormalizedText[] = [];
  for (let at = 0; at < raw.length;) {
    const end = endOfPiece(raw, at);
    const piece = normalizeText(raw.slice(at, end));
    const isParted = end < raw.length && raw.charAt(end - 1) === ' ';
    pieces.push(isParted ? { ...piece, text: `${piece.text} ` } : piece);
    yield end - at;
    at = end;
  }
  const [first] = pieces;
  if (pieces.length === 1 && first) return first;
  return {
    text: pieces.map(({ text }) => text).join(''),
    hidden: pieces.flatMap(({ hidden }) => (hidden ? [hidden] : [])).join('\n'),
    invisibles: pieces.reduce((sum, { invisibles }) => sum + invisibles, 0),
  };
}

const endOfPiece = (raw: string, from: number): number => {
  if (raw.length - from <= 2 * pieceChars) return raw.length;
  border.lastIndex = from + pieceChars;
  const found = border.exec(raw.slice(0, from + 2 * pieceChars));
  return found ? found.index + 2 : from + 2 * pieceChars;
};

const readTags = (text: string): string[] =>
  [...text.matchAll(tags)].map(([row]) =>
    Array.from(row, (each) => String.fromCodePoint((each.codePointAt(0) ?? 0) & 0x7f)).join(''),
  );

const readSelectors = (text: string): string[] =>
  [...text.matchAll(selectorRows)].map(([row]) => textOfBytes(Array.from(row, byteOfSelector)));

const byteOfSelector = (selector: string): number => {
  const code = selector.codePointAt(0) ?? 0;
  return code >= 0xe0100 ? code - 0xe0100 + 16 : code - 0xfe00;
};

const fold = (text: string): string =>
  text
    .replaceAll(invisible, '')
    .normalize('NFKD')
    .replaceAll(/(?<=[A-Za-z])[\u0300-\u036F]+/g, '')
    .normalize('NFC')
    .replaceAll('ı', 'i')
    .replaceAll('ɡ', 'g')
    .replaceAll(/[‘’ʼ`´]/g, "'")
    .replaceAll(/[“”„«»]/g, '"');

/** One blank for each run of white space, and one line end for a run that contains some. */
const collapse = (text: string): string =>
  text
    .replaceAll(/[^\S\n ][^\S\n]*| [^\S\n]+/g, ' ')
    .replaceAll(/ \n[\n ]*|\n[\n ]+/g, '\n')
    .trim();

const digitLetters: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** The letter that an ASCII sign represents if digits replace letters; empty if it is none. */
export const letterOf = (sign: string): string => (/[a-z]/.test(sign) ? sign : (digitLetters[sign] ?? ''));

const otherThanLetters = lazyRegex(String.raw`[^\p{L}]+`, 'gu');
/** Only the letters of a text, in lower case, with digits read as the letters that they replace: spacing tricks do not help. */
export const lettersOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[013457@$!]/g, (each) => digitLetters[each] ?? '')
    .replaceAll(otherThanLetters(), '');
