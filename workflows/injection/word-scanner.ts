import { stepChars, type Steps } from '../../src/guard/in-steps.js';
import { once } from '../../src/phase/memo.js';

/** Finds the words that occur in a text, in one pass, without regard to the case of ASCII. */
/** Starts to read a text. */
export type WordScanner = (text: string) => WordReading;

interface WordReading {
  /** For each word the end of its last occurrence so far; 0 if there is none. */
  readonly last: Uint32Array;
  /** Reads on, up to a place. */
  readTo(end: number): Steps<void>;
}

/** The number of scans that cost as much as one search of a text for values. */
const scansPerReading = 4;

const unit = 0x80;
/** A character that occurs in no word: matching starts again after it. */
const none = 0;

/**
 * Creates a scanner of words (Aho and Corasick): each prefix of a word has a row, with the next row for each character.
 *
 * @param words In lower case; U+0080 represents any character outside ASCII.
 * @param read Maps an ASCII character to another one, or to undefined to skip it. Default: itself.
 */
export const createWordScanner = (
  words: readonly string[],
  read: (character: string) => string = (character) => character,
): WordScanner => {
  const tables = once(() => {
    const { classes, width } = classesOf(words, read);
    return { classes, ...rowsOf(words, { classes, width }) };
  });
  return (text) => {
    const { classes, next, isEnd, ends } = tables();
    const last = new Uint32Array(words.length);
    let [at, row] = [0, 0];
    const readSection = (end: number): void => {
      for (; at < end; at += 1) {
        const code = text.charCodeAt(at);
        const kind = classes[code < unit ? code : unit] as number; // it has a place for each
        if (kind === skipped) continue;
        row = next[row + kind] as number; // each row has a place for each kind
        if (isEnd[row] === 1) for (const word of ends.get(row) ?? []) last[word] = at + 1;
      }
    };
    return {
      last,
      *readTo(until) {
        const end = Math.min(until, text.length);
        while (at < end) {
          const pause = Math.min(end, at + stepChars);
          yield (pause - at) / scansPerReading;
          readSection(pause);
        }
      },
    };
  };
};

const skipped = 0xff;

/** The characters of the words, numbered; all others share one number. */
const classesOf = (words: readonly string[], read: (character: string) => string): { classes: Uint8Array; width: number } => {
  const known = new Map<string, number>();
  for (const letter of words.join('')) if (!known.has(letter)) known.set(letter, known.size + 1);
  const classes = Uint8Array.from({ length: unit + 1 }, (_, code) => {
    const letter = read(String.fromCharCode(code).toLowerCase());
    return letter === '' ? skipped : (known.get(letter) ?? none);
  });
  return { classes, width: known.size + 1 };
};

interface Row {
  readonly next: Map<number, number>;
  readonly words: number[];
  /** The row of the longest proper suffix that is also a prefix of a word. */
  fallback: number;
}

const rowsOf = (words: readonly string[], { classes, width }: { classes: Uint8Array; width: number }) => {
  const rows: Row[] = [{ next: new Map(), words: [], fallback: 0 }];
  const rowAt = (index: number): Row => rows[index] as Row; // only known indexes are used
  for (const [index, word] of words.entries()) {
    let at = 0;
    for (let place = 0; place < word.length; place += 1) {
      const kind = classes[word.charCodeAt(place)] ?? none;
      const to = rowAt(at).next.get(kind) ?? rows.push({ next: new Map(), words: [], fallback: 0 }) - 1;
      rowAt(at).next.set(kind, to);
      at = to;
    }
    rowAt(at).words.push(index);
  }
  /** Rows are identified by their start index. */
  const next = new Uint32Array(rows.length * width);
  for (const queue = [0]; queue.length > 0;) {
    const index = queue.shift() ?? 0;
    const row = rowAt(index);
    for (let kind = 1; kind < width; kind += 1) {
      const to = row.next.get(kind);
      const back = index === 0 ? 0 : (next[row.fallback * width + kind] ?? 0) / width;
      next[index * width + kind] = (to ?? back) * width;
      if (to === undefined) continue;
      rowAt(to).fallback = back;
      rowAt(to).words.push(...rowAt(back).words);
      queue.push(to);
    }
  }
  const ends = new Map(rows.flatMap((row, index) => (row.words.length > 0 ? [[index * width, row.words] as const] : [])));
  const isEnd = new Uint8Array(rows.length * width);
  for (const at of ends.keys()) isEnd[at] = 1;
  return { next, isEnd, ends };
};
