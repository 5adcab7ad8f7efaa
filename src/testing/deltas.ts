/** The usage of a scripted answer; omitted values get a small fixed number. */
export interface ScriptedUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Default: the sum of the two. */
  readonly totalTokens?: number;
}

/** A tool call in a script. */
export interface ScriptedToolCall {
  /** Default: an id that is unique within the server or model. */
  readonly id?: string;
  readonly name: string;
  /** Sent as JSON; a string is sent unchanged, so that malformed arguments can be scripted. */
  readonly args: unknown;
  /** The number of deltas for the arguments. Default 1. */
  readonly fragments?: number;
}

/** The cut of a text: characters per piece, or the pieces themselves. */
export type Chunks = number | readonly string[];

/**
 * Splits a text into deltas. A number counts code points, so that no character is cut. Pieces that do not add up to the text
 * are rejected, because the two would contradict each other.
 */
export const splitText = (text: string, chunks: Chunks = Infinity): readonly string[] => {
  if (typeof chunks !== 'number') {
    if (chunks.join('') !== text) throw new RangeError('The chunks of a scripted text do not add up to its text.');
    return chunks;
  }
  if (text === '') return [];
  if (!(chunks >= 1)) throw new RangeError(`A scripted text cannot be cut every ${chunks} characters; use 1 or more.`);
  const characters = Array.from(text);
  if (chunks >= characters.length) return [text];
  const size = Math.floor(chunks);
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, at) =>
    characters.slice(at * size, (at + 1) * size).join(''),
  );
};

/** Splits a text into at most `pieces` deltas of nearly the same length. */
export const splitInto = (text: string, pieces = 1): readonly string[] =>
  splitText(text, Math.max(1, Math.ceil(Array.from(text).length / Math.max(1, pieces))));

/** The arguments of a tool call as sent over the wire. */
export const toolInput = ({ args }: ScriptedToolCall): string => (typeof args === 'string' ? args : JSON.stringify(args ?? {}));

/** Adds the defaults to a script's usage. */
export const fullUsage = ({ inputTokens = 10, outputTokens = 5, totalTokens }: ScriptedUsage = {}): Required<ScriptedUsage> => ({
  inputTokens,
  outputTokens,
  totalTokens: totalTokens ?? inputTokens + outputTokens,
});
