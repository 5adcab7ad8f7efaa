import { expect, it } from 'vitest';
import type { Pattern } from '../../guard/pattern.js';
import { createMatcher } from './matcher.js';

/** Values are five letters and the x that follow them. Nothing is decided before an exclamation mark. */
const pattern: Pattern = {
  maxLength: 'part',
  find: (_text, from) => (from === 0 ? [{ start: 0, end: 5 }] : []),
  open: (text, from) => (text.includes('!') ? text.length : from),
  rest: (text, from) => {
    const end = from + (/^x*/.exec(text.slice(from))?.[0].length ?? 0);
    return end > from ? { start: from, end } : undefined;
  },
  replace: () => '',
};

it('text directly after the rest of a long value is released at once', () => {
  const { next, changed } = createMatcher(pattern);
  const match = next({ text: 'aaaaa!', from: 0, isEnded: false })?.match;
  expect(match).toEqual({ start: 0, end: 5 });
  changed();
  const waiting = `aaaaa${'x'.repeat(1_100)}`;
  expect(next({ text: waiting, from: 5, isEnded: false, match })).toBeUndefined();
  changed();
  const text = `${waiting}${'x'.repeat(200)}! and so on`;
  const rest = next({ text, from: 5, isEnded: false, match });
  expect(rest).toMatchObject({ length: 1_300 });
  expect(next({ text, from: 1_305, isEnded: false, match: rest?.match })).toEqual({ length: '! and so o'.length }); // a sign may follow that belongs to the last letter
});
