import { InertText } from './inert-text.js';
import { targetTitle, type TextPair } from './text-pairs.js';
import { WordDiff } from './word-diff.js';

interface TextsProps {
  readonly pairs: readonly TextPair[];
  /** The position of the guard that changed them: its color. */
  readonly author?: number;
  /** The name of the texts that stayed. */
  readonly same: string;
}

/** Texts with their changes, word by word; those that stayed are closed if there are others, or many. */
export const Texts = ({ pairs, author, same }: TextsProps) => {
  const changed = pairs.filter(({ before, after }) => before !== after);
  const others = pairs.filter(({ before, after }) => before === after);
  return (
    <>
      {changed.map(({ target, before, after }) => (
        <div key={target} className="card diff-pair">
          <h4 title={target}>{targetTitle(target)}</h4>
          <WordDiff before={before} after={after} author={author} />
        </div>
      ))}
      {others.length > 0 && (
        <details className="diff-pair" open={changed.length === 0 && others.length < 4}>
          <summary>{same}</summary>
          {others.map(({ target, before }) => (
            <div key={target} className="card diff-pair">
              <h4 title={target}>{targetTitle(target)}</h4>
              <p>
                <InertText text={before} />
              </p>
            </div>
          ))}
        </details>
      )}
      {pairs.length === 0 && <p className="soft small">There is no text.</p>}
    </>
  );
};
