/** What long texts have in common with a short one: pieces of the long ones, none of which is shorter than what is looked for. */
export interface OverlapIndex {
  /** The most characters in a row that a text shares with the indexed ones, as far as they are at least as many as were asked for; else 0. */
  longestRun(text: string): number;
}

/** Letters and digits in small letters: what is left when a text is quoted in another form. */
export const plainSigns = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');

/**
 * Indexes texts for runs of at least `least` signs, from 3: one piece in `least / 3` characters is kept, so that the index is small and each run
 * still holds a whole piece. Linear in the texts.
 */
export const indexOverlap = (texts: readonly string[], least: number): OverlapIndex => {
  const stride = Math.max(1, Math.floor(least / 3));
  const pieceChars = least - stride + 1;
  const indexed = texts.map(plainSigns).filter(({ length }) => length >= least);
  const places = new Map<string, { text: string; at: number }>();
  for (const text of indexed)
    for (let at = 0; at + pieceChars <= text.length; at += stride) places.set(text.slice(at, at + pieceChars), { text, at });
  return {
    longestRun: (text) => {
      const signs = plainSigns(text);
      let longest = 0;
      for (let at = 0; at + pieceChars <= signs.length; at += 1) {
        const place = places.get(signs.slice(at, at + pieceChars));
        if (!place) continue;
        const run = runAround(signs, at, place);
        longest = Math.max(longest, run.length);
        at = Math.max(at, run.end - pieceChars);
      }
      return longest >= least ? longest : 0;
    },
  };
};

/** The whole run of which a piece is found in both texts. */
const runAround = (
  signs: string,
  at: number,
  place: { readonly text: string; readonly at: number },
): { readonly length: number; readonly end: number } => {
  let before = 0;
  while (before < at && before < place.at && signs[at - before - 1] === place.text[place.at - before - 1]) before += 1;
  let end = at;
  while (end < signs.length && signs[end] === place.text[place.at + end - at]) end += 1;
  return { length: end - at + before, end };
};
