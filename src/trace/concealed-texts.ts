/** Texts that are recorded in pieces, so that no secret value is split between two pieces. */
interface ConcealedTexts {
  /** The part of a growing text that may be recorded so far. */
  push(id: string, text: string): string;
  /** The rest of a text. */
  end(id: string): string;
  /** Texts with an unrecorded rest. */
  readonly open: readonly string[];
}

/** The maximum length of a value that is found when it is split: a key may be long. */
const longestValue = 1_024;

/** Conceals texts that arrive in pieces. It keeps back the end of each, because a value may continue in the next piece. */
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
