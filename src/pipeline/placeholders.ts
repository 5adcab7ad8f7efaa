import { isRecord } from '../phase/plain-data.js';
import { spansBetween } from './spans.js';
import { isNameField, lostWords, withoutWords, wordsOf } from './words.js';

/** `[EMAIL]`, `<PHONE_1>`, `{SECRET:a4}`: a name in capitals and brackets. */
const placeholder = /(\[[A-Z][A-Z\d_:.#-]*\]|<[A-Z][A-Z\d_:.#-]*>|\{[A-Z][A-Z\d_:.#-]*\})/;

/**
 * Whether a placeholder is new: it replaced words and contains none of them. Another branch may have removed the same word elsewhere. A
 * placeholder that replaced nothing may quote.
 */
const isNew = (section: string, piece: string): boolean => {
  const before = new Set(wordsOf(section));
  return before.size > 0 && !wordsOf(piece).some((word) => before.has(word));
};

/** Removes words, given folded, from a text, except from some placeholders. */
const withoutWordsBut = (text: string, words: ReadonlySet<string>, shouldKeep: (piece: string) => boolean): string =>
  text
    .split(placeholder)
    .map((piece, index) => (index % 2 === 1 && shouldKeep(piece) ? piece : withoutWords(piece, words)))
    .join('');

/** The replacement of a section of the base, without words that some branch removed from the text; new placeholders stay. */
export const withoutMovedWords = (section: string, text: string, lost: ReadonlySet<string>): string =>
  lost.size === 0 ? text : withoutWordsBut(text, lost, (piece) => isNew(section, piece));

/** The placeholders of a text that are new at all their positions. */
const newPlaceholders = (before: string, after: string): ReadonlySet<string> => {
  if (!placeholder.test(after)) return new Set();
  const found = spansBetween(before, after).flatMap(({ start, end, text }) =>
    text.split(placeholder).flatMap((piece, index) => (index % 2 === 1 ? [{ piece, section: before.slice(start, end) }] : [])),
  );
  const old = new Set(found.filter(({ piece, section }) => !isNew(section, piece)).map(({ piece }) => piece));
  return new Set(found.map(({ piece }) => piece).filter((piece) => !old.has(piece)));
};

/** A branch's version of a text, and the others' versions. */
interface Scrubbing {
  readonly before: string;
  readonly own: string;
  readonly others: readonly string[];
}

/** Removes from the prose of a branch's value the words that other branches removed from the text before. */
export const scrubbed = (value: unknown, { before, own, others }: Scrubbing): unknown => {
  const lost = new Set(others.flatMap((other) => lostWords(before, other)));
  if (lost.size === 0) return value;
  const placeholders = newPlaceholders(before, own);
  const scrub = (one: unknown): unknown => {
    if (typeof one === 'string') return withoutWordsBut(one, lost, (piece) => placeholders.has(piece));
    if (Array.isArray(one)) return one.map(scrub);
    if (!isRecord(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([field, held]) => [field, isNameField(field) ? held : scrub(held)]));
  };
  return scrub(value);
};
