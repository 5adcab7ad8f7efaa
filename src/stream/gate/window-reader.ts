import type { GuardWindow } from '../../../schemas/index.js';
import type { EndFinder } from './end-finder.js';
import { graphemeCeiling, graphemeFloor } from './grapheme.js';
import { sentenceEnd } from './sentence-end.js';
import { tokensEnd } from './tokens-end.js';

/** The text that a guard has not judged yet. */
export interface HeldText {
  readonly text: string;
  /** Whether its part has ended. */
  readonly isEnded: boolean;
  /** Whether its step has ended. */
  readonly isStepOver: boolean;
  /** Whether it gathered while the guard was busy: then all whole windows are one. */
  readonly isLate: boolean;
}

/** A text that ends so may leave at once; only an accent for a letter could still belong to it. */
const endsPlain = /[\x20-\x7e]$/;

/** How much of a held text makes a window, from its beginning; 0 while there is none. */
export type WindowReader = (held: HeldText) => number;

/**
 * Reads the next window of one text, which is held whole until there is one. It remembers how far it has read in vain, so that a text
 * that comes in many pieces is read once; for the window after that another reader is made.
 */
export const createWindowReader = (window: GuardWindow): WindowReader => {
  if (window === 'chunk') return wholeChunks;
  if (window === 'part') return ({ text, isEnded }) => (isEnded ? text.length : 0);
  if (window === 'step') return ({ text, isEnded, isStepOver }) => (isStepOver && isEnded ? text.length : 0);
  return windows(endFinder(window));
};

/** As the model cut it. */
const wholeChunks: WindowReader = ({ text, isEnded }) =>
  text === '' ? 0 : graphemeFloor(text, text.length, !isEnded && !endsPlain.test(text));

/** One window, or all that are whole; the rest of a part that has ended is one. */
const windows = (finderAt: EndFinder): WindowReader => {
  const findFirst = finderAt(0);
  return ({ text, isEnded, isLate }) => {
    let end = findFirst(text, isEnded) ?? 0;
    const next = () => finderAt(end)(text, isEnded);
    if (isLate && end > 0) for (let after = next(); after !== undefined && after < text.length; after = next()) end = after;
    return isEnded && (isLate || end === 0) ? text.length : end;
  };
};

const endFinder = (window: Exclude<GuardWindow, 'part' | 'step' | 'chunk'>): EndFinder => {
  if (window === 'sentence') return sentenceEnd;
  return 'chars' in window ? charsEnd(window.chars) : tokensEnd(window.tokens);
};

/** Two characters more tell whether the window would end inside a grapheme. One that is longer than the window is a window itself. */
const charsEnd =
  (chars: number): EndFinder =>
  (start) => {
    let from = start + chars;
    return (text, isEnded) => {
      if (text.length < from + (isEnded ? 1 : 2)) return undefined;
      const floor = from === start + chars ? graphemeFloor(text, from, false) : start;
      if (floor > start) return floor;
      const end = graphemeCeiling(text, from);
      if (end === undefined) from = Math.max(from, text.length - 2); // what was looked at is not looked at again
      return end;
    };
  };
