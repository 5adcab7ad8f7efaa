import { once } from '../../phase/once.js';

const graphemes = once(() => new Intl.Segmenter('en', { granularity: 'grapheme' }));

/** How far before a place a grapheme is looked for that it may stand in; far more than writing systems and emoji need. */
const reach = 64;

/** Printable ASCII: between two of these there is always a boundary. */
const isPlain = (unit: number): boolean => unit >= 0x20 && unit < 0x7f;

/** Where the grapheme begins that the character at a place belongs to; `at` is a place within the text. */
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

/** The last place, up to `at`, at which no grapheme is cut. At the end of a text that goes on, its last grapheme may still grow. */
export const graphemeFloor = (text: string, at: number, goesOn: boolean): number => {
  if (at < text.length) return startOfGrapheme(text, at);
  return goesOn ? startOfGrapheme(text, text.length - 1) : text.length;
};

/** The first place after `at` at which no grapheme is cut; nothing where the text has none before its end. */
export const graphemeCeiling = (text: string, at: number): number | undefined => {
  // One more character tells whether the one at the place is whole.
  for (let place = at + 1; place + 1 < text.length; place += 1) if (startOfGrapheme(text, place) === place) return place;
  return undefined;
};
