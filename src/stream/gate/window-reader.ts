import { estimateTokenCount } from 'tokenx';
import type { GuardWindow } from '../../guard/policy/guard-policy.js';
import { once, lazyRegex } from '../../phase/memo.js';

/** The text that a guard has not judged yet. */
interface UnjudgedText {
  readonly text: string;
  /** Whether its part has ended. */
  readonly isEnded: boolean;
  /** Whether its step has ended. */
  readonly isStepOver: boolean;
  /** Whether it gathered while the guard was busy: then all complete windows are one. */
  readonly isLate: boolean;
}

/** After such an end a text can be emitted at once; only an accent for a letter could still follow. */
const endsPlain = /[\x20-\x7e]$/;

/** The length of the next window at the start of a buffered text; 0 if there is none yet. */
export type WindowReader = (unjudged: UnjudgedText) => number;

/**
 * Creates a reader for the next window of one text, which is buffered until there is one. It remembers how far it has read without a
 * result, so that a text in many pieces is read once; the next window needs another reader.
 */
export const createWindowReader = (window: GuardWindow): WindowReader => {
  if (window === 'chunk' || window === 'delta') return wholeChunks;
  if (window === 'part') return ({ text, isEnded }) => (isEnded ? text.length : 0);
  if (window === 'step') return ({ text, isEnded, isStepOver }) => (isStepOver && isEnded ? text.length : 0);
  return windows(endFinder(window));
};

/** Windows as the model split the text. */
const wholeChunks: WindowReader = ({ text, isEnded }) =>
  text === '' ? 0 : graphemeFloor(text, text.length, !isEnded && !endsPlain.test(text));

/** One window, or all complete ones; the rest of a part that has ended is one. */
const windows = (finderAt: EndFinder): WindowReader => {
  const findFirst = finderAt(0);
  return ({ text, isEnded, isLate }) => {
    let end = findFirst(text, isEnded) ?? 0;
    const next = () => finderAt(end)(text, isEnded);
    if (isLate && end > 0) for (let after = next(); after !== undefined && after < text.length; after = next()) end = after;
    return isEnded && (isLate || end === 0) ? text.length : end;
  };
};

const endFinder = (window: Exclude<GuardWindow, 'part' | 'step' | 'chunk' | 'delta'>): EndFinder => {
  if (window === 'sentence') return sentenceOrMember;
  return 'chars' in window ? charsEnd(window.chars) : tokensEnd(window.tokens);
};

/** Two more characters decide whether the window would end inside a grapheme. A grapheme longer than the window is a window itself. */
const charsEnd =
  (chars: number): EndFinder =>
  (start) => {
    let from = start + chars;
    return (text, isEnded) => {
      if (text.length < from + (isEnded ? 1 : 2)) return undefined;
      const lower = from === start + chars ? graphemeFloor(text, from, false) : start;
      if (lower > start) return lower;
      const end = graphemeCeiling(text, from);
      if (end === undefined) from = Math.max(from, text.length - 2); // does not read the same text again
      return end;
    };
  };

/** A list or code may have no end of a sentence for long; JSON has none. */
const longestSentence = 400;
const longestMember = 200;
const startsJson = /^\s*(?:[[{]|"[^"]*"\s*:)/;

/** A sentence, or a member of an object or list in JSON, or as much of it as a window may have. */
const sentenceOrMember: EndFinder = (start) => {
  const [sentence, sentenceLimit, memberLimit] = [sentenceEnd, charsEnd(longestSentence), charsEnd(longestMember)].map((at) =>
    at(start),
  ) as [ReturnType<EndFinder>, ReturnType<EndFinder>, ReturnType<EndFinder>];
  let member: ReturnType<EndFinder> | undefined;
  return (text, isEnded) => {
    if (!member && startsJson.test(text.slice(start, start + longestMember))) member = memberEnd(start);
    const limit = (member ? memberLimit : sentenceLimit)(text, isEnded);
    const end = (member ?? sentence)(text, isEnded);
    return limit === undefined || (end !== undefined && end < limit) ? end : limit;
  };
};

/** The end of a member: a comma or a closing bracket outside of a string. */
const memberEnd: EndFinder = (start) => {
  let at = start;
  let isInString = false;
  return (text) => {
    for (; at < text.length; at += 1) {
      const sign = text.charAt(at);
      if (sign === '\\' && isInString) at += 1;
      else if (sign === '"') isInString = !isInString;
      else if (!isInString && /[,}\]]/.test(sign)) return at + 1;
    }
    return undefined;
  };
};

const sentences = once(() => new Intl.Segmenter('en', { granularity: 'sentence' }));
const mayEndSentence = /[.!?\n\r\u0085\u2026\u2028\u2029\u0589\u061f\u06d4\u0964\u3002\uff01\uff0e\uff1f]/;
/** Confirms the start of a new sentence: after digits and signs, a lower-case letter could still continue the previous one. */
const settles = lazyRegex(String.raw`[\p{L}\n]`);
const lastLetter = lazyRegex(String.raw`\p{L}\P{L}*$`);

/** Sentences by Unicode's rules, each with the white space after it. */
const sentenceEnd: EndFinder = (start) => {
  /** The text before this index contains no end of a sentence and cannot affect one: a letter has settled both. */
  let from = start;
  /** The text is read up to this index. */
  let seen = start;
  return (text, isEnded) => {
    const isNew = isEnded || settles().test(text.slice(seen));
    seen = text.length;
    if (!isNew) return undefined;
    const rest = text.slice(from);
    const end = mayEndSentence.test(rest) ? endOfFirst(rest) : rest.length;
    if (end < rest.length && (isEnded || settles().test(rest.slice(end)))) return wholeGrapheme(text, from + end);
    from += lastLetter().exec(rest)?.index ?? 0;
    return undefined;
  };
};

/** A segmenter copies its input: this many characters are tried first, then twice as many each time. */
const firstChars = 1024;

/** Whether a sentence ends depends on the text up to the next letter, end mark or line break. */
const decides = once(() => new RegExp(`(?:${settles().source}|${mayEndSentence.source})[^]`, 'u'));
/** A sentence that ends inside a section of the text ends there in the whole, if the text that decides this is in the section. */
const endOfFirst = (text: string): number => {
  for (let chars = firstChars; ; chars *= 2) {
    const part = text.slice(0, chars);
    const end = sentences().segment(part).containing(0)?.segment.length ?? 0; // an iterator would copy the text again
    if (part.length === text.length || decides().test(part.slice(end))) return end;
  }
};

/** Sentences end inside a grapheme if an end mark has a skin tone. */
const wholeGrapheme = (text: string, at: number): number | undefined =>
  graphemeFloor(text, at, false) === at ? at : graphemeCeiling(text, at);

/** Scripts that write without spaces: each character counts as a word. */
const unspaced = lazyRegex(String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`);
const space = /\s/;
/** Longer words, such as an address or code, are counted in pieces. */
const longestWord = 64;

/**
 * The end of an estimated number of tokens. They are counted word by word, each with the white space before it, so that the count does
 * not depend on the text's pieces.
 */
const tokensEnd =
  (tokens: number): EndFinder =>
  (start) => {
    /** The start of the current word, including its white space. */
    let from = start;
    let at = start;
    /** The start of its letters; undefined while there is only white space. */
    let word: number | undefined;
    let count = 0;
    return (text, isEnded) => {
      for (; at < text.length; at += 1) {
        if (isHalf(text, at) && !isEnded) return undefined; // its second half has not come yet
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

/** Whether only the first half of a character has come. */
const isHalf = (text: string, at: number): boolean => at === text.length - 1 && /[\uD800-\uDBFF]/.test(text.charAt(at));

/** Whether a word that started before an index ends there. */
const endsWord = (text: string, at: number, word: number): boolean => {
  if (/[\uDC00-\uDFFF]/.test(text.charAt(at))) return false; // the second half of a character
  if (at - word >= longestWord || space.test(text.charAt(at))) return true;
  return unspaced().test(characterAt(text, at)) || unspaced().test(characterAt(text, word));
};

const characterAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) ?? 0);

/**
 * Finds the end of the window that starts at an index, in a text that may continue; undefined until it is settled. If it found nothing,
 * it is called again with more text, and need not read the earlier text again.
 */
type EndFinder = (start: number) => (text: string, isEnded: boolean) => number | undefined;

const graphemes = once(() => new Intl.Segmenter('en', { granularity: 'grapheme' }));

/** The search distance before an index for the grapheme around it; far more than writing systems and emoji need. */
const reach = 64;

/** Printable ASCII: between two of these there is always a boundary. */
const isPlain = (unit: number): boolean => unit >= 0x20 && unit < 0x7f;

/** The start of the grapheme with the character at an index inside the text. */
const startOfGrapheme = (text: string, at: number): number => {
  if (at <= 0) return 0;
  if (isPlain(text.charCodeAt(at - 1)) && isPlain(text.charCodeAt(at))) return at;
  const base = Math.max(0, at - reach);
  return (
    base +
    (graphemes()
      .segment(text.slice(base, at + 2))
      .containing(at - base)?.index ?? 0)
  );
};

/** The last index, up to `at`, that splits no grapheme. At the end of a text that continues, its last grapheme may still grow. */
export const graphemeFloor = (text: string, at: number, mayContinue: boolean): number => {
  if (at < text.length) return startOfGrapheme(text, at);
  return mayContinue ? startOfGrapheme(text, text.length - 1) : text.length;
};

/** The first index after `at` that splits no grapheme; undefined if the text has none before its end. */
const graphemeCeiling = (text: string, at: number): number | undefined => {
  // The next character decides whether the grapheme at the index is complete.
  for (let place = at + 1; place + 1 < text.length; place += 1) if (startOfGrapheme(text, place) === place) return place;
  return undefined;
};
