import { atOnce, stepChars, type Steps } from '../../src/guard/in-steps.js';
import { rememberKinds, letterOrDigit } from './characters.js';
import { lazyRegex } from '../../src/phase/memo.js';

/** Finds common text of long texts and a short one. It stores pieces of the long ones that fit into the shortest relevant run. */
/** The longest run of a text's plain signs that also occurs in the indexed texts; 0 if it is shorter than the minimum. */
export type OverlapIndex = (signs: string) => number;

const isSign = rememberKinds((character) => (letterOrDigit().test(character) ? 1 : 0));
/** The maximum number of units per conversion to a string. */
const maxUnits = 4096;

/** Letters and digits in lower case: the same for a quotation in another form. */
export const plainSigns = (text: string): string => {
  const form = text.normalize('NFKC').toLowerCase();
  // A regular expression that removes the text between characters would use much memory if it matches often.
  const units = new Uint16Array(Math.min(form.length, maxUnits) + 1);
  let [signs, count] = ['', 0];
  const flush = (): void => {
    signs += Reflect.apply(String.fromCharCode, undefined, units.subarray(0, count));
    count = 0;
  };
  for (let at = 0; at < form.length; at += 1) {
    const code = form.codePointAt(at) as number; // `at` is in the text
    const kept = isSign(code) === 1;
    if (kept) units[count++] = form.charCodeAt(at);
    if (code > 0xffff) at += 1;
    if (kept && code > 0xffff) units[count++] = form.charCodeAt(at);
    if (count >= maxUnits) flush();
  }
  flush();
  return signs;
};

/** A position at which a text can be split: directly before a word or number. */
const border = lazyRegex(String.raw`(?<=[^\p{L}\p{M}\p{N}])(?=[\p{L}\p{N}])`, 'gu');

/** As {@link plainSigns}, in steps. */
export const readingSigns = (text: string): Steps<string> => inPieces(text, plainSigns);

/** The compatibility form of a text (NFKC), in steps. */
export const readingForm = (text: string): Steps<string> => inPieces(text, (piece) => piece.normalize('NFKC'));

function* inPieces(text: string, read: (piece: string) => string): Steps<string> {
  const pieces: string[] = [];
  yield* eachPiece(text, (piece) => void pieces.push(read(piece)));
  return pieces.join('');
}

/** Calls `see` with pieces of a text until it returns false; a long text is split between words if possible. */
export function* eachPiece(text: string, see: (piece: string) => boolean | void): Steps<void> {
  for (let at = 0; at < text.length;) {
    const most = Math.min(text.length, at + stepChars);
    border().lastIndex = at + stepChars / 2;
    const end = border().exec(text.slice(0, most))?.index ?? most;
    yield end - at;
    if (see(text.slice(at, end)) === false) return;
    at = end;
  }
}

/** The number of signs in a mark. A piece has at least as many. */
const markSigns = 3;
const maxMarks = 65_536;

/**
 * Indexes texts for runs of at least `least` signs, from 3: one piece per `least / 3` characters is stored, so that the index is
 * small and each run still contains a whole piece. Linear in the texts.
 */
export const indexOverlap = (texts: readonly string[], least: number): OverlapIndex =>
  atOnce(indexingSigns(texts.map(plainSigns), least));

/** As {@link indexOverlap}, in steps, for texts in plain signs. */
export function* indexingSigns(texts: readonly string[], least: number): Steps<OverlapIndex> {
  const stride = Math.max(1, Math.floor(least / 3));
  const pieceChars = least - stride + 1;
  const places = new Map<string, { text: string; at: number }>();
  /** Marks of known pieces: a few characters rule most pieces out. */
  const marks = new Uint8Array(maxMarks);
  const markOf = (text: string, at: number): number => {
    let mark = 0;
    for (let sign = 0; sign < markSigns; sign += 1) mark = (Math.imul(mark, 31) + text.charCodeAt(at + sign)) | 0;
    return (mark ^ (mark >>> 15)) & (maxMarks - 1);
  };
  for (const text of texts) {
    if (text.length < least) continue;
    for (let at = 0; at + pieceChars <= text.length; at += stride) {
      if (at % (64 * stride) === 0) yield 64 * pieceChars;
      places.set(text.slice(at, at + pieceChars), { text, at });
      marks[markOf(text, at)] = 1;
    }
  }
  return (signs) => {
    let longest = 0;
    for (let at = 0; at + pieceChars <= signs.length; at += 1) {
      const place = marks[markOf(signs, at)] === 1 ? places.get(signs.slice(at, at + pieceChars)) : undefined;
      if (!place) continue;
      const run = runAround(signs, at, place);
      longest = Math.max(longest, run.length);
      at = Math.max(at, run.end - pieceChars);
    }
    return longest >= least ? longest : 0;
  };
}

/** The whole run around a piece that occurs in both texts. */
const runAround = (
  signs: string,
  at: number,
  place: { readonly text: string; readonly at: number },
): { readonly length: number; readonly end: number } => {
  let before = 0;
  while (before < at && before < place.at && signs[at - before - 1] === place.text[place.at - before - 1]) before += 1;
  let end = at;
  while (end < signs.length && signs[end] === place.text[place.at + end - at]) end += 1;
  return { length: end - at + before, end };
};
