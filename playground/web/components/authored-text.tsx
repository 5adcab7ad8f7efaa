import { InertText } from './inert-text.js';
import { splitAuthored, type EditedWords } from './split-authored.js';
import { authorStyle } from './word-diff.js';

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
