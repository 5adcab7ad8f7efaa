import { useMemo } from 'react';
import { splitHidden } from './hidden-characters.js';
import './inert-text.css';

interface InertTextProps {
  readonly text: string;
  readonly className?: string;
}

/**
 * Words of people, models and guards. They are text and nothing else: no markup, direction kept to themselves, long words broken,
 * characters that hide shown by name.
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
          <span key={index} className="hidden-character" title="a character that cannot be seen">
            {piece.hidden}
          </span>
        ),
      )}
    </bdi>
  );
};
