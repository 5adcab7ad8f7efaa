import { once } from '../../phase/once.js';
import type { EndFinder } from './end-finder.js';
import { graphemeCeiling, graphemeFloor } from './grapheme.js';

const sentences = once(() => new Intl.Segmenter('en', { granularity: 'sentence' }));
const mayEndSentence = /[.!?\n\r\u0085\u2026\u2028\u2029\u0589\u061f\u06d4\u0964\u3002\uff01\uff0e\uff1f]/;
/** What settles that a new sentence has begun: after digits and signs, a small letter could still join it to the one before. */
const settles = /[\p{L}\n]/u;
const lastLetter = /\p{L}\P{L}*$/u;

/** Sentences as Unicode ends them, each with the blanks behind it. */
export const sentenceEnd: EndFinder = (start) => {
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
