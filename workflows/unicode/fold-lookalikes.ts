import { lazyRegex } from '../../src/phase/memo.js';

/** A letter of another script, and the Latin letter that it resembles. Latin letters such as the Turkish dotless i are none. */
const pairs = [
  'аa вb сc ԁd еe һh іi јj кk ӏl мm нh оo рp ѕs тt уy хx ԝw АA ВB СC',
  'ЕE НH ІI ЈJ КK МM ОO РP ЅS ТT УY ХX αa εe ιi κk νv οo ρp τt υu χx',
  'ΑA ΒB ΕE ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ΖZ ոn ѵv',
];

const lookalikes: ReadonlyMap<string, string> = new Map(
  pairs.flatMap((line) => line.split(' ')).map((pair) => [pair.slice(0, -1), pair.slice(-1)] as const),
);

/** A letter of a script with look-alikes. */
const otherScript = lazyRegex(String.raw`[\p{sc=Cyrl}\p{sc=Grek}\p{sc=Armn}]`);
const lettersFrom = lazyRegex(String.raw`\p{L}+`, 'uy');

/**
 * Replaces letters that only look Latin with Latin ones, in words that also have Latin letters. A Russian or Greek word stays unchanged,
 * also with a Latin letter in it or an escape before it: one of its letters does not look Latin.
 * The table contains letters that are used to disguise English words; it is not the whole of Unicode's confusables.
 */
export const foldLookalikes = (text: string): string => {
  const [beyondAscii, letters] = [/[^\0-\x7F]/g, lettersFrom()];
  const pieces: string[] = [];
  let done = 0;
  for (let hit = beyondAscii.exec(text); hit; hit = beyondAscii.exec(text)) {
    letters.lastIndex = startOfLatin(text, hit.index, done);
    const from = letters.lastIndex;
    const word = letters.exec(text)?.[0] ?? '';
    if (/[A-Za-z]/.test(word)) {
      pieces.push(text.slice(done, from), folded(word));
      done = from + word.length;
    }
    beyondAscii.lastIndex = Math.max(hit.index + 1, from + word.length);
  }
  return done === 0 ? text : pieces.join('') + text.slice(done);
};

/** The start of the ASCII letters directly before a position. */
const startOfLatin = (text: string, place: number, least: number): number => {
  let start = place;
  while (start > least && /[A-Za-z]/.test(text.charAt(start - 1))) start -= 1;
  if (text.charAt(start - 1) !== '\\') return start;
  return Math.min(place, start + (/f[BIPR]/.test(text.slice(start, start + 2)) ? 2 : 1)); // an escape of JSON or of manual pages
};

const folded = (word: string): string => {
  let read = '';
  for (const letter of word) read += lookalikes.get(letter) ?? letter;
  return otherScript().test(read) ? word : read;
};
