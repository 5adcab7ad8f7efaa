import { estimateTokenCount } from 'tokenx';
import type { EndFinder } from './end-finder.js';
import { graphemeFloor } from './grapheme.js';

/** Scripts that write without spaces: each character counts as a word. */
const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;
const space = /\s/;
/** What is longer is counted in pieces: an address, or code. */
const longestWord = 64;

/**
 * About so many tokens. They are counted word by word, each with the blanks before it, so that the count does not depend on where the text
 * was cut.
 */
export const tokensEnd =
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
