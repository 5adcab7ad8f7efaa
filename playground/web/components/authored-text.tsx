import { InertText } from './inert-text.js';
import { authorStyle } from './word-diff.js';

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

/** A text in which the words of each guard have its color, and its name as their title. */
export const AuthoredText = ({ text, words }: { readonly text: string; readonly words: readonly EditedWords[] }) => {
  if (words.length === 0) return <InertText text={text} />;
  return (
    <span className="word-diff">
      {splitAuthored(text, words).map((piece, index) =>
        piece.by ? (
          // oxlint-disable-next-line react/no-array-index-key -- pieces of one text have no other name
          <ins key={index} style={authorStyle(piece.by.author)} title={`edited by ${piece.by.name}`}>
            <InertText text={piece.text} />
          </ins>
        ) : (
          // oxlint-disable-next-line react/no-array-index-key -- as above
          <InertText key={index} text={piece.text} />
        ),
      )}
    </span>
  );
};

/** The guards whose words are in a text, in their colors. */
export const Authors = ({ words }: { readonly words: readonly EditedWords[] }) => {
  const authors = [...new Map(words.map((one) => [one.name, one])).values()];
  if (authors.length === 0) return null;
  return (
    <p className="word-diff">
      Edited by{' '}
      {authors.map(({ name, author }, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <ins style={authorStyle(author)}>
            <InertText text={name} />
          </ins>
        </span>
      ))}
    </p>
  );
};
