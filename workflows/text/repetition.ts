import { atOnce, type Steps } from '../../src/guard/in-steps.js';

/** The longest phrase, in words, whose immediate repetition is looked for. */
const maxPhraseWords = 8;
/** Shorter sentences recur in any text. */
const minSentenceWords = 5;
/** So many words are counted in one step, and what one of them costs: it is written in small letters and looked for. */
const wordsPerStep = 256;
const charsPerWord = 16;

/**
 * How often the same thing is said: the longest row of one phrase repeated at once (`buy now buy now`), or the most frequent
 * sentence or line of at least five words, whichever is more. Case and punctuation do not count, nor do numbers alone. 0 for a
 * text without words.
 */
export const repetitionOf = (text: string): number => atOnce(countingRepetition(text));

/** As {@link repetitionOf}, in steps. */
export function* countingRepetition(text: string): Steps<number> {
  const phrases = createPhrases();
  const sentences = createSentences();
  const token = /[\p{L}\p{M}\p{N}_'’]+|[.!?。！？\n]/gu;
  let words = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    if (words % wordsPerStep === 0) yield wordsPerStep * charsPerWord;
    words += 1;
    const word = match[0].toLowerCase();
    if (/^[.!?。！？\n]/.test(word)) sentences.end();
    else if (/\p{L}/u.test(word)) {
      phrases.add(word);
      sentences.add(word);
    }
  }
  sentences.end();
  return Math.max(phrases.most(), sentences.most());
}

/** Counts how often a phrase is repeated at once: for each number of words, how many in a row are the same as those before. */
const createPhrases = () => {
  const last: string[] = [];
  const [matching, longest] = [new Uint32Array(maxPhraseWords), new Uint32Array(maxPhraseWords)];
  let count = 0;
  return {
    add: (word: string): void => {
      for (let period = 1; period <= maxPhraseWords; period += 1) {
        const row = word === last[(count - period) % maxPhraseWords] ? (matching[period - 1] ?? 0) + 1 : 0;
        matching[period - 1] = row;
        if (row > (longest[period - 1] ?? 0)) longest[period - 1] = row;
      }
      last[count % maxPhraseWords] = word;
      count += 1;
    },
    most: (): number => (count === 0 ? 0 : Math.max(...Array.from(longest, (row, at) => Math.floor(row / (at + 1)) + 1))),
  };
};

const createSentences = () => {
  const counts = new Map<string, number>();
  let [sentence, words, most] = ['', 0, 0];
  return {
    add: (word: string): void => {
      sentence += ` ${word}`;
      words += 1;
    },
    end: (): void => {
      const count = words < minSentenceWords ? 0 : (counts.get(sentence) ?? 0) + 1;
      if (count > 0) counts.set(sentence, count);
      most = Math.max(most, count);
      [sentence, words] = ['', 0];
    },
    most: (): number => most,
  };
};
