import { estimateTokenCount } from 'tokenx';
import type { GuardWindow } from '../../../schemas/index.js';
import { graphemeCeiling, graphemeFloor } from './grapheme.js';

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
export const windowEnd = (window: GuardWindow, held: HeldText): number => {
  const { text, isEnded, isStepOver } = held;
  if (text === '') return 0;
  if (window === 'part') return isEnded ? text.length : 0;
  if (window === 'step') return isStepOver && isEnded ? text.length : 0;
  if (window === 'chunk') return graphemeFloor(text, text.length, !isEnded && !endsPlain.test(text)); // as the model cut it
  return windows(held, nextEnd(window));
};

/** Finds where the window that begins at a place ends, in text that may go on. */
type NextEnd = (text: string, from: number, isEnded: boolean) => number | undefined;

/** One window, or all that are whole; the rest of a part that has ended is one. */
const windows = ({ text, isEnded, isLate }: HeldText, next: NextEnd): number => {
  let end = next(text, 0, isEnded) ?? 0;
  if (isLate && end > 0)
    for (let after = next(text, end, isEnded); after !== undefined && after < text.length; after = next(text, end, isEnded))
      end = after;
  return isEnded && (isLate || end === 0) ? text.length : end;
};

const nextEnd = (window: Exclude<GuardWindow, 'part' | 'step' | 'chunk'>): NextEnd => {
  if (window === 'sentence') return sentenceEnd;
  return 'chars' in window ? charsEnd(window.chars) : tokensEnd(window.tokens);
};

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
const mayEndSentence = /[.!?\n\r\u0085\u2026\u2028\u2029\u0589\u061f\u06d4\u0964\u3002\uff01\uff0e\uff1f]/;
/** What settles that a new sentence has begun: after digits and signs, a small letter could still join it to the one before. */
const settles = /[\p{L}\n]/u;

const sentenceEnd: NextEnd = (text, from, isEnded) => {
  const rest = from === 0 ? text : text.slice(from);
  if (!mayEndSentence.test(rest)) return undefined;
  const [first] = sentences.segment(rest);
  const end = first ? first.segment.length : 0;
  if (end === rest.length || (!isEnded && !settles.test(rest.slice(end)))) return undefined;
  return from + end;
};

/** Two characters more tell whether the window would end inside a grapheme. */
const charsEnd =
  (chars: number): NextEnd =>
  (text, from, isEnded) => {
    const at = from + chars;
    if (text.length < at + (isEnded ? 1 : 2)) return undefined;
    const floor = graphemeFloor(text, at, false);
    return floor > from ? floor : graphemeCeiling(text, at);
  };

/** Tokens are counted word by word, so that the count does not depend on where the text was cut. */
const tokensEnd =
  (tokens: number): NextEnd =>
  (text, from, isEnded) => {
    let count = 0;
    for (const { 0: word, index } of text.slice(from).matchAll(/\s*\S+/g)) {
      const end = from + index + word.length;
      if (end === text.length && !isEnded) return undefined; // the word may go on
      count += estimateTokenCount(word);
      if (count >= tokens) return end === text.length ? undefined : end;
    }
    return undefined;
  };
