/** A letter of another script, and the Latin one it looks like. */
const pairs = [
  'аa вb сc ԁd еe һh іi јj кk ӏl мm нh оo рp ѕs тt уy хx ԝw АA ВB СC',
  'ЕE НH ІI ЈJ КK МM ОO РP ЅS ТT УY ХX αa εe ιi κk νv οo ρp τt υu χx',
  'ΑA ΒB ΕE ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ΖZ ıi ɡg ոn ѵv',
];

const lookalikes: ReadonlyMap<string, string> = new Map(
  pairs.flatMap((line) => line.split(' ')).map((pair) => [pair.slice(0, -1), pair.slice(-1)] as const),
);

/**
 * Reads letters that only look Latin as Latin, in words that also have Latin letters: a Russian or Greek word stays what it is.
 * The table holds what is used to disguise English words; it is not the whole of Unicode's confusables.
 */
export const foldLookalikes = (text: string): string => (beyondAscii.test(text) ? text.replaceAll(mixedWord, folded) : text);

const beyondAscii = /[^\0-\x7F]/;
/** A word that has letters of both kinds. */
const mixedWord = /(?<!\p{L})(?:[A-Za-z]+[[\p{L}]--[A-Za-z]]|[[\p{L}]--[A-Za-z]]+[A-Za-z])\p{L}*/gv;

const folded = (word: string): string => {
  let read = '';
  for (const letter of word) read += lookalikes.get(letter) ?? letter;
  return read;
};
