import { isNameField } from './plain-json.js';

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
