/** Flags that are written in tag characters, and no others: England, Scotland and Wales are all that Unicode recommends (UTS 51). */
const regions = ['gbeng', 'gbsct', 'gbwls'];

const asTags = (letters: string): string =>
  Array.from(letters, (letter) => String.raw`\u{${(0xe0000 + letter.charCodeAt(0)).toString(16)}}`).join('');

/** What a flag in tags begins with; sources of expressions with the flag `u`, as the others here. */
export const flagBase = String.raw`\u{1F3F4}`;
/** What must follow the base. */
export const flagTags = String.raw`(?:${regions.map(asTags).join('|')})\u{E007F}`;
/** The most tags that stand between the base and the last one. */
export const maxFlagLetters = Math.max(...regions.map(({ length }) => length));
/** Any tag character, which is invisible. */
export const tag = String.raw`[\u{E0000}-\u{E007F}]`;
