/** The longest phrase, in words, whose immediate repetition is looked for. */
const maxPhraseWords = 8;
/** Shorter sentences recur in any text. */
const minSentenceWords = 5;

/**
 * How often the same thing is said: the longest row of one phrase repeated at once (`buy now buy now`), or the most frequent
 * sentence or line of at least five words, whichever is more. Case and punctuation do not count, nor do numbers alone. 0 for a
 * text without words.
 */
export const repetitionOf = (text: string): number => Math.max(phraseRepetition(wordsOf(text)), sentenceRepetition(text));

const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{M}\p{N}_'’]+/gu) ?? []).filter((word) => /\p{L}/u.test(word));

const phraseRepetition = (words: readonly string[]): number => {
  if (words.length === 0) return 0;
  let most = 1;
  for (let period = 1; period <= maxPhraseWords; period++) most = Math.max(most, repetitionWithPeriod(words, period));
  return most;
};

const repetitionWithPeriod = (words: readonly string[], period: number): number => {
  let longest = 0;
  let matching = 0;
  for (let index = period; index < words.length; index++) {
    matching = words[index] === words[index - period] ? matching + 1 : 0;
    longest = Math.max(longest, matching);
  }
  return Math.floor(longest / period) + 1;
};

const sentenceRepetition = (text: string): number => {
  const counts = new Map<string, number>();
  for (const sentence of text.split(/[.!?。！？\n]+/u)) {
    const words = wordsOf(sentence);
    if (words.length < minSentenceWords) continue;
    const key = words.join(' ');
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  let most = 0;
  for (const count of counts.values()) most = Math.max(most, count);
  return most;
};
