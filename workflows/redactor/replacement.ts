import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, randomBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { once } from '../../src/phase/once.js';
import type { ValueSpan } from '../patterns/combine-finders.js';
import { labelOf, type RedactorOptions } from './redactor-options.js';
import { lazyRegex } from '../../src/phase/lazy-regex.js';

/** Returns the replacement of a value. */
type Replacement = (span: ValueSpan, value: string) => string;

/** The number of a hash's hexadecimal digits that are shown. */
const digestDigits = 12;

const masked = lazyRegex(String.raw`[\p{L}\p{N}]\p{M}*`, 'gu');

/** The replacement of a value by a redactor's strategy; empty for strategies that do not replace. */
export const replacementOf = ({ strategy, replacement, key }: RedactorOptions): Replacement => {
  const labels = new Map<string, string>();
  const labeled = (kind: string): string => {
    const label = labels.get(kind) ?? `[${labelOf(kind)}]`;
    labels.set(kind, label);
    return label;
  };
  // Cloudflare Workers have no randomness while a module loads, which is when most guards are created.
  const keyBytes = once(() => (typeof key === 'string' ? utf8ToBytes(key) : (key ?? randomBytes(32))));
  switch (strategy) {
    case 'mask':
      return (_span, value) => value.replaceAll(masked(), '*');
    case 'hash':
      return ({ kind }, value) =>
        `[${labelOf(kind)}:${bytesToHex(hmac(sha256, keyBytes(), utf8ToBytes(value))).slice(0, digestDigits)}]`;
    case 'replace':
      if (typeof replacement === 'function') return ({ kind }) => replacement(kind);
      return ({ kind }) => replacement ?? labeled(kind);
    case 'remove':
    case 'block':
    case 'restore':
      return () => '';
    default:
      strategy satisfies never;
      return () => '';
  }
};
