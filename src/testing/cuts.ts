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

/**
 * The chunking of a streamed answer's bytes, as written to the socket.
 *
 * - `'whole'`: one write per event, as most servers do.
 * - `'byte'`: one byte per write.
 * - a number: bytes per write, regardless of event boundaries; `Infinity` is one write for everything.
 * - a function: gets the bytes of each event and returns the positions to cut at.
 */
export type Cut = 'whole' | 'byte' | number | ((bytes: Uint8Array) => readonly number[]);

/** Turns a sequence of events into a sequence of writes. */
interface Cutter {
  /** The writes that are due after this event. */
  push(event: Uint8Array): Uint8Array[];
  /** The remaining buffered bytes. */
  flush(): Uint8Array[];
}

const cutAt = (bytes: Uint8Array, positions: readonly number[]): Uint8Array[] => {
  const inside = positions.filter((at) => Number.isInteger(at) && at > 0 && at < bytes.length);
  const ends = [...new Set([...inside, bytes.length])].toSorted((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
};

const perEvent = (positions: (bytes: Uint8Array) => readonly number[]): Cutter => ({
  push: (event) => cutAt(event, positions(event)),
  flush: () => [],
});

const bySize = (size: number): Cutter => {
  let buffered: Uint8Array = new Uint8Array();
  return {
    push: (event) => {
      const all = Buffer.concat([buffered, event]);
      const due: Uint8Array[] = [];
      let at = 0;
      for (; all.length - at >= size; at += size) due.push(all.subarray(at, at + size));
      buffered = all.subarray(at);
      return due;
    },
    flush: () => {
      const rest = buffered;
      buffered = new Uint8Array();
      return rest.length > 0 ? [rest] : [];
    },
  };
};

/** Makes a cutter for one response. */
export const createCutter = (cut: Cut = 'whole'): Cutter => {
  if (cut === 'whole') return perEvent(() => []);
  if (cut === 'byte') return bySize(1);
  if (typeof cut === 'function') return perEvent(cut);
  if (cut >= 1) return bySize(Math.floor(cut));
  throw new RangeError(`Bytes cannot be cut every ${cut}; use 1 or more.`);
};
