/** The number of consecutive words that are compared. */
const shingleWords = 5;

const shinglesOf = (text: string): Set<string> => {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const last = Math.max(1, words.length - shingleWords + 1);
  return new Set(Array.from({ length: last }, (_, at) => words.slice(at, at + shingleWords).join(' ')));
};

/**
 * Groups near copies: two texts are in one cluster if they share at least a third of the shorter one's sequences of
 * five words, directly or through a chain of such texts. Returns the number of each text's cluster.
 */
export const clustersOf = (texts: readonly string[]): number[] => {
  const parents = texts.map((_, at) => at);
  const rootOf = (at: number): number => {
    const parent = parents[at] ?? at;
    return parent === at ? at : (parents[at] = rootOf(parent));
  };
  const textsWith = new Map<string, number[]>();
  const sizes: number[] = [];
  for (const [at, text] of texts.entries()) {
    const shingles = shinglesOf(text);
    sizes.push(shingles.size);
    const shared = new Map<number, number>();
    for (const shingle of shingles) {
      const others = textsWith.get(shingle) ?? [];
      for (const other of others) shared.set(other, (shared.get(other) ?? 0) + 1);
      textsWith.set(shingle, [...others, at]);
    }
    for (const [other, count] of shared)
      if (3 * count >= Math.min(shingles.size, sizes[other] ?? 0)) parents[rootOf(at)] = rootOf(other);
  }
  return texts.map((_, at) => rootOf(at));
};
