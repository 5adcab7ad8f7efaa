import type { Processor } from '@mastra/core/processors';

import { combineFinders, countKinds, type ValueSpan } from '../patterns/combine-finders.js';
import { findersOf, type ValueKind, type ValueKindOptions } from '../patterns/value-kinds.js';
import { idCountries } from '../patterns/kinds/national-id.js';
import {
  type EditStrategy,
  type GuardOptions,
  checkOptions,
  editStrategies,
  type KindsOf,
  sharedKinds,
} from './guard-options.js';
import { valueHooks, type ValueHooks } from './value-hooks.js';
import { aFunction, aName, aText, either, listOf, oneOf } from '../../src/option-kind.js';

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

export interface PiiGuardOptions extends GuardOptions, ValueKindOptions {
  /** The kinds of values to find. Default: {@link piiKinds}. */
  kinds?: readonly PiiKind[];
  /** `redact` replaces each value and continues, `block` stops the run, `warn` only calls `onViolation`. Default `'redact'`. */
  strategy?: EditStrategy;
  /** The replacement for a value: a text, or a function of its kind. Default: the kind, as in `[EMAIL]`. */
  replacement?: string | ((kind: PiiKind) => string);
}

/** Metadata of the tripwire and of `onViolation`; never a value. */
export interface PiiMetadata {
  strategy: EditStrategy;
  /** The number of findings by kind. */
  found: Partial<Record<PiiKind, number>>;
}

type PiiProcessor = Processor<string, PiiMetadata>;

const optionKinds: KindsOf<PiiGuardOptions> = {
  ...sharedKinds,
  kinds: listOf(oneOf(...piiKinds)),
  strategy: editStrategies,
  replacement: either(aText, aFunction),
  defaultCountry: aName,
  countries: listOf(oneOf(...idCountries)),
};

/**
 * A guard (id `pii`) for personal values in the input, in tool results and in answers. Specialized libraries validate the values,
 * see `findPii`. `redactor` does the same for more kinds and in more ways.
 *
 * - Input: `redact` edits every incoming message, `block` and `warn` judge the user's newest turn.
 * - Answers: the assistant's text since the user's last turn, in the stream, after each step and at the end.
 * - Tool results: every string, key and long number in them. A result that cannot be replaced is blocked instead.
 *
 * In messages it reads and edits only text parts; in a stream also reasoning and tool arguments. There `redact` and
 * `block` buffer a possible beginning of a value, so that no piece of one leaves, however the stream is cut; `warn` does
 * not read the stream.
 */
export const piiGuard = (options: PiiGuardOptions = {}): PiiProcessor & ValueHooks<PiiMetadata> => {
  checkOptions('pii', options, optionKinds);
  const { kinds = piiKinds, strategy = 'redact', replacement = (kind: PiiKind) => `[${kind.toUpperCase()}]` } = options;
  const guard: PiiProcessor = {
    id: options.id ?? 'pii',
    name: 'Personal data',
    description: `Finds personal data (${kinds.join(', ')}); strategy: ${strategy}.`,
    onViolation: options.onViolation,
  };
  const hooks = valueHooks<PiiKind, PiiMetadata>(
    {
      finder: combineFinders(findersOf(kinds, options)),
      effect: strategy,
      rejectsCalls: strategy === 'redact',
      replacement: ({ kind }) => (typeof replacement === 'string' ? replacement : replacement(kind)),
      detection: (found, place) => ({
        reason: `Personal data was found in the ${place}.`,
        metadata: { strategy, found: countKinds(found) },
      }),
    },
    guard,
  );
  return Object.assign(guard, hooks);
};
