import { useMemo, type CSSProperties } from 'react';
import { diffWords } from './diff-words.js';
import { InertText } from './inert-text.js';
import { splitAuthored, type EditedWords } from './split-authored.js';
import './word-diff.css';

interface WordDiffProps {
  readonly before: string;
  readonly after: string;
  /** The index of the edit's author, so that each has a color; without one, the color of edits. */
  readonly author?: number;
}

/** The changes of a text: removed words are struck through, added words are underlined in their author's color. */
export const WordDiff = ({ before, after, author }: WordDiffProps) => {
  const pieces = useMemo(() => diffWords(before, after), [before, after]);
  return (
    <div className="word-diff" style={author === undefined ? undefined : authorStyle(author)}>
      {pieces.map(({ kind, text }, index) => {
        const words = <InertText text={text} />;
        // oxlint-disable react/no-array-index-key -- pieces of one difference have no other name
        if (kind === 'removed') return <del key={index}>{words}</del>;
        if (kind === 'added') return <ins key={index}>{words}</ins>;
        return <span key={index}>{words}</span>;
        // oxlint-enable react/no-array-index-key
      })}
    </div>
  );
};

const colors = 6;

/** The color of the nth author, from 0; authors beyond the sixth share colors, and are distinguished by name. */
const authorStyle = (index: number): CSSProperties => ({ '--author': `var(--author-${(index % colors) + 1})` }) as object;

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
      {authors.map(({ name, author }) => (
        <ins key={name} style={authorStyle(author)}>
          <InertText text={name} />{' '}
        </ins>
      ))}
    </p>
  );
};
