import { combineFinders } from './combine-finders.js';
import { findersOf, type ValueKind, type ValueKindOptions } from './value-kinds.js';

/** The kinds of values that belong to a person. */
export const personalKinds = [
  'email',
  'iban',
  'card',
  'ssn',
  'national-id',
  'ip',
  'phone',
] as const satisfies readonly ValueKind[];

/** The values of some kinds in a text, by default those of persons. */
export const findValues = (text: string, kinds: readonly ValueKind[] = personalKinds, options?: ValueKindOptions) => [
  ...combineFinders(findersOf(kinds, options)).find(text, 0),
];
