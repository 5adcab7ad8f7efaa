import { plain } from './plain-text.js';
import type { Terminal } from './terminal.js';

/** Running text that comes in pieces, and lines between it. */
export interface Flow {
  /** Shows a piece at once. A word that turns out too long for its line moves to the next one, on a screen. */
  text(piece: string): void;
  /** Shows a line of its own; its text is the caller's to keep short. */
  line(text: string): void;
  /** Ends the line under way, if there is one. */
  fresh(): void;
}

const narrow = /^[\u0020-\u024f\u0370-\u04ff\u2010-\u2027]*$/;
const wide = /^[\p{Emoji_Presentation}\p{sc=Han}\p{sc=Hangul}\p{sc=Hiragana}\p{sc=Katakana}]/u;

/** Starts a flow. Only screens are wrapped; in a file or a pipe every paragraph is one line. */
export const createFlow = (terminal: Terminal): Flow => {
  let column = 0;
  let word = '';

  const newLine = () => {
    column = 0;
    word = '';
    return '\n';
  };
  /** The line is full: takes the word along, where its width is beyond doubt. */
  const turn = () => {
    const moved = word;
    if (moved.length >= column || !narrow.test(moved)) return newLine();
    const rewind = moved === '' ? '' : `\u001b[${moved.length}D\u001b[K`;
    const turned = `${rewind}${newLine()}${moved}`;
    column = moved.length;
    word = moved;
    return turned;
  };
  const put = (character: string): string => {
    if (character === '\n') return newLine();
    const width = wide.test(character) ? 2 : 1;
    // The last column stays free: a cursor behind it stands in no definite place.
    const isFull = terminal.isScreen && column + width >= terminal.columns;
    const isSpace = character === ' ' || character === '\t';
    if (isFull && isSpace) return newLine();
    const turned = isFull ? turn() : '';
    column += width;
    word = isSpace ? '' : word + character;
    return turned + (isSpace ? ' ' : character);
  };
  const fresh = () => {
    if (column > 0) terminal.write(newLine());
  };
  return {
    text: (piece) => terminal.write(Array.from(plain(piece), put).join('')),
    line: (text) => {
      fresh();
      terminal.write(`${text}\n`);
    },
    fresh,
  };
};
