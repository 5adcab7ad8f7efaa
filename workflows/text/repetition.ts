import { atOnce, findingEach, type Steps } from '../../src/guard/in-steps.js';
import { matching } from './matching.js';
import { once } from '../../src/phase/memo.js';
import { letter } from './characters.js';

/** Less is a line of a table, of code or of a list that recurs in a long text. */
const minShare = 0.1;
const isLarge = (words: number, total: number): boolean => words >= minShare * total;
/** The maximum length, in words, of a phrase whose immediate repetition counts. */
const maxPhraseWords = 8;
/** Shorter sentences recur in any text. */
const minSentenceWords = 5;
/** Words, and the ends of sentences and lines. */
const tokens = once(() => {
  const word = String.raw`[\p{L}\p{M}\p{N}_'’]`;
  return matching(new RegExp(`${word}+|[.!?。！？\n]+`, 'u'), new RegExp(`${word}*`, 'u'));
});

/**
 * The number of repetitions: of the longest run of one phrase (`buy now buy now`), or of the most frequent
 * sentence or line of at least five words, whichever is more. Case and punctuation do not count, nor do numbers alone. 0 for a
 * text without words.
 */
export const repetitionOf = (text: string): number => atOnce(countingRepetition(text));

/** As {@link repetitionOf}, in steps. */
export function* countingRepetition(text: string): Steps<number> {
  const phrases = createPhrases();
  const sentences = createSentences();
  yield* findingEach(tokens(), text, ({ start, end }) => {
    const word = text.slice(start, end).toLowerCase();
    if (/^[.!?。！？\n]/.test(word)) sentences.end();
    else if (letter().test(word)) {
      phrases.add(word);
      sentences.add(word);
    }
  });
  sentences.end();
  return Math.max(phrases.most(), sentences.most());
}

/** Counts immediate repetitions of phrases: for each phrase length, the number of consecutive words equal to those before. */
const createPhrases = () => {
  const last: string[] = [];
  const [same, longest] = [new Uint32Array(maxPhraseWords), new Uint32Array(maxPhraseWords)];
  let count = 0;
  return {
    add: (word: string): void => {
      for (let period = 1; period <= maxPhraseWords; period += 1) {
        const row = word === last[(count - period) % maxPhraseWords] ? (same[period - 1] ?? 0) + 1 : 0;
        same[period - 1] = row;
        if (row > (longest[period - 1] ?? 0)) longest[period - 1] = row;
      }
      last[count % maxPhraseWords] = word;
      count += 1;
    },
    most: (): number => {
      const runs = Array.from(longest, (row, at) => (isLarge(row + at + 1, count) ? Math.floor(row / (at + 1)) + 1 : 1));
      return count === 0 ? 0 : Math.max(...runs);
    },
  };
};

/** Long sentences are joined from pieces: word by word they would be a string of many small ones. */
const wordsPerPiece = 256;

const createSentences = () => {
  const counts = new Map<string, { times: number; words: number }>();
  let [sentence, size, total] = ['', 0, 0];
  let words: string[] = [];
  return {
    add: (word: string): void => {
      words.push(word);
      size += 1;
      total += 1;
      if (words.length < wordsPerPiece) return;
      sentence += `${words.join(' ')} `;
      words = [];
    },
    end: (): void => {
      if (sentence !== '' || words.length >= minSentenceWords) {
        const key = sentence + words.join(' ');
        counts.set(key, { times: (counts.get(key)?.times ?? 0) + 1, words: size });
      }
      [sentence, words, size] = ['', [], 0];
    },
    most: (): number => {
      let most = 0;
      for (const { times, words: each } of counts.values()) most = Math.max(most, isLarge(times * each, total) ? times : 1);
      return most;
    },
  };
};
