import type { GuardOptions } from '../guards/guard-options.js';
import type { EntityRecognizer } from '../patterns/entity-finder.js';
import type { OwnPattern } from '../patterns/own-pattern.js';
import type { SecretOptions, ValueKind, ValueKindOptions } from '../patterns/value-kinds.js';

/** The treatment of a value. */
export type RedactionStrategy = 'mask' | 'hash' | 'remove' | 'replace' | 'block' | 'restore';

export interface RedactorOptions extends GuardOptions, ValueKindOptions, SecretOptions {
  /** The kinds to find. Default: all kinds, see `valueKinds`. */
  readonly kinds?: readonly ValueKind[];
  /**
   * Names of persons, places and organizations, in addition to the kinds: `localEntities` of `mastra-interlock/classifier`. Each part
   * of an answer is then buffered to its end. Default: none.
   */
  readonly entities?: EntityRecognizer;
  /** Your own patterns, in addition to the kinds. Default: none. */
  readonly patterns?: readonly OwnPattern[];
  /**
   * The treatment of a value.
   *
   * - `'mask'`: each letter and digit becomes `*`; its length and punctuation stay visible.
   * - `'hash'`: its kind and a hash, `[EMAIL:3f2a9c1b7d20]`; the same value has the same hash, see `key`.
   * - `'remove'`: nothing; the text on its two sides may then form a new value, which `'replace'` prevents.
   * - `'replace'`: its kind, `[EMAIL]`, or the `replacement`.
   * - `'block'`: the run stops; no piece of the value leaves.
   * - `'restore'`: the model gets a placeholder, `[EMAIL_1]`; tools and the final answer get the value back.
   */
  readonly strategy: RedactionStrategy;
  /** With `'replace'`: the replacement, a text or a function of the kind. Default: the kind, as in `[EMAIL]`. */
  readonly replacement?: string | ((kind: string) => string);
  /**
   * With `'hash'`: the secret key of the hash (HMAC-SHA256, of which 48 bits are shown). Short values can be guessed from a hash
   * without a key, so store it like a password. Default: a random key of this redactor, so that equal values have equal hashes
   * within a run, and other ones after a restart.
   */
  readonly key?: string | Uint8Array;
}

/** Metadata of the tripwire and of `onViolation`; never a value. */
export interface RedactionMetadata {
  readonly strategy: RedactionStrategy;
  /** The number of findings by kind, or by name of a custom pattern. */
  readonly found: Readonly<Record<string, number>>;
}

/** The label of a kind or custom pattern: `url-credentials` as `URL_CREDENTIALS`. */
export const labelOf = (kind: string): string => kind.toUpperCase().replaceAll('-', '_');
