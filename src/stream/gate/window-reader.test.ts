import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GuardWindow } from '../../guard/policy/guard-policy.js';
import { createWindowReader } from './window-reader.js';
import { isDeep, times } from '../../../test/modes.js';

/** The windows of a text in pieces, each taken as soon as it is complete. */
const windowsOf = (window: GuardWindow, pieces: readonly string[]): string[] => {
  const found: string[] = [];
  let buffered = '';
  let reader = createWindowReader(window);
  const take = (isEnded: boolean): void => {
    for (let end = 1; end > 0;) {
      end = reader({ text: buffered, isEnded, isStepOver: false, isLate: false });
      if (end === 0) return;
      found.push(buffered.slice(0, end));
      buffered = buffered.slice(end);
      reader = createWindowReader(window);
    }
  };
  for (const piece of pieces) {
    buffered += piece;
    take(false);
  }
  take(true);
  return found;
};

const cut = (text: string, sizes: Iterator<number>): string[] => {
  const pieces: string[] = [];
  for (let at = 0; at < text.length;) {
    const size = sizes.next().value as number; // without end
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
};

const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'a',
        'B',
        'é',
        'Mr',
        'e.g',
        '1',
        '3',
        '.',
        '.',
        '!',
        '? ',
        ' ',
        ' ',
        '\n',
        '"',
        ')',
        ',',
        ';',
        '…',
        '。',
        '日本',
        'ก',
      ),
      fc.constantFrom('𝐀', '😀', '👨‍👩‍👧', '\u0301', '\u200d', '\ufe0f', 'x'.repeat(70), '𠀀', '🏻', 'شكرا', '؟'),
    ),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(''));
const sizes = fc.infiniteStream(fc.integer({ min: 1, max: 7 }));

const deltas = isDeep ? 20_000 : 5_000;

describe.each<GuardWindow>(['sentence', { tokens: 1 }, { tokens: 4 }, { chars: 5 }])('a window of %j', (window) => {
  it('is independent of the cut', () => {
    fc.assert(
      fc.property(texts, sizes, (text, each) => {
        const whole = windowsOf(window, Array.from(text));
        expect(whole.join('')).toBe(text);
        expect(windowsOf(window, cut(text, each))).toEqual(whole);
        expect(windowsOf(window, [text])).toEqual(whole);
      }),
      times(100, 400),
    );
  });

  it('cuts no grapheme', () => {
    const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
    fc.assert(
      fc.property(texts, (text) => {
        const borders = new Set(Array.from(graphemes.segment(text), ({ index }) => index));
        let at = 0;
        for (const piece of windowsOf(window, Array.from(text)).slice(0, -1)) expect(borders).toContain((at += piece.length));
      }),
      times(60, 200),
    );
  });

  // A reader that scans the buffered text from its beginning for each delta would not finish this test.
  it.each(['\n', ' ', 'a', 'a.b', '. ', '1. ', '日', '\u0301', '"'])('reads thousands of deltas of %j', (delta) => {
    const reader = createWindowReader(window);
    let buffered = '';
    for (let count = 0; count < deltas; count += 1) {
      buffered += delta;
      reader({ text: buffered, isEnded: false, isStepOver: false, isLate: false });
    }
    expect(reader({ text: buffered, isEnded: true, isStepOver: true, isLate: true })).toBe(buffered.length);
  });
});

it.each<[GuardWindow, string, string[]]>([
  ['sentence', 'It is 3.5 m. long. So? "Yes." He left.', ['It is 3.5 m. long. ', 'So? ', '"Yes." ', 'He left.']],
  ['sentence', 'No end in sight, e.g. here', ['No end in sight, e.g. here']],
  ['sentence', 'One\nTwo', ['One\n', 'Two']],
  [{ tokens: 2 }, 'one two three four five', ['one two', ' three four', ' five']],
  [{ tokens: 2 }, '日本語です', ['日本', '語で', 'す']],
  [{ tokens: 20 }, 'x'.repeat(300), ['x'.repeat(128), 'x'.repeat(128), 'x'.repeat(44)]],
])('reads windows of %j from %j', (window, text, expected) => {
  expect(windowsOf(window, Array.from(text))).toEqual(expected);
});
