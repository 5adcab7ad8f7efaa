import { isRecord } from '../phase/plain-data.js';
import { spansBetween } from './spans.js';
import { isNameField, lostWords, withoutWords, wordsOf } from './words.js';

/** `[EMAIL]`, `<PHONE_1>`, `{SECRET:a4}`: a name in capitals and brackets. */
const placeholder = /(\[[A-Z][A-Z\d_:.#-]*\]|<[A-Z][A-Z\d_:.#-]*>|\{[A-Z][A-Z\d_:.#-]*\})/;

/**
 * Whether a placeholder says a new word: it came for words that did not hold it. Another branch may have taken out the same word elsewhere. What
 * came for nothing may quote.
 */
const isNew = (stretch: string, piece: string): boolean => {
  const before = new Set(wordsOf(stretch));
  return before.size > 0 && !wordsOf(piece).some((word) => before.has(word));
};

/** A text without some words, given folded, but for those of some placeholders. */
const withoutWordsBut = (text: string, words: ReadonlySet<string>, isKept: (piece: string) => boolean): string =>
  text
    .split(placeholder)
    .map((piece, index) => (index % 2 === 1 && isKept(piece) ? piece : withoutWords(piece, words)))
    .join('');

/** What came for a stretch of the base, without the words that some branch took out of the text; placeholders that say a new word stay. */
export const withoutMovedWords = (stretch: string, text: string, lost: ReadonlySet<string>): string =>
  lost.size === 0 ? text : withoutWordsBut(text, lost, (piece) => isNew(stretch, piece));

/** The placeholders of a text that say a new word wherever they stand in it. */
const newPlaceholders = (before: string, after: string): ReadonlySet<string> => {
  if (!placeholder.test(after)) return new Set();
  const found = spansBetween(before, after).flatMap(({ start, end, text }) =>
    text.split(placeholder).flatMap((piece, index) => (index % 2 === 1 ? [{ piece, stretch: before.slice(start, end) }] : [])),
  );
  const old = new Set(found.filter(({ piece, stretch }) => !isNew(stretch, piece)).map(({ piece }) => piece));
  return new Set(found.map(({ piece }) => piece).filter((piece) => !old.has(piece)));
};

/** What a branch made of a text, and what others made of it. */
interface Scrubbing {
  readonly before: string;
  readonly own: string;
  readonly others: readonly string[];
}

/** A value of a branch without the words that other branches took out of the text before, in any of its prose. */
export const scrubbed = (value: unknown, { before, own, others }: Scrubbing): unknown => {
  const lost = new Set(others.flatMap((other) => lostWords(before, other)));
  if (lost.size === 0) return value;
  const kept = newPlaceholders(before, own);
  const scrub = (one: unknown): unknown => {
    if (typeof one === 'string') return withoutWordsBut(one, lost, (piece) => kept.has(piece));
    if (Array.isArray(one)) return one.map(scrub);
    if (!isRecord(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([field, held]) => [field, isNameField(field) ? held : scrub(held)]));
  };
  return scrub(value);
};
