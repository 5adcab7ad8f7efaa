/** The pieces in which a stream delivers a text. */
export type Pieces = readonly string[];

/** All cuts of a text in two, except at its ends. Surrogate pairs are cut, too. */
export const twoWayCuts = (text: string): Pieces[] =>
  Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => [text.slice(0, at + 1), text.slice(at + 1)]);

/** A cut into single UTF-16 units. */
export const unitCuts = (text: string): Pieces => text.split('');

/** `count` random cuts of a text; the same for the same seed. */
export const randomCuts = (text: string, { count, seed }: { count: number; seed: number }): Pieces[] => {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => {
    const most = 1 + Math.floor(random() * text.length);
    const pieces: string[] = [];
    for (let at = 0; at < text.length;) {
      const length = 1 + Math.floor(random() * most);
      pieces.push(text.slice(at, at + length));
      at += length;
    }
    return pieces;
  });
};

/** Pseudorandom numbers from 0 to 1 for a seed (mulberry32). */
export const createRandom = (seed: number): (() => number) => {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};
