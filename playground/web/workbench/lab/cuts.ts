/** A text as the characters between which it can be cut: code points. */
export const charactersOf = (text: string): string[] => Array.from(text);

/** The cuts with `position` added, or removed if present. */
export const toggleCut = (at: readonly number[], position: number): number[] =>
  at.includes(position) ? at.filter((one) => one !== position) : sorted([...at, position]);

/** The positions of cuts between chunks. A cut inside a character has no position and is left out. */
export const cutsOf = (chunks: readonly string[]): number[] => {
  const starts = new Map<number, number>();
  let units = 0;
  for (const [index, character] of charactersOf(chunks.join('')).entries()) {
    starts.set(units, index);
    units += character.length;
  }
  let end = 0;
  const ends = chunks.slice(0, -1).map((chunk) => (end += chunk.length));
  return sorted(ends.map((unit) => starts.get(unit) ?? 0).filter((position) => position > 0));
};

const sorted = (positions: readonly number[]): number[] => [...new Set(positions)].toSorted((a, b) => a - b);
