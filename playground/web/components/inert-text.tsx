import { useMemo } from 'react';
import { splitHidden } from './hidden-characters.js';
import './inert-text.css';

interface InertTextProps {
  readonly text: string;
  readonly className?: string;
}

/**
 * Text of people, models and guards, shown only as text: without markup, with isolated direction, broken long words,
 * and hidden characters shown by name.
 */
export const InertText = ({ text, className = '' }: InertTextProps) => {
  const pieces = useMemo(() => splitHidden(text), [text]);
  return (
    <bdi className={`inert ${className}`}>
      {pieces.map((piece, index) =>
        piece.hidden === undefined ? (
          piece.text
        ) : (
          // oxlint-disable-next-line react/no-array-index-key -- pieces of one text have no other name
          <span key={index} className="hidden-character" title="invisible character">
            {piece.hidden}
          </span>
        ),
      )}
    </bdi>
  );
};
