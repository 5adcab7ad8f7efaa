import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { mergeTexts } from './merge.js';
import { MergeConflict, type Overlap, type OverlapRule } from './overlap.js';
import { wordsOf } from './spans.js';
import { times } from '../../test/modes.js';

const merge = (base: string, texts: readonly string[], rule: OverlapRule = 'widest-redaction') => {
  const overlaps: Overlap[] = [];
  const versions = texts.map((value, index) => ({ author: 'abcdef'[index] as string, value }));
  const options = { rule, onOverlap: (overlap: Overlap) => void overlaps.push(overlap) };
  return { text: mergeTexts(base, versions, { options, target: 'text' }), overlaps };
};

const vocabulary = ['alpha', 'beta', 'gamma', 'delta', 'omega', 'секрет', 'código', '密', '码'];

type Edit = { at: number; length: number; text: string };

const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.record({
    at: fc.nat(12),
    length: fc.nat(3),
    text: fc.oneof(
      fc.constantFrom('', '[x]', '[removed]', 'new words', ', again'),
      fc.constantFrom(...vocabulary).map((word) => word.toUpperCase()),
      fc.constantFrom(...vocabulary),
    ),
  }),
  { maxLength: 4 },
);

const drawnText = fc.array(fc.constantFrom(...vocabulary), { maxLength: 9 }).map((words) => words.join(' '));

/** Redacts, rewrites, moves and adds words. */
const edit = (base: string, changes: readonly Edit[]): string => {
  const words = base.split(' ');
  for (const { at, length, text: replacement } of changes)
    words.splice(at % (words.length + 1), length, ...(replacement ? [replacement] : []));
  return words.join(' ');
};

const scene = fc.tuple(drawnText, fc.array(edits, { minLength: 1, maxLength: 4 }));

describe('laws', () => {
  it('no word that a branch removes comes back', () => {
    fc.assert(
      fc.property(scene, ([base, scripts]) => {
        const texts = scripts.map((script) => edit(base, script));
        const merged = new Set(wordsOf(merge(base, texts).text));
        for (const version of texts) {
          const kept = new Set(wordsOf(version));
          for (const word of wordsOf(base)) if (!kept.has(word)) expect(merged).not.toContain(word);
        }
      }),
      times(300, 1_500),
    );
  });

  it('the result is independent of the order of the branches', () => {
    fc.assert(
      fc.property(scene, fc.nat(), ([base, scripts], seed) => {
        const versions = scripts.map((script, index) => ({ author: `b${index}`, value: edit(base, script) }));
        const turned = versions.map((_, index) => versions[(index + seed) % versions.length] as (typeof versions)[number]);
        const place = { options: { rule: 'widest-redaction' as const, onOverlap: () => undefined }, target: 'text' };
        expect(mergeTexts(base, turned.toReversed(), place)).toBe(mergeTexts(base, versions, place));
      }),
      times(300, 1_500),
    );
  });

  it('one branch, or several equal ones, return their text', () => {
    fc.assert(
      fc.property(drawnText, edits, (base, script) => {
        const version = edit(base, script);
        for (const rule of ['first', 'last', 'error'] as const) {
          expect(merge(base, [version], rule).text).toBe(version);
          expect(merge(base, [version, version, version], rule)).toEqual({ text: version, overlaps: [] });
        }
      }),
    );
  });

  it('edits of different words combine under every rule, without an overlap', () => {
    const owners = fc.array(fc.nat(2), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(owners, fc.constantFrom<OverlapRule>('widest-redaction', 'first', 'last', 'error'), (owned, rule) => {
        const words = owned.map((_, index) => `w${index}`);
        const texts = [0, 1, 2].map((me) => words.map((word, index) => (owned[index] === me ? `[${me}]` : word)).join(' '));
        const { text: merged, overlaps } = merge(words.join(' '), texts, rule);
        expect(merged).toBe(owned.map((owner) => `[${owner}]`).join(' '));
        expect(overlaps).toEqual([]);
      }),
    );
  });

  it('without an overlap, a word that all branches keep stays', () => {
    const distinct = fc.uniqueArray(fc.constantFrom(...vocabulary)).map((words) => words.join(' '));
    fc.assert(
      fc.property(fc.tuple(distinct, fc.array(edits, { minLength: 1, maxLength: 4 })), ([base, scripts]) => {
        const texts = scripts.map((script) => edit(base, script));
        const { text: merged, overlaps } = merge(base, texts);
        if (overlaps.length > 0) return;
        for (const word of wordsOf(base))
          if (texts.every((version) => wordsOf(version).includes(word))) expect(wordsOf(merged)).toContain(word);
      }),
      times(300, 1_500),
    );
  });
});

const letters = 'abcdefghijkl'.split('');

/** A guard removes some words; the written form of the removal differs. */
const guards = fc.array(
  fc.record({
    words: fc.uniqueArray(fc.constantFrom(...letters), { minLength: 1, maxLength: 5 }),
    mark: fc.constantFrom('', 'XXX', '[PII]', '***'),
  }),
  { minLength: 1, maxLength: 3 },
);

it('words that no guard changes stay, for any nesting of branches and blocks', () => {
  const blocks = fc.array(fc.array(guards, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.uniqueArray(fc.constantFrom(...letters)), blocks, (words, nested) => {
      const run = (text: string, guard: { words: string[]; mark: string }) =>
        text.replaceAll(/\b[a-l]\b/g, (word) => (guard.words.includes(word) ? guard.mark : word));
      const inner = (text: string) => (branch: { words: string[]; mark: string }[], index: number) =>
        index % 2
          ? branch.reduce(run, text)
          : merge(
              text,
              branch.map((guard) => run(text, guard)),
            ).text;
      const merged = nested.reduce((text, block) => merge(text, block.map(inner(text))).text, words.join(' '));
      const touched = new Set(nested.flat(2).flatMap((guard) => guard.words));
      expect(wordsOf(merged).filter((word) => word.length === 1)).toEqual(words.filter((word) => !touched.has(word)));
    }),
    times(1_000, 10_000),
  );
});

it('a placeholder stays if another branch removes the same word elsewhere', () => {
  expect(merge('ada@x.org damn foo', ['[EMAIL] damn foo', 'ada@x.org [X] foo'])).toEqual({
    text: '[EMAIL] [X] foo',
    overlaps: [],
  });
  expect(merge('write ada@phone.com or 555', ['write [EMAIL] or 555', 'write ada@phone.com or [PHONE]']).text).toBe(
    'write [EMAIL] or [PHONE]',
  );
  expect(merge('bob likes tea', ['[NAME] likes tea', 'bob likes [bob]']).text).not.toContain('bob');
  expect(merge('bob likes tea', ['[NAME] likes tea', '[BOB] likes tea']).text).not.toMatch(/bob/i);
});

describe('words that two branches edit', () => {
  const base = 'Call Bob at 555 1234 today';

  it('are removed if one branch removes them, and one of the two edits applies', () => {
    const { text: merged, overlaps } = merge(base, ['Call [name] 1234 today', 'Call Bob at [phone] today']);
    expect(wordsOf(merged)).not.toContain('bob');
    expect(merged).not.toContain(' 1234');
    expect(merged).toMatch(/^Call \[(name|phone)\] today$/);
    expect(overlaps).toHaveLength(1);
    expect(overlaps[0]).toMatchObject({ base: expect.stringContaining('555'), target: 'text' });
    expect(overlaps[0]?.edits.map(({ author }) => author)).toEqual(['a', 'b']);
  });

  it('stay redacted if another branch changes their case', () => {
    expect(merge('mail bob@x.com now', ['MAIL BOB@X.COM NOW', 'mail [email] now']).text).toBe('MAIL [email] NOW');
    for (const rewritten of ['my name is BOB', 'my name is ｂｏｂ'])
      expect(merge('my name is bob', [rewritten, 'my name is [a long marker]']).text).toBe('my name is [a long marker]');
  });

  it('stay redacted if another branch moves them', () => {
    const { text: merged, overlaps } = merge('secret alpha beta', ['alpha beta secret', '[x] alpha beta']);
    expect(merged).not.toContain('secret');
    expect(overlaps.length).toBeGreaterThan(0);
  });

  it('stay redacted if another branch quotes them', () => {
    expect(merge('my pin is K4711', ['my pin is K4711 (the customer said K4711)', 'my pin is [pin]']).text).not.toContain(
      'K4711',
    );
  });

  it.each<[OverlapRule, string]>([
    ['first', 'Call [a] today'],
    ['last', 'Call [b] today'],
    [({ edits: parties }) => parties.map(({ value }) => String(value)).join('+'), 'Call [a]+[b] today'],
    [() => undefined, 'Call  today'],
  ])('follow the rule %s', (rule, expected) => {
    expect(merge(base, ['Call [a] today', 'Call [b] today'], rule).text).toBe(expected);
  });

  it('are rejected under the rule error, with the branches', () => {
    const refused = () => merge(base, ['Call [a] today', 'Call [b] today'], 'error');
    expect(refused).toThrow(MergeConflict);
    expect(refused).toThrow('a and b edited text.');
  });

  it('are passed to a rule as the whole range of each branch, including kept words', () => {
    const seen: unknown[] = [];
    merge('one two three four', ['one X three Y', 'one [all]'], ({ base: stretch, edits: parties }) => {
      seen.push(stretch, ...parties.map(({ value }) => value));
      return '';
    });
    expect(seen).toEqual(['two three four', 'X three Y', '[all]']);
  });
});

describe('insertions', () => {
  it('at one position are all kept, in the order of the names', () => {
    expect(merge('end', ['one end', 'two end']).text).toBe('one two end');
    expect(merge('start', ['start, more', 'start, else']).overlaps).toEqual([]);
  });

  it('that are equal appear once', () => {
    expect(merge('a b', ['a and b', 'a and b, too']).text).toBe('a and b, too');
  });

  it('next to a redaction are kept', () => {
    expect(merge('pay 4711 now', ['please pay 4711 now', 'pay [x] now']).text).toBe('please pay [x] now');
    expect(merge('pay 4711', ['pay 4711, thanks', 'pay [x]'])).toEqual({ text: 'pay [x], thanks', overlaps: [] });
  });
});

describe('texts without spaces, and long ones', () => {
  it('are merged by characters if the script has no spaces', () => {
    expect(merge('我的邮箱是甲乙电话一二三', ['我的邮箱是[x]电话一二三', '我的邮箱是甲乙电话[y]']).text).toBe(
      '我的邮箱是[x]电话[y]',
    );
  });

  it('are merged by words in other scripts, so that no letters of a word stay', () => {
    expect(merge('Мой секрет тут', ['Мой [скрыто] тут', 'Мой [тайна] тут']).text).not.toMatch(/секрет/);
  });

  it('keep code points and combining marks whole', () => {
    const base = 'a 👩‍👩‍👧 नमस्ते b';
    expect(merge(base, ['x 👩‍👩‍👧 नमस्ते b', 'a 👩‍👩‍👧 [y] b']).text).toBe('x 👩‍👩‍👧 [y] b');
  });

  it('lose a word that one branch removes and another moves, or move it under another rule', () => {
    const [base, without, moved] = ['alpha beta gamma', 'alpha gamma', 'alpha gamma beta'];
    const { text: merged, overlaps } = merge(base, [without, moved]);
    expect(merged).not.toContain('beta');
    expect(overlaps).toContainEqual({
      base,
      edits: [
        { author: 'a', value: without },
        { author: 'b', value: moved },
      ],
      target: 'text',
    });
    expect(merge(base, [without, moved], 'last').text).toBe(moved);
  });

  it('are compared word by word once for two edits of a long text', () => {
    const text = Array.from({ length: 170_000 }, (_, index) => `w${index}`).join(' ');
    const read = vi.spyOn(RegExp.prototype, Symbol.matchAll);
    const { text: merged } = merge(text, [text.replace('w7 ', '[A] '), text.replace('w169999', '[B]')]);
    expect(read.mock.calls.filter(([given]) => given.length > text.length / 2).length).toBeLessThanOrEqual(4);
    read.mockRestore();
    expect(merged).toBe(text.replace('w7 ', '[A] ').replace('w169999', '[B]'));
  });

  it('count as one edit if they are rewritten completely, because a comparison of all words takes too long', () => {
    const words = (name: string) => Array.from({ length: 20_000 }, (_, index) => `${name}${index}`).join(' ');
    const { text: merged } = merge(words('w'), [words('v'), words('w').replace('w19999', '[x]')]);
    expect(merged).not.toContain('w19999');
  });
});
