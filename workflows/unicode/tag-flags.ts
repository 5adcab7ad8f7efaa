/** The only flags in tag characters: England, Scotland and Wales are all that Unicode recommends (UTS 51). */
const regions = ['gbeng', 'gbsct', 'gbwls'];

const asTags = (letters: string): string =>
  Array.from(letters, (letter) => String.raw`\u{${(0xe0000 + letter.charCodeAt(0)).toString(16)}}`).join('');

/** The base of a flag in tags. Like the other constants here, a source for expressions with the flag `u`. */
export const flagBase = String.raw`\u{1F3F4}`;
/** The tags after the base. */
export const flagTags = String.raw`(?:${regions.map(asTags).join('|')})\u{E007F}`;
/** The maximum number of tags between the base and the last one. */
export const maxFlagLetters = Math.max(...regions.map(({ length }) => length));
/** Any tag character, which is invisible. */
export const tag = String.raw`[\u{E0000}-\u{E007F}]`;
