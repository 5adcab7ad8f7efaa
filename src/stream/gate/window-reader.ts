import { estimateTokenCount } from 'tokenx';
import type { GuardWindow } from '../../../schemas/index.js';
import { graphemeCeiling, graphemeFloor } from './grapheme.js';
import { once } from '../../phase/once.js';

/** The text that a guard has not judged yet. */
interface HeldText {
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
 * Reads the next window of one text, which is held whole until there is one. It remembers how far it has read in vain, so that a
 * text that comes in many pieces is read once; for the window after that another reader is made.
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

const sentences = once(() => new Intl.Segmenter('en', { granularity: 'sentence' }));
const mayEndSentence = /[.!?\n\r\u0085\u2026\u2028\u2029\u0589\u061f\u06d4\u0964\u3002\uff01\uff0e\uff1f]/;
/** Confirms the start of a new sentence: after digits and signs, a lower-case letter could still continue the previous one. */
const settles = /[\p{L}\n]/u;
const lastLetter = /\p{L}\P{L}*$/u;

/** Sentences as Unicode ends them, each with the blanks behind it. */
const sentenceEnd: EndFinder = (start) => {
  /** No sentence ends before it, and what is before it has no say in where one does: a letter has settled all that. */
  let from = start;
  /** So far the text was looked at. */
  let seen = start;
  return (text, isEnded) => {
    const isNew = isEnded || settles.test(text.slice(seen));
    seen = text.length;
    if (!isNew) return undefined;
    const rest = text.slice(from);
    const end = mayEndSentence.test(rest) ? endOfFirst(rest) : rest.length;
    if (end < rest.length && (isEnded || settles.test(rest.slice(end)))) return wholeGrapheme(text, from + end);
    from += lastLetter.exec(rest)?.index ?? 0;
    return undefined;
  };
};

/** A segmenter copies the text that it is given: so much of it is tried first, and then twice as much each time. */
const firstChars = 1024;

/** What follows a sentence up to the next letter, sign of its end or line decides whether it ends there. */
const decides = new RegExp(`(?:${settles.source}|${mayEndSentence.source})[^]`, 'u');
/** A sentence that ends inside a part of the text ends there in the whole, if what decides it is in the part. */
const endOfFirst = (text: string): number => {
  for (let chars = firstChars; ; chars *= 2) {
    const part = text.slice(0, chars);
    const [first] = sentences().segment(part);
    const end = first?.segment.length ?? 0;
    if (part.length === text.length || decides.test(part.slice(end))) return end;
  }
};

/** Sentences end inside a grapheme where a sign has a tone of skin. */
const wholeGrapheme = (text: string, at: number): number | undefined =>
  graphemeFloor(text, at, false) === at ? at : graphemeCeiling(text, at);

/** Scripts that write without spaces: each character counts as a word. */
const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;
const space = /\s/;
/** What is longer is counted in pieces: an address, or code. */
const longestWord = 64;

/**
 * About so many tokens. They are counted word by word, each with the blanks before it, so that the count does not depend on where
 * the text was cut.
 */
const tokensEnd =
  (tokens: number): EndFinder =>
  (start) => {
    /** Where the word that is read begins, its blanks included. */
    let from = start;
    let at = start;
    /** Where its letters begin; nothing while there are only blanks. */
    let word: number | undefined;
    let count = 0;
    return (text, isEnded) => {
      for (; at < text.length; at += 1) {
        if (isHalf(text, at) && !isEnded) return undefined; // what it is, is still to come
        if (word !== undefined && endsWord(text, at, word)) {
          const counted = count + estimateTokenCount(text.slice(from, at));
          if (counted >= tokens && graphemeFloor(text, at, false) === at) return at;
          [count, from, word] = [counted, at, undefined];
        }
        if (!space.test(text.charAt(at))) word ??= at;
      }
      return undefined;
    };
  };

/** Whether a character's first half is all there is of it. */
const isHalf = (text: string, at: number): boolean => at === text.length - 1 && /[\uD800-\uDBFF]/.test(text.charAt(at));

/** Whether a word that began before a place ends there. */
const endsWord = (text: string, at: number, word: number): boolean => {
  if (/[\uDC00-\uDFFF]/.test(text.charAt(at))) return false; // the second half of a character
  if (at - word >= longestWord || space.test(text.charAt(at))) return true;
  return unspaced.test(characterAt(text, at)) || unspaced.test(characterAt(text, word));
};

const characterAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) ?? 0);

/**
 * Finds where the window that begins at a place ends, in a text that may go on; nothing while that is not settled. One that has
 * found nothing is asked again once there is more text, and need not read again what it has read.
 */
type EndFinder = (start: number) => (text: string, isEnded: boolean) => number | undefined;
