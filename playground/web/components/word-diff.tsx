import { useMemo, type CSSProperties } from 'react';
import './word-diff.css';
import { diffWords } from './diff-words.js';
import { InertText } from './inert-text.js';

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
export const authorStyle = (index: number): CSSProperties => ({ '--author': `var(--author-${(index % colors) + 1})` }) as object;
