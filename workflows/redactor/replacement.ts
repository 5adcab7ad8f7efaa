import { createHmac, randomBytes } from 'node:crypto';
import type { ValueSpan } from '../patterns/combine-finders.js';
import { labelOf, type RedactorOptions } from './redactor-options.js';

/** What stands in place of a value. */
export type Replacement = (span: ValueSpan, value: string) => string;

/** Hexadecimal digits that are shown of a hash. */
const shownDigits = 12;

/** What the strategy of a redactor puts in place of a value; nothing for those that do not replace. */
export const replacementOf = ({ strategy, replacement, key = randomBytes(32) }: RedactorOptions): Replacement => {
  switch (strategy) {
    case 'mask':
      return (_span, value) => value.replaceAll(/[\p{L}\p{N}]\p{M}*/gu, '*');
    case 'hash':
      return ({ kind }, value) =>
        `[${labelOf(kind)}:${createHmac('sha256', key).update(value).digest('hex').slice(0, shownDigits)}]`;
    case 'replace':
      if (typeof replacement === 'function') return ({ kind }) => replacement(kind);
      return ({ kind }) => replacement ?? `[${labelOf(kind)}]`;
    case 'remove':
    case 'block':
    case 'restore':
      return () => '';
    default:
      strategy satisfies never;
      return () => '';
  }
};
