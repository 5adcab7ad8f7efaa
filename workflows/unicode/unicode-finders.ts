import { defineFinder, type Finder } from '../patterns/define-finder.js';
import type { TextSpan } from '../../src/guard/pattern.js';
import { lazyRegex } from '../../src/phase/memo.js';
import { foldLookalikes } from './fold-lookalikes.js';

/** The only flags in tag characters: England, Scotland and Wales are all that Unicode recommends (UTS 51). */
const regions = ['gbeng', 'gbsct', 'gbwls'];

const asTags = (letters: string): string =>
  Array.from(letters, (letter) => `\\u{${(0xe0000 + letter.charCodeAt(0)).toString(16)}}`).join('');

/** The base of a flag in tags. Like the other constants here, a source for expressions with the flag `u`. */
export const flagBase = String.raw`\u{1F3F4}`;
/** The tags after the base. */
export const flagTags = String.raw`(?:${regions.map(asTags).join('|')})\u{E007F}`;
/** The maximum number of tags between the base and the last one. */
const maxFlagLetters = Math.max(...regions.map(({ length }) => length));
/** Any tag character, which is invisible. */
export const tag = String.raw`[\u{E0000}-\u{E007F}]`;

/** The maximum length from the start mark of an isolate to its end mark, in UTF-16 units: a name, a quotation, a line of a message. */
const maxIsolateChars = 256;

const rightToLeft = '\u2067';
const pop = '\u2069';
const marks = /[\u2066-\u2069\n\r\u0085\u2028\u2029]/g;
const lineEnd = /[\n\r\u0085\u2028\u2029]/;

const visible = lazyRegex(String.raw`[\p{L}\p{N}\p{P}\p{S}]`);
/** A letter of a right-to-left script. */
const rightToLeftLetter = lazyRegex(
  String.raw`(?=\p{L})[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Samr}\p{sc=Mand}\p{sc=Adlm}\p{sc=Rohg}]`,
);

/**
 * Useless marks of isolates (U+2066 to U+2069): without their other half on the same line, around nothing visible,
 * or from right to left around other letters. The others keep a name from disturbing the text around it, as in
 * messages from templates.
 */
const isolateFinder: Finder = {
  maxLength: 1,
  lookbehind: maxIsolateChars,
  lookahead: maxIsolateChars,
  find: (text, from, until = text.length) => {
    const { useless, starts } = marksIn(text.slice(0, until + maxIsolateChars + 1), from);
    const places = useless.length === 0 ? starts : [...useless, ...starts].toSorted((a, b) => a - b);
    const spans: TextSpan[] = [];
    for (const start of places) if (start >= from && start < until) spans.push({ start, end: start + 1 });
    return spans;
  },
  open: (text, from) => {
    const nearest = Math.max(from, text.length - maxIsolateChars);
    return marksIn(text, nearest).starts.find((start) => start >= nearest) ?? text.length;
  },
};

/** The marks of a text from a place on, by use. */
const marksIn = (text: string, from: number) => {
  const useless: number[] = [];
  let starts: number[] = [];
  const first = Math.max(0, from - maxIsolateChars);
  for (const { 0: mark, index: at } of text.slice(first).matchAll(marks)) {
    const index = first + at;
    if (lineEnd.test(mark)) {
      useless.push(...starts);
      starts = [];
    } else if (mark !== pop) starts.push(index);
    else useless.push(...uselessOf(text, starts.pop(), index));
  }
  return { useless, starts };
};

const uselessOf = (text: string, start: number | undefined, end: number): number[] => {
  if (start === undefined) return [end];
  const needed = text[start] === rightToLeft ? rightToLeftLetter() : visible();
  return end - start <= maxIsolateChars && needed.test(text.slice(start + 1, end)) ? [] : [start, end];
};

/** After a flag's base all tags that form no flag, elsewhere all. */
const tagsOfNoFlag = `(?<=${flagBase})(?!${flagTags})${tag}{1,256}|(?<!${flagBase}${tag}{0,${maxFlagLetters}})${tag}{1,256}`;

/** Not after a letter or mark of a script with joiners and zero-width spaces. */
const ofNoJoining = String.raw`(?<![[\p{L}\p{M}]--[\p{scx=Latn}\p{scx=Grek}\p{scx=Cyrl}\p{scx=Armn}]])`;
/** A joiner that is not between two emoji. */
const joinerOfNoEmoji = String.raw`(?:(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D|\u200D(?!\p{Extended_Pictographic}))`;
const separatedLetter = String.raw`[\p{scx=Latn}\p{scx=Grek}\p{scx=Cyrl}]`;

/** Hidden characters, one row per way to hide: the characters, and their required context. A character is checked before its context. */
const rows: readonly (readonly [characters: string, where: string])[] = [
  [tag, `(?:${tagsOfNoFlag})`],
  [String.raw`[\u202A-\u202E]`, '[^]'], // reverses the direction of text, possibly to the end of the line
  [String.raw`[\u200E\u200F\u061C]`, `(?<=${separatedLetter})[^](?=${separatedLetter})`], // direction marks, inside a word
  [String.raw`\u200D`, `${ofNoJoining}${joinerOfNoEmoji}`],
  [String.raw`[\u200B\u200C\u034F\u180E\u115F\u1160\u3164\uFFA0]`, `${ofNoJoining}[^]`],
  [String.raw`[\u00AD\u2060-\u2064\u206A-\u206F\uFEFF\uFFF9-\uFFFB\u{1D173}-\u{1D17A}]`, '[^]'],
  [
    String.raw`[\uFE0E\uFE0F]`,
    String.raw`(?:(?<![\p{Extended_Pictographic}\p{Emoji}\p{S}])[^]|(?<=[0-9#*])[^](?!\u20E3))`, // a keycap follows
  ],
  [String.raw`[\uFE00-\uFE0D]`, String.raw`(?<![\p{scx=Hani}\p{Sm}\p{scx=Mymr}\p{scx=Phag}])[^]`],
  [String.raw`[\u{E0100}-\u{E01EF}]`, String.raw`(?<!\p{scx=Hani})[^]`],
];

const lone = defineFinder(() => ({
  regex: new RegExp(`(?:${rows.map(([characters, context]) => `(?=${characters})${context}`).join('|')})`, 'v'),
  shape: new RegExp(`(?:${rows.map(([characters, context]) => context.replaceAll('[^]', characters)).join('|')})`, 'v'),
}));

/**
 * Invisible characters that no script needs in their place: tags, direction controls, zero-width characters, fillers and selectors. Emoji
 * families, flags, points, vowels, the joiners of Indic and Arabic scripts and complete isolates stay.
 */
export const hiddenFinders: readonly Finder[] = [lone, isolateFinder];

/**
 * Words in which letters of another script look like Latin ones, as in `pаypal` with a Cyrillic `а`. A word of one script stays
 * unchanged.
 */
export const lookalikeFinder = defineFinder(() => ({
  regex: new RegExp(String.raw`(?<![\p{L}\p{M}])[\p{L}\p{M}]{2,64}(?=[^]{0,2})`, 'u'),
  hint: /[A-Za-z][^\0-\x7F]|[^\0-\x7F][A-Za-z]/,
  read: (text, { start, end }) => {
    const word = text.slice(text.charAt(start - 1) === '\\' ? start - 1 : start, end);
    return foldLookalikes(word) === word ? undefined : end;
  },
}));
