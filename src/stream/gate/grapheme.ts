import { once } from '../../phase/memo.js';

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
export const graphemeCeiling = (text: string, at: number): number | undefined => {
  // The next character decides whether the grapheme at the index is complete.
  for (let place = at + 1; place + 1 < text.length; place += 1) if (startOfGrapheme(text, place) === place) return place;
  return undefined;
};
