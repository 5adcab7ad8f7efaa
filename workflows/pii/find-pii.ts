import { combineFinders, type ValueSpan } from '../patterns/combine-finders.js';
import { findersOf, type ValueKind, type ValueKindOptions } from '../patterns/value-kinds.js';

/** A kind of value that belongs to a person. */
export type PiiKind = Extract<ValueKind, 'email' | 'iban' | 'card' | 'ssn' | 'national-id' | 'ip' | 'phone'>;

/** Additional options of the search. */
export type PiiOptions = ValueKindOptions;

/** The position and kind of a value, without the value itself. */
export type PiiSpan = ValueSpan<PiiKind>;

/** All kinds of {@link findPii}. */
export const piiKinds: readonly PiiKind[] = ['email', 'iban', 'card', 'ssn', 'national-id', 'ip', 'phone'];

/**
 * Finds personal values in a text. A specialized library validates each (`validator`, `libphonenumber-js`), not only its
 * shape. The spans are sorted and do not overlap; values that touch the same words are one span.
 *
 * @param kinds The kinds to find. Default: all kinds.
 */
export const findPii = (text: string, kinds: readonly PiiKind[] = piiKinds, options: PiiOptions = {}): PiiSpan[] => [
  ...combineFinders(findersOf(kinds, options)).find(text, 0),
];
