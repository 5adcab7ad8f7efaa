/** Texts that are written down in pieces, each without a value that is cut over two of them. */
interface ConcealedTexts {
  /** What may be written of a text so far, as it goes on. */
  push(id: string, text: string): string;
  /** The rest of a text. */
  end(id: string): string;
  /** Texts of which something is not written yet. */
  readonly open: readonly string[];
}

/** The longest value that is found when it is cut: a key may be long. */
const longestValue = 1_024;

/** Conceals texts that come in pieces: the end of each waits, for a value may go on in the next piece. */
export const createConcealedTexts = (conceal: (text: string) => string): ConcealedTexts => {
  const waiting = new Map<string, string>();
  return {
    push: (id, text) => {
      const concealed = conceal((waiting.get(id) ?? '') + text);
      const until = Math.max(0, concealed.length - longestValue);
      waiting.set(id, concealed.slice(until));
      return concealed.slice(0, until);
    },
    end: (id) => {
      const rest = waiting.get(id) ?? '';
      waiting.delete(id);
      return conceal(rest);
    },
    get open() {
      return [...waiting.keys()];
    },
  };
};
