import { isRecord } from '../phase/plain-data.js';

/** Scripts without spaces between words: each character counts as a word. */
const unspaced = '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}';
const letters = `[[\\p{L}\\p{N}\\p{M}_]--[${unspaced}]]`;

// Written as strings, because the compiler's target does not know the flag `v` yet; Node does.
const wordPattern = new RegExp(`${letters}+`, 'gv');
const tokenPattern = new RegExp(`${letters}+|\\S`, 'gsv');

/** The words of a text and its single characters that are neither a word nor white space, with their places. */
export const tokensOf = (text: string): { readonly text: string; readonly start: number }[] =>
  Array.from(text.matchAll(tokenPattern), (match) => ({ text: match[0], start: match.index }));

/** A word without what writers vary: case and compatibility forms. */
const fold = (word: string): string => word.normalize('NFKC').toLowerCase();

/** The words of a text, folded. */
export const wordsOf = (text: string): string[] => (text.match(wordPattern) ?? []).map(fold);

/** A text without some words, given folded; everything else stays where it is. */
export const withoutWords = (text: string, words: ReadonlySet<string>): string =>
  text.replace(wordPattern, (word) => (words.has(fold(word)) ? '' : word));

/** The words of one text that another lacks. */
export const lostWords = (before: string, after: string): string[] => {
  const kept = new Set(wordsOf(after));
  return wordsOf(before).filter((word) => !kept.has(word));
};

/** Fields that contain names, dates or references. Their values are not prose, at any depth. */
const nameFields = new Set(
  'id type role state format createdAt from runId messageId threadId resourceId toolCallId toolName mimeType mediaType'.split(
    ' ',
  ),
);

/** Whether a field holds a name: such a value is taken whole, and no word is taken out of it. */
export const isNameField = (field: string): boolean => nameFields.has(field);

/** Whether an entry of an array is a name or an id, which is kept or not: a text of one word. */
export const isName = (entry: unknown): boolean => typeof entry === 'string' && !/\s/.test(entry);

/** All the prose of a value in one text; nothing for what is gone, and for what only its class can read. */
export const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join(' ');
  if (isRecord(value))
    return Object.entries(value)
      .map(([field, held]) => (isNameField(field) ? '' : textOf(held)))
      .join(' ');
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint' ? String(value) : '';
};
