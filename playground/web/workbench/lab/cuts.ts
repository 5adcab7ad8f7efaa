/** The chunks of a text that is cut at positions, in code points. */
export const chunksOf = (text: string, at: readonly number[]): string[] => {
  const characters = Array.from(text);
  return [0, ...at].map((from, index) => characters.slice(from, at[index]).join('')).filter(Boolean);
};

/** The positions of cuts between chunks. A cut inside a character has no position and is left out. */
export const cutsOf = (chunks: readonly string[]): number[] => {
  const starts = new Map<number, number>();
  let units = 0;
  for (const [index, character] of Array.from(chunks.join('')).entries()) {
    starts.set(units, index);
    units += character.length;
  }
  let end = 0;
  const ends = chunks.slice(0, -1).map((chunk) => (end += chunk.length));
  const positions = ends.map((unit) => starts.get(unit) ?? 0).filter((position) => position > 0);
  return [...new Set(positions)].toSorted((a, b) => a - b);
};
