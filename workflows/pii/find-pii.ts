import { mergeSpans, type TextSpan } from '../text/text-span.js';
import { findCards } from './find-cards.js';
import { findEmails } from './find-emails.js';
import { findIbans } from './find-ibans.js';
import { findIps } from './find-ips.js';
import { findPhones } from './find-phones.js';
import { findSsns } from './find-ssns.js';
import type { PiiFinder, PiiOptions } from './pii-finder.js';

/** One row per kind of value. Where two kinds claim the same digits, the upper row names them. */
const finders = {
  email: findEmails,
  iban: findIbans,
  card: findCards,
  ssn: findSsns,
  ip: findIps,
  phone: findPhones,
} as const satisfies Record<string, PiiFinder>;

/** A kind of value that belongs to a person. */
export type PiiKind = keyof typeof finders;

/** Where a value stands, and what it is; the value itself is not repeated. */
export interface PiiSpan extends TextSpan {
  readonly kind: PiiKind;
}

/** All kinds that {@link findPii} knows. */
export const piiKinds = Object.keys(finders) as readonly PiiKind[]; // the table's own keys

/**
 * Finds personal values in a text: each is validated by a library made for it (`validator`, `libphonenumber-js`), not only by its
 * shape. The spans are sorted and do not overlap; values that touch the same words are one span.
 *
 * @param kinds What to look for. Default: all kinds.
 */
export const findPii = (text: string, kinds: readonly PiiKind[] = piiKinds, options: PiiOptions = {}): PiiSpan[] => {
  if (!/[@\p{Nd}]/u.test(text)) return [];
  const spans = kinds.flatMap((kind) => finders[kind](text, options).map(({ start, end }) => ({ kind, start, end })));
  return mergeSpans(spans, upper);
};

const upper = (a: PiiSpan, b: PiiSpan): PiiSpan => (piiKinds.indexOf(a.kind) <= piiKinds.indexOf(b.kind) ? a : b);

/** How many of each kind there are, for reports. */
export const countKinds = (spans: readonly PiiSpan[]): Partial<Record<PiiKind, number>> => {
  const counts: Partial<Record<PiiKind, number>> = {};
  for (const { kind } of spans) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};
