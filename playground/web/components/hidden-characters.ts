/** A piece of a text: words, or one character that would not be seen or would turn the words around. */
export interface TextPiece {
  readonly text: string;
  /** The character's name, e.g. `U+202E`; absent for words. */
  readonly hidden?: string;
}

/** Controls but tab and line ends, marks that turn the direction, blanks without width, tags, and characters for private use. */
const hiddenCharacters =
  /(?![\t\n\r])[\p{Cc}\p{Zl}\p{Zp}\p{Co}\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu;

const nameOf = (character: string): string => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Takes a text apart, so that what cannot be seen can be shown by name. */
export const splitHidden = (text: string): TextPiece[] => {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(hiddenCharacters)) {
    if (index > from) pieces.push({ text: text.slice(from, index) });
    pieces.push({ text: character, hidden: nameOf(character) });
    from = index + character.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
};
