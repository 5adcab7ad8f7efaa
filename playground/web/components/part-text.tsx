import { bufferedChars, type Lane, type Part } from '../../fold/run-view.js';
import { count } from './format.js';
import { AuthoredText } from './word-diff.js';
import { InertText } from './inert-text.js';
import './part-text.css';
import type { EditedWords } from './split-authored.js';

/** More blocks than these would add no information. */
const maxBlocks = 24;

interface PartTextProps {
  readonly part: Part;
  readonly lane: Lane;
  /** Whether the run is under way: the latest text is then marked as new. */
  readonly isLive?: boolean;
  /** The maximum number of characters to show, from the end. Default: all. */
  readonly mostChars?: number;
  /** The words of it that guards edited. */
  readonly words?: readonly EditedWords[];
}

const noWords: readonly EditedWords[] = [];

/** The current state of a part: emitted, retracted and buffered text. */
export const PartText = ({ part, lane, isLive = false, mostChars = Infinity, words = noWords }: PartTextProps) => {
  const { latest, kind, receivedChars, isRetracted } = part;
  const text = part.text.slice(-mostChars);
  const cut = part.text.length - text.length;
  const buffered = bufferedChars(part, lane);
  const isNew = isLive && latest > 0 && !isRetracted;
  const settled = isNew ? text.slice(0, -latest) : text;
  const wasLost = text === '' && receivedChars > 0 && buffered === 0;
  return (
    <p className={`part-text part-${kind}`} dir="auto">
      {cut > 0 && <span className="faint small">{count(cut, 'earlier character')} … </span>}
      {isRetracted ? (
        <del className="part-retracted">
          <InertText text={settled} />
        </del>
      ) : (
        <AuthoredText text={settled} words={words} />
      )}
      {isNew && (
        <span key={text.length} className="part-latest">
          <InertText text={text.slice(-latest)} />
        </span>
      )}
      {buffered > 0 && (
        <span className="held">
          <span className="held-blocks" aria-hidden>
            {'▒'.repeat(Math.min(buffered, maxBlocks))}
          </span>
          <span className="held-count">{count(buffered, 'character')} buffered</span>
        </span>
      )}
      {wasLost && <span className="faint small">{count(receivedChars, 'character')} received, not emitted</span>}
    </p>
  );
};
