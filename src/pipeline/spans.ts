import { diffArrays } from 'diff/lib/diff/array.js';
import { once } from '../phase/memo.js';
import { isRecord } from '../phase/plain-data.js';

type Token = ReturnType<typeof tokensOf>[number];

/** Replaces the base characters `start` (inclusive) to `end` (exclusive) by `text`. Positions are UTF-16 code units of the base. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Texts that differ in more tokens than this are treated as completely new: the search for common tokens takes quadratic time. */
const maxEditLength = 1_000;

/**
 * The changes from one text to another by whole words, as disjoint spans over the base in ascending order. White space is no token of the
 * comparison: a common blank never outweighs a common word.
 */
export const spansBetween = (base: string, edited: string): Span[] => {
  const [before, after] = [tokensOf(base), tokensOf(edited)];
  const changes = diffArrays(
    before.map(({ text }) => text),
    after.map(({ text }) => text),
    { maxEditLength },
  );
  if (!changes) return [{ start: 0, end: base.length, text: edited }];
  const spans: Span[] = [];
  const [from, to] = [
    { index: 0, at: 0 },
    { index: 0, at: 0 },
  ];
  const closeGap = (end: number, editedEnd: number) =>
    spans.push(...spansOfGap(from.at, base.slice(from.at, end), edited.slice(to.at, editedEnd)));
  const pair = (one: Token | undefined, twin: Token | undefined) => {
    if (!one || !twin) return; // both sides have the common tokens
    closeGap(one.start, twin.start);
    from.at = one.start + one.text.length;
    to.at = twin.start + twin.text.length;
  };
  for (const { added, removed, count } of changes) {
    if (removed) from.index += count;
    else if (added) to.index += count;
    else for (let remaining = count; remaining > 0; remaining -= 1) pair(before[from.index++], after[to.index++]);
  }
  closeGap(base.length, edited.length);
  return spans;
};

/** The spans between two common words: word by word if the white space is the same, otherwise as one span. */
const spansOfGap = (at: number, before: string, after: string): Span[] => {
  if (before === after) return [];
  const [old, young] = [before.split(whiteSpace), after.split(whiteSpace)];
  const isAligned = old.length === young.length && old.every((piece, index) => index % 2 === 0 || piece === young[index]);
  if (!isAligned) return [withoutSharedEnds({ start: at, end: at + before.length, text: after }, before)];
  let start = at;
  return old.flatMap((piece, index): Span[] => {
    const span = { start, end: (start += piece.length), text: young[index] ?? '' };
    return piece === span.text ? [] : [span];
  });
};

const whiteSpace = /(\s+)/;

/** A span without the white space that both texts start or end with. */
const withoutSharedEnds = ({ start, end, text }: Span, before: string): Span => {
  const shortest = Math.min(before.length, text.length);
  let front = 0;
  while (front < shortest && before[front] === text[front] && isBlank(before[front])) front += 1;
  let back = 0;
  while (back < shortest - front && before.at(-1 - back) === text.at(-1 - back) && isBlank(before.at(-1 - back))) back += 1;
  return { start: start + front, end: end - back, text: text.slice(front, text.length - back) };
};

const isBlank = (character = ''): boolean => /\s/.test(character);

/** The base with disjoint, ascending spans applied. */
export const applySpans = (base: string, spans: readonly Span[]): string => {
  let at = 0;
  let out = '';
  for (const { start, end, text } of spans) {
    out += base.slice(at, start) + text;
    at = end;
  }
  return out + base.slice(at);
};

/**
 * Groups spans that share base characters, and those that insert at the same position. An insertion right before or after a section does
 * not touch it: they stay separate, the insertion first.
 */
export const groupOverlapping = <S extends Span>(spans: readonly S[]): [S, ...S[]][] => {
  const sorted = spans.toSorted((a, b) => a.start - b.start || a.end - b.end);
  const groups: [S, ...S[]][] = [];
  let reach = -1;
  for (const span of sorted) {
    const last = groups.at(-1);
    const isSamePlace = span.start === span.end && last?.[0].start === span.start && reach === span.start;
    if (last && (span.start < reach || isSamePlace)) last.push(span);
    else groups.push([span]);
    reach = Math.max(reach, span.end);
  }
  return groups;
};

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
