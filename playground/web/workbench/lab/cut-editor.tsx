import { useId, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react';
import { Button } from '../../components/button.js';
import { count } from '../../components/format.js';
import { charactersOf, toggleCut } from './cuts.js';

/** A longer text would need too many buttons for a page. */
const mostCharacters = 2000;

interface CutEditorProps {
  readonly text: string;
  /** Positions, in code points, at which the text is cut. */
  readonly at: readonly number[];
  readonly onChange: (at: number[]) => void;
}

/** A text to be cut between its characters: with the pointer, or with the arrow keys and space. */
export const CutEditor = ({ text, at, onChange }: CutEditorProps) => {
  const id = useId();
  const characters = useMemo(() => charactersOf(text), [text]);
  const editor = useRef<HTMLDivElement>(null);
  const [caret, setCaret] = useState(1);
  const last = characters.length - 1;
  const place = Math.max(1, Math.min(caret, last));
  const toggle = (position: number): void => {
    if (position < 1 || position > last) return;
    setCaret(position);
    onChange(toggleCut(at, position));
  };
  const press = (event: KeyboardEvent): void => {
    const next = moveCaret(event.key, { place, last, cuts: at });
    if (next === undefined) return;
    event.preventDefault();
    setCaret(next);
    editor.current?.querySelector<HTMLElement>(`[data-place="${next}"]`)?.focus();
  };
  const inside = at.filter((position) => position <= last).length;
  return (
    <div className="field" role="group" aria-labelledby={`${id}-title`} aria-describedby={`${id}-words`}>
      <span className="field-title" id={`${id}-title`}>
        {' '}
        Chunk boundaries{' '}
      </span>
      <p className="field-words soft tiny" id={`${id}-words`}>
        Click between characters, or move with <kbd>←</kbd> <kbd>→</kbd> and set a boundary with <kbd>space</kbd>; <kbd>↑</kbd>{' '}
        <kbd>↓</kbd> go to the previous or next boundary.
      </p>
      {characters.length > mostCharacters ? (
        <p className="field-error">
          The text has {count(characters.length, 'character')}; the limit for manual boundaries is{' '}
          {mostCharacters.toLocaleString()}.
        </p>
      ) : (
        <div className="cuts" ref={editor}>
          <Characters characters={characters} cuts={at} place={place} onToggle={toggle} onPress={press} />
        </div>
      )}
      <p className="spread soft tiny">
        <span>
          {count(inside + 1, 'chunk')} of {count(characters.length, 'character')}
        </span>
        <Button look="quiet" disabled={at.length === 0} onClick={() => onChange([])}>
          Clear boundaries
        </Button>
      </p>
    </div>
  );
};

interface CharactersProps {
  readonly characters: readonly string[];
  readonly cuts: readonly number[];
  readonly place: number;
  readonly onToggle: (position: number) => void;
  readonly onPress: (event: KeyboardEvent) => void;
}

/** Each character is a button that cuts before it; only one of them is a tab stop. */
const Characters = ({ characters, cuts, place, onToggle, onPress }: CharactersProps) => {
  const isCut = new Set(cuts);
  const click = (event: MouseEvent, index: number): void => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const isPointer = event.detail > 0; // a click from the keyboard has no position
    onToggle(isPointer && event.clientX > left + width / 2 ? index + 1 : index);
  };
  return characters.map((character, index) => (
    <button
      // oxlint-disable-next-line react/no-array-index-key -- a character is identified by its position
      key={index}
      type="button"
      data-place={index}
      className={isCut.has(index) ? 'cut' : ''}
      tabIndex={index === place ? 0 : -1}
      aria-pressed={isCut.has(index)}
      aria-label={`boundary before ${nameOf(character)}`}
      onClick={(event) => click(event, index)}
      onKeyDown={onPress}
    >
      {character === '\n' ? '⏎' : character}
    </button>
  ));
};

const nameOf = (character: string): string => (character === ' ' ? 'space' : character === '\n' ? 'line break' : character);

/** The caret's position between the characters of a text, and the cuts of the text. */
interface CaretPlace {
  readonly place: number;
  /** The last place between two characters. */
  readonly last: number;
  readonly cuts: readonly number[];
}

/** The moves of the caret by key. */
const moves: Readonly<Partial<Record<string, (from: CaretPlace) => number>>> = {
  ArrowLeft: ({ place }) => place - 1,
  ArrowRight: ({ place }) => place + 1,
  Home: () => 1,
  End: ({ last }) => last,
  ArrowUp: ({ place, cuts }) => cuts.findLast((cut) => cut < place) ?? place,
  ArrowDown: ({ place, cuts }) => cuts.find((cut) => cut > place) ?? place,
};

/** The new place of the caret after a key; undefined if the key does not move it. */
const moveCaret = (key: string, from: CaretPlace): number | undefined => {
  const to = Object.hasOwn(moves, key) ? moves[key]?.(from) : undefined;
  return to === undefined ? undefined : Math.max(1, Math.min(to, from.last));
};
