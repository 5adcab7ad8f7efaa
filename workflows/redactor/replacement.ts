import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, randomBytes, utf8ToBytes } from '@noble/hashes/utils.js';

import { once, lazyRegex } from '../../src/phase/memo.js';
import type { ValueSpan } from '../patterns/combine-finders.js';
import type { GuardOptions } from '../guards/guard-options.js';
import type { ValuePlace } from '../guards/value-hooks.js';
import type { EntityRecognizer } from '../patterns/entity-finder.js';
import type { OwnPattern } from '../patterns/own-pattern.js';
import type { SecretOptions, ValueKind, ValueKindOptions } from '../patterns/value-kinds.js';
import { computed } from '../../src/phase/plain-data.js';

/** The treatment of a value. */
export type RedactionStrategy = 'mask' | 'hash' | 'remove' | 'replace' | 'block' | 'warn' | 'restore';

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
   * Values that stay: an address (`jane@example.com`), a mailbox at any domain (`support@`), a domain with all its mailboxes
   * (`example.com`), or a number in any notation. Default: none.
   */
  readonly allow?: readonly string[];
  /** The places that it reads; not with `'restore'`. An answer includes its tool calls. Default: all. */
  readonly places?: readonly ValuePlace[];
  /**
   * The treatment of a value.
   *
   * - `'mask'`: each letter and digit becomes `*`; its length and punctuation stay visible.
   * - `'hash'`: its kind and a hash, `[EMAIL:3f2a9c1b7d20]`; the same value has the same hash, see `key`.
   * - `'remove'`: nothing; the text on its two sides may then form a new value, which `'replace'` prevents.
   * - `'replace'`: its kind, `[EMAIL]`, or the `replacement`.
   * - `'block'`: the run stops; no piece of the value leaves.
   * - `'warn'`: nothing changes; only `onViolation` is called. The stream is not read.
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

/** Returns the replacement of a value. */
type Replacement = (span: ValueSpan, value: string) => string;

/** The number of a hash's hexadecimal digits that are shown. */
const digestDigits = 12;

const masked = lazyRegex(String.raw`[\p{L}\p{N}]\p{M}*`, 'gu');

/** The replacement of a value by a redactor's strategy; empty for strategies that do not replace. */
export const replacementOf = ({ strategy, replacement, key }: RedactorOptions): Replacement => {
  const labels = new Map<string, string>();
  const labeled = (kind: string): string => computed(labels, kind, () => `[${labelOf(kind)}]`);
  // Cloudflare Workers have no randomness while a module loads, which is when most guards are created.
  const keyBytes = once(() => (typeof key === 'string' ? utf8ToBytes(key) : (key ?? randomBytes(32))));
  switch (strategy) {
    case 'mask':
      return (_span, value) => value.replaceAll(masked(), '*');
    case 'hash':
      return ({ kind, isRest }, value) =>
        isRest ? '' : `[${labelOf(kind)}:${bytesToHex(hmac(sha256, keyBytes(), utf8ToBytes(value))).slice(0, digestDigits)}]`;
    case 'replace':
      return ({ kind, isRest }) => {
        if (isRest) return '';
        return typeof replacement === 'function' ? replacement(kind) : (replacement ?? labeled(kind));
      };
    case 'remove':
    case 'block':
    case 'warn':
    case 'restore':
      return () => '';
    default:
      strategy satisfies never;
      return () => '';
  }
};
