/** A piece of a text: words, or one character that would be invisible or would reverse the direction of words. */
export interface TextPiece {
  readonly text: string;
  /** The character's name, e.g. `U+202E`; undefined for words. */
  readonly hidden?: string;
}

/** Controls except tab and line ends, direction marks, zero-width blanks, tags, and private-use characters. */
const hiddenCharacters =
  /(?![\t\n\r])[\p{Cc}\p{Zl}\p{Zp}\p{Co}\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu;

const nameOf = (character: string): string => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Splits a text, so that invisible characters can be shown by name. */
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
