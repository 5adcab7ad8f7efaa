import { defineFinder } from '../patterns/define-finder.js';

/** The flags of England, Scotland and Wales are written in tags, which nobody sees anywhere else. */
const flag = String.raw`\u{1F3F4}`;
const flagTag = String.raw`[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]`;
const tags = String.raw`[\u{E0000}-\u{E007F}]{1,256}`;
const tagsOfNoFlag = String.raw`(?<=${flag})(?!${flagTag}{3,6}\u{E007F})${tags}|(?<!${flag}${flagTag}{0,6})${tags}`;

/** A letter or mark of a script that writes with joiners and zero-width spaces. */
const joining = String.raw`(?<=(?![\p{scx=Latn}\p{scx=Grek}\p{scx=Cyrl}\p{scx=Armn}])[\p{L}\p{M}])`;
const emoji = String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F\u{E007F}])`;
const word = String.raw`[\p{scx=Latn}\p{scx=Grek}\p{scx=Cyrl}]`;

const unless = (...keepers: string[]): string => keepers.map((keeper) => keeper.replace('(?<=', '(?<!')).join('');

/** What is hidden, one row per way to hide. */
const rows = [
  tagsOfNoFlag,
  String.raw`[\u202A-\u202E\u2066-\u2069]`, // what turns the direction of text around
  String.raw`(?<=${word})[\u200E\u200F\u061C](?=${word})`, // marks of direction, inside a word
  String.raw`${unless(joining, emoji)}\u200D`,
  String.raw`${unless(joining)}[\u200B\u200C\u034F\u180E\u115F\u1160\u3164\uFFA0]`,
  String.raw`[\u00AD\u2060-\u2064\u206A-\u206F\uFEFF\uFFF9-\uFFFB\u{1D173}-\u{1D17A}]`,
  String.raw`(?<![\p{Extended_Pictographic}\p{Emoji}\p{S}])[\uFE0E\uFE0F]`,
  String.raw`(?<![\p{scx=Hani}\p{Sm}\p{scx=Mymr}\p{scx=Phag}])[\uFE00-\uFE0D]`,
  String.raw`(?<!\p{scx=Hani})[\u{E0100}-\u{E01EF}]`,
];

/**
 * Characters that nobody sees and that stand where no script needs them: tags, controls of direction, zero-width characters,
 * fillers and selectors. Emoji families, flags, points, vowels and the joiners of Indic and Arabic scripts are left alone.
 */
export const hiddenFinder = defineFinder({ regex: new RegExp(`(?:${rows.join('|')})`, 'u') });
