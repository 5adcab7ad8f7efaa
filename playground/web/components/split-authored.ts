/** Words that a guard put into a text. */
export interface EditedWords {
  readonly text: string;
  /** The guard's id. */
  readonly name: string;
  /** Its position in the pipeline: its color. */
  readonly author: number;
}

interface Piece {
  readonly text: string;
  readonly by?: EditedWords;
}

/** Splits a text at the words that guards put into it. */
export const splitAuthored = (text: string, words: readonly EditedWords[]): Piece[] => {
  const wanted = words.filter(({ text: own }) => own !== '').toSorted((a, b) => b.text.length - a.text.length);
  const pieces: Piece[] = [];
  for (let from = 0; from < text.length;) {
    const found = wanted
      .map((by) => ({ by, at: text.indexOf(by.text, from) }))
      .filter(({ at }) => at !== -1)
      .reduce<{ by: EditedWords; at: number } | undefined>(
        (first, one) => (first && first.at <= one.at ? first : one),
        undefined,
      );
    const to = found?.at ?? text.length;
    if (to > from) pieces.push({ text: text.slice(from, to) });
    if (found) pieces.push({ text: found.by.text, by: found.by });
    from = to + (found?.by.text.length ?? 0);
  }
  return pieces;
};
