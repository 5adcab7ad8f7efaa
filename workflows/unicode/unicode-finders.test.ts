import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { combineFinders } from '../patterns/combine-finders.js';
import { flushText, nothingPending, pushText } from '../stream/hold-back.js';
import { hiddenFinders } from './unicode-finders.js';
import { times } from '../../test/modes.js';

const pattern = combineFinders(hiddenFinders.map((finder) => ['hidden', finder] as const));
const editing = { pattern, replace: () => '' };
const clean = (text: string): string => flushText({ text, from: 0 }, editing);

const inPieces = (pieces: readonly string[]): { joined: string; released: string } => {
  let [held, released] = [nothingPending, ''];
  for (const piece of pieces) {
    const pushed = pushText(held, piece, editing);
    held = pushed.held;
    released += pushed.released;
  }
  return { joined: released + flushText(held, editing), released };
};

const tags = (text: string): string => Array.from(text, (each) => String.fromCodePoint(0xe0000 + each.charCodeAt(0))).join('');
const [lri, rli, fsi, pdi] = ['\u2066', '\u2067', '\u2068', '\u2069'] as const;
const flag = '\u{1F3F4}';
const flagOf = (region: string): string => `${flag}${tags(region)}\u{E007F}`;

describe('selectors', () => {
  it('are kept after their base characters and in keycaps', () => {
    for (const text of ['❤️', '☎︎', '1️⃣ #️⃣ *️⃣', '👩‍❤️‍👩', '©️']) expect(clean(text)).toBe(text);
  });

  it('are removed between digits', () => {
    expect(clean('4\uFE0F1\uFE0F11 \uFE0E22\uFE0E')).toBe('4111 22');
  });
});

describe('isolates', () => {
  it.each([
    ['a name', `${fsi}Foo${pdi} Bar`],
    ['one in another', `${fsi}${fsi}Foo${pdi} Bar${pdi}, ${lri}1${pdi}`],
    ['a Hebrew name, right to left', `by ${rli}דוד (David)${pdi}.`],
    ['Arabic with a number', `${rli}رقم ${lri}42${pdi} هنا${pdi}`],
    ['one on each line', `${fsi}a${pdi}\n${fsi}b${pdi}`],
    ['at the maximum length', `${fsi}${'x'.repeat(255)}${pdi}`],
  ])('are kept if complete: %s', (_name, text) => expect(clean(text)).toBe(text));

  it.each([
    ['without an end', `a${lri}b`, 'ab'],
    ['without a start', `a${pdi}b`, 'ab'],
    ['over a line end', `${fsi}a\nb${pdi}`, 'a\nb'],
    ['over a paragraph end', `${fsi}a\u2029b${pdi}`, 'a\u2029b'],
    ['empty', `a${lri}${pdi}b${lri}${lri} ${pdi}${pdi}c`, 'ab c'],
    ['right to left around Latin', `x ${rli}${lri}a${pdi}${lri}b${pdi}${pdi}`, `x ${lri}a${pdi}${lri}b${pdi}`],
    ['the unclosed one of two', `${lri}a${fsi}b${pdi}`, `a${fsi}b${pdi}`],
    ['above the maximum length', `${fsi}${'x'.repeat(256)}${pdi}`, 'x'.repeat(256)],
  ])('are removed if incomplete: %s', (_name, text, expected) => expect(clean(text)).toBe(expected));

  it('are buffered until their end or the maximum length', () => {
    expect(inPieces([`a ${fsi}b`]).released).toBe('a ');
    expect(inPieces([`a ${fsi}b`, `c${pdi}`]).released).toBe(`a ${fsi}bc${pdi}`);
    expect(inPieces(['a c']).released).toBe('a c');
    expect(inPieces([`a ${fsi}b`, '\n']).released).toBe('a b\n');
    const longest = [`${fsi}${'x'.repeat(255)}`, pdi];
    expect(inPieces(longest).joined).toBe(longest.join(''));
    expect(inPieces([`a ${fsi}`, 'x'.repeat(256)]).released).toBe(`a ${'x'.repeat(256)}`);
  });
});

describe('tags', () => {
  it.each(['gbeng', 'gbsct', 'gbwls'])('of the flag %s are kept', (region) => {
    const text = `Go ${flagOf(region)} go${flagOf(region)}!`;
    expect(clean(text)).toBe(text);
  });

  it.each(['usca', 'gbnir', 'gb', 'delete', 'gbenga', 'xgbeng', '1', ''])('of no flag, as in %j, are removed', (region) => {
    expect(clean(`Go ${flagOf(region)}!`)).toBe(`Go ${flag}!`);
  });

  it('are removed before, after and without a flag', () => {
    expect(clean(`${tags('a')}${flagOf('gbeng')}${tags('run this')}\u{E007F}`)).toBe(flagOf('gbeng'));
    expect(clean(`${flag}${tags('gbeng')}`)).toBe(flag);
    expect(clean(`${tags('gbeng')}\u{E007F}`)).toBe('');
    expect(clean(`${flag}x${tags('gbeng')}\u{E007F}`)).toBe(`${flag}x`);
    expect(clean(`${flag}${tags('x'.repeat(600))}`)).toBe(flag);
  });

  it('are kept exactly for the flags of the JavaScript engine', () => {
    const isFlag = /^\p{RGI_Emoji_Tag_Sequence}$/v;
    for (const region of ['gbeng', 'gbsct', 'gbwls', 'gbnir', 'usca', 'ustx', 'cabc', 'frbre'])
      expect(clean(flagOf(region)) === flagOf(region), region).toBe(isFlag.test(flagOf(region)));
  });
});

it('joiners are kept between the parts of an emoji and removed after one', () => {
  expect(clean('👩\u200D🚀 ❤\uFE0F\u200D🔥 👩🏽\u200D\u2695\uFE0F')).toBe('👩\u200D🚀 ❤\uFE0F\u200D🔥 👩🏽\u200D\u2695\uFE0F');
  expect(clean('👩\u200D, 👩\u200Dx, x\u200D👩')).toBe('👩, 👩x, x👩');
});

describe('properties', () => {
  const piece = fc.constantFrom(
    ...Array.from(`${lri}${rli}${fsi}${pdi}${lri}${pdi}\u202E\u202C\u200D\u200B\uFE0F\u{E007F}aאب \n👩🔥.${flag}${tags('gb')}`),
    tags('eng'),
    'x'.repeat(120),
    flagOf('gbwls'),
  );
  const text = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''));

  it('the output does not depend on the chunks', () => {
    fc.assert(
      fc.property(text, fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (each, sizes) => {
        const pieces: string[] = [];
        for (let at = 0; at < each.length; at += pieces.at(-1)?.length ?? 0) pieces.push(each.slice(at, at + sizes.next().value));
        expect(inPieces(pieces).joined).toBe(clean(each));
      }),
      times(400, 2000),
    );
  });

  it('every kept isolate ends on its line, and no override remains', () => {
    fc.assert(
      fc.property(text, (each) => {
        for (const line of clean(each).split('\n')) {
          let depth = 0;
          for (const mark of line.match(/[\u2066-\u2069]/g) ?? [])
            expect((depth += mark === pdi ? -1 : 1)).toBeGreaterThanOrEqual(0);
          expect(depth).toBe(0);
          expect(line).not.toMatch(/[\u202A-\u202E]/);
        }
      }),
      times(250, 1000),
    );
  });

  it('only tags of flags remain', () => {
    fc.assert(
      fc.property(text, (each) => {
        const bare = clean(each).replaceAll(/\p{RGI_Emoji_Tag_Sequence}/gv, '');
        expect(bare).not.toMatch(/[\u{E0000}-\u{E007F}]/u);
      }),
      times(250, 1000),
    );
  });
});
