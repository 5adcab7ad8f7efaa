import { isNameField } from './plain-json.js';
import { fieldsIn } from '../phase/plain-data.js';

/** A text in the input or output of a guard. */
export interface TextAt {
  /** A dotted path, e.g. `messages.3.content.parts.0.text`. */
  readonly target: string;
  readonly text: string;
}

/** The texts in a value, one per line. Names and ids are left out. */
export const wordsIn = (value: unknown): string =>
  textsIn(value)
    .map(({ text }) => text)
    .join('\n');

/** The texts in a value, with their paths. Names and ids are left out. */
export const textsIn = (value: unknown, target = ''): TextAt[] => {
  if (typeof value === 'string') return [{ target, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([key]) => Array.isArray(value) || !isNameField(key))
    .flatMap(([key, field]) => textsIn(field, target ? `${target}.${key}` : key));
};

/** The words of a chunk: of a text, of reasoning, or of streamed arguments. */
export const wordsOfChunk = ({ payload }: { readonly payload?: unknown }): string | undefined => {
  const { text, argsTextDelta = text } = fieldsIn(payload);
  return typeof argsTextDelta === 'string' ? argsTextDelta : undefined;
};

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
