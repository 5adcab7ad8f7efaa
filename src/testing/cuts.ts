/** A text in the pieces that a stream brings it in. */
export type Pieces = readonly string[];

/** Every way to cut a text in two, ends left out; surrogate pairs are cut, too. */
export const twoWayCuts = (text: string): Pieces[] =>
  Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => [text.slice(0, at + 1), text.slice(at + 1)]);

/** One UTF-16 unit at a time. */
export const unitCuts = (text: string): Pieces => text.split('');

/** So many random ways to cut a text; the same for the same seed. */
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

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
export const createRandom = (seed: number): (() => number) => {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};
