import { once } from '../phase/memo.js';
import { isRecord } from '../phase/plain-data.js';

/** Scripts without spaces between words: each character counts as a word. */
const unspaced = '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}';
const letters = `[[\\p{L}\\p{N}\\p{M}_]--[${unspaced}]]`;

// Written as strings, because the compiler's target does not know the flag `v` yet; Node does.
const wordPattern = once(() => new RegExp(`${letters}+`, 'gv'));
const tokenPattern = once(() => new RegExp(`${letters}+|\\S`, 'gsv'));

/** The words of a text and its single characters that are neither a word nor white space, with their indexes. */
export const tokensOf = (text: string): { readonly text: string; readonly start: number }[] =>
  Array.from(text.matchAll(tokenPattern()), (match) => ({ text: match[0], start: match.index }));

/** A word without differences of case and compatibility forms. */
const fold = (word: string): string => word.normalize('NFKC').toLowerCase();

/** The words of a text, folded. */
export const wordsOf = (text: string): string[] => (text.match(wordPattern()) ?? []).map(fold);

/** Removes words, given folded, from a text; everything else stays in place. */
export const withoutWords = (text: string, words: ReadonlySet<string>): string =>
  text.replace(wordPattern(), (word) => (words.has(fold(word)) ? '' : word));

/** The words of one text that another lacks. */
export const lostWords = (before: string, after: string): string[] => {
  const remaining = new Set(wordsOf(after));
  return wordsOf(before).filter((word) => !remaining.has(word));
};

/** Fields that contain names, dates or references. Their values are not prose, at any depth. */
const nameFields = new Set(
  'id type role state format createdAt from runId messageId threadId resourceId toolCallId toolName mimeType mediaType'.split(
    ' ',
  ),
);

/** Whether a field holds a name: its value is merged as a whole, and no word is removed from it. */
export const isNameField = (field: string): boolean => nameFields.has(field);

/** Whether an array's entry is a name or an id, a text of one word, which is kept or removed as a whole. */
export const isName = (entry: unknown): boolean => typeof entry === 'string' && !/\s/.test(entry);

/** All prose of a value in one text; empty for undefined, and for values that only their class can read. */
export const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join(' ');
  if (isRecord(value))
    return Object.entries(value)
      .map(([field, held]) => (isNameField(field) ? '' : textOf(held)))
      .join(' ');
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint' ? String(value) : '';
};
