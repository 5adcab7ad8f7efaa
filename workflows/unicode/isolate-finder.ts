import type { TextSpan } from '../../src/guard/pattern.js';
import type { Finder } from '../patterns/finder.js';

/** From the mark that begins an isolate to the one that ends it, in UTF-16 units: a name, a quotation, a line of a message. */
const maxIsolateChars = 256;

const rightToLeft = '\u2067';
const pop = '\u2069';
const marks = /[\u2066-\u2069\n\r\u0085\u2028\u2029]/g;
const lineEnd = /[\n\r\u0085\u2028\u2029]/;

const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;
/** A letter of a script that is written from right to left. */
const rightToLeftLetter =
  /(?=\p{L})[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Samr}\p{sc=Mand}\p{sc=Adlm}\p{sc=Rohg}]/u;

/** The marks of a text from a place on, sorted out. */
interface Marks {
  /** Those that are of no use, in any order. */
  readonly useless: number[];
  /** Those that begin an isolate whose end has not come, in order. */
  readonly begun: number[];
}

/**
 * Marks of isolates (U+2066 to U+2069) that are of no use: without their other half on the same line, around nothing that is seen,
 * or from right to left around letters that are not. The others keep a name from disturbing the text around it, as in messages
 * that software puts together.
 */
export const isolateFinder: Finder = {
  maxLength: 1,
  lookbehind: maxIsolateChars,
  lookahead: maxIsolateChars,
  find: (text, from, until = text.length) => {
    const { useless, begun } = marksIn(text.slice(0, until + maxIsolateChars + 1), from);
    const places = useless.length === 0 ? begun : [...useless, ...begun].toSorted((a, b) => a - b);
    const spans: TextSpan[] = [];
    for (const start of places) if (start >= from && start < until) spans.push({ start, end: start + 1 });
    return spans;
  },
  open: (text, from) => {
    const nearest = Math.max(from, text.length - maxIsolateChars);
    return marksIn(text, nearest).begun.find((start) => start >= nearest) ?? text.length;
  },
};

const marksIn = (text: string, from: number): Marks => {
  const useless: number[] = [];
  let begun: number[] = [];
  const first = Math.max(0, from - maxIsolateChars);
  for (const { 0: mark, index: at } of text.slice(first).matchAll(marks)) {
    const index = first + at;
    if (lineEnd.test(mark)) {
      useless.push(...begun);
      begun = [];
    } else if (mark !== pop) begun.push(index);
    else useless.push(...uselessOf(text, begun.pop(), index));
  }
  return { useless, begun };
};

const uselessOf = (text: string, start: number | undefined, end: number): number[] => {
  if (start === undefined) return [end];
  const needed = text[start] === rightToLeft ? rightToLeftLetter : visible;
  return end - start <= maxIsolateChars && needed.test(text.slice(start + 1, end)) ? [] : [start, end];
};
