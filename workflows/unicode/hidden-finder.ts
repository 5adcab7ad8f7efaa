import { defineFinder } from '../patterns/define-finder.js';
import type { Finder } from '../patterns/finder.js';
import { isolateFinder } from './isolate-finder.js';
import { flagBase, flagTags, maxFlagLetters, tag } from './tag-flags.js';

/** Behind the base of a flag all tags that do not make one, elsewhere all. */
const tagsOfNoFlag = `(?<=${flagBase})(?!${flagTags})${tag}{1,256}|(?<!${flagBase}${tag}{0,${maxFlagLetters}})${tag}{1,256}`;

/** Not behind a letter or mark of a script that writes with joiners and zero-width spaces. */
const ofNoJoining = String.raw`(?<![[\p{L}\p{M}]--[\p{scx=Latn}\p{scx=Grek}\p{scx=Cyrl}\p{scx=Armn}]])`;
/** A joiner that does not stand behind an emoji and before another. */
const joinerOfNoEmoji = String.raw`(?:(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D|\u200D(?!\p{Extended_Pictographic}))`;
const word = String.raw`[\p{scx=Latn}\p{scx=Grek}\p{scx=Cyrl}]`;

/** What is hidden, one row per way to hide: characters, and what must stand around them. A character is looked at before what is around it. */
const rows: readonly (readonly [characters: string, where: string])[] = [
  [tag, `(?:${tagsOfNoFlag})`],
  [String.raw`[\u202A-\u202E]`, '[^]'], // what turns the direction of text around, to the end of the line if it likes
  [String.raw`[\u200E\u200F\u061C]`, `(?<=${word})[^](?=${word})`], // marks of direction, inside a word
  [String.raw`\u200D`, `${ofNoJoining}${joinerOfNoEmoji}`],
  [String.raw`[\u200B\u200C\u034F\u180E\u115F\u1160\u3164\uFFA0]`, `${ofNoJoining}[^]`],
  [String.raw`[\u00AD\u2060-\u2064\u206A-\u206F\uFEFF\uFFF9-\uFFFB\u{1D173}-\u{1D17A}]`, '[^]'],
  [
    String.raw`[\uFE0E\uFE0F]`,
    String.raw`(?:(?<![\p{Extended_Pictographic}\p{Emoji}\p{S}])[^]|(?<=[0-9#*])[^](?!\u20E3))`, // a key has its cap
  ],
  [String.raw`[\uFE00-\uFE0D]`, String.raw`(?<![\p{scx=Hani}\p{Sm}\p{scx=Mymr}\p{scx=Phag}])[^]`],
  [String.raw`[\u{E0100}-\u{E01EF}]`, String.raw`(?<!\p{scx=Hani})[^]`],
];

const lone = defineFinder({
  regex: new RegExp(`(?:${rows.map(([characters, where]) => `(?=${characters})${where}`).join('|')})`, 'v'),
  beginning: new RegExp(`[${rows.map(([characters]) => characters).join('')}]`, 'v'),
  shape: new RegExp(`(?:${rows.map(([characters, where]) => where.replaceAll('[^]', characters)).join('|')})`, 'v'),
});

/**
 * Characters that nobody sees and that stand where no script needs them: tags, controls of direction, zero-width characters,
 * fillers and selectors. Emoji families, flags, points, vowels, the joiners of Indic and Arabic scripts and isolates that are
 * whole are left alone.
 */
export const hiddenFinders: readonly Finder[] = [lone, isolateFinder];
