import type { EditStrategy } from '../guards/guard-options.js';
import type { Detection } from '../guards/detection.js';
import { redactTexts, type Redaction } from '../text/redact-texts.js';
import { countKinds, findPii, piiKinds, type PiiKind, type PiiSpan } from './find-pii.js';
import type { PiiOptions } from './pii-finder.js';

export interface PiiPolicyOptions extends PiiOptions {
  /** What to look for. Default: all of `email`, `iban`, `card`, `ssn`, `ip`, `phone`. */
  kinds?: readonly PiiKind[];
  /** `redact` replaces each value and goes on, `block` stops the run, `warn` only tells `onViolation`. Default `'redact'`. */
  strategy?: EditStrategy;
  /** What stands in place of a value: a text, or a function of its kind. Default: the kind, as in `[EMAIL]`. */
  replacement?: string | ((kind: PiiKind) => string);
}

/** What the tripwire and `onViolation` are told; never a value. */
export interface PiiMetadata {
  strategy: EditStrategy;
  /** Kinds found, and how many of each. */
  found: Partial<Record<PiiKind, number>>;
}

/** Where a value was found. */
export type PiiPlace = 'input' | 'answer' | 'tool result';

/** The options of a guard, read once. */
export interface PiiPolicy {
  readonly kinds: readonly PiiKind[];
  readonly strategy: EditStrategy;
  readonly redaction: Redaction<PiiSpan>;
  /** A leaf of a tool result after redaction. What it finds goes into `found`. */
  editLeaf(leaf: string | number, found: PiiSpan[]): string | number;
  detection(found: readonly PiiSpan[], place: PiiPlace): Detection<PiiMetadata> | undefined;
}

export const piiPolicy = (options: PiiPolicyOptions): PiiPolicy => {
  const { kinds = piiKinds, strategy = 'redact', replacement = (kind: PiiKind) => `[${kind.toUpperCase()}]` } = options;
  const redaction: Redaction<PiiSpan> = {
    find: (text) => findPii(text, kinds, options),
    replacement: ({ kind }) => (typeof replacement === 'string' ? replacement : replacement(kind)),
  };
  return {
    kinds,
    strategy,
    redaction,
    editLeaf: (leaf, found) => {
      if (typeof leaf === 'number' && !(kinds.includes('card') && isCardSized(leaf))) return leaf;
      const redacted = redactTexts([String(leaf)], redaction);
      found.push(...redacted.found);
      return redacted.found.length > 0 ? (redacted.texts[0] ?? '') : leaf;
    },
    detection: (found, place) =>
      found.length === 0
        ? undefined
        : { reason: `Personal data was found in the ${place}.`, metadata: { strategy, found: countKinds(found) } },
  };
};

/** A number in a tool result is read as a card number only: shorter ones are amounts, times and ids. */
const isCardSized = (value: number): boolean => Number.isSafeInteger(value) && value >= 1e13;
