import { isNameField } from './plain-json.js';

/** A text in the input or output of a guard. */
export interface TextAt {
  /** Dotted, e.g. `messages.3.content.parts.0.text`. */
  readonly target: string;
  readonly text: string;
}

/** The words in a value, where they stand; names and ids are none. */
export const textsIn = (value: unknown, target = ''): TextAt[] => {
  if (typeof value === 'string') return [{ target, text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([key]) => Array.isArray(value) || !isNameField(key))
    .flatMap(([key, field]) => textsIn(field, target ? `${target}.${key}` : key));
};
