import validator from 'validator';
import type { TextSpan } from '../text/text-span.js';
import { digitRuns, type DigitGroup } from './digit-groups.js';
import type { PiiFinder } from './pii-finder.js';

/** Numbers of 13 digits were last issued decades ago, while every tenth German or Japanese bar code would pass for one. */
const minDigits = 14;
const maxDigits = 19;
/** Brands write groups of four to six; only the last group may be shorter. */
const minGroupDigits = 4;
const maxGroups = 5;

/** The brands whose rule in `validator` fixes the length; the rule for mastercard does not, and is asked at 16 digits only. */
const brandsOfFixedLength = ['amex', 'dinersclub', 'discover', 'jcb', 'unionpay', 'visa'] as const;

/** Card numbers, plain or in groups, of a brand that `validator.isCreditCard` knows and with a right check digit. */
export const findCards: PiiFinder = (text) => digitRuns(text).flatMap((run) => cardsIn(run, text));

const cardsIn = (run: readonly DigitGroup[], text: string): TextSpan[] => {
  const spans: TextSpan[] = [];
  let first = 0;
  while (first < run.length) {
    const card = cardFrom(run.slice(first, first + maxGroups));
    if (card && standsAlone(text, card)) spans.push({ start: card.start, end: card.end });
    first += card?.groups ?? 1;
  }
  return spans;
};

/** The longest card that starts with the first group. */
const cardFrom = (groups: readonly DigitGroup[]): (TextSpan & { groups: number }) | undefined => {
  const start = groups[0]?.start ?? 0;
  for (let count = groups.length; count > 0; count--) {
    const used = groups.slice(0, count);
    if (used.slice(0, -1).some(({ digits }) => digits.length < minGroupDigits)) continue;
    if (isCard(used.map(({ digits }) => digits).join(''))) return { start, end: used.at(-1)?.end ?? start, groups: count };
  }
  return undefined;
};

const isCard = (digits: string): boolean => {
  if (digits.length < minDigits || digits.length > maxDigits) return false;
  if (digits.length === 16) return validator.isCreditCard(digits);
  return brandsOfFixedLength.some((provider) => validator.isCreditCard(digits, { provider }));
};

/** Digits inside a longer word or hash are no card, nor are the decimals of a number. */
const standsAlone = (text: string, { start, end }: TextSpan): boolean => {
  const before = text.slice(Math.max(0, start - 2), start);
  return !/[\p{L}\p{N}_]$|\d[.,]$/u.test(before) && !/^[\p{L}\p{N}_]/u.test(text.slice(end, end + 2));
};
