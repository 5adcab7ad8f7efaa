import { describe, expect, it } from 'vitest';
import { entitiesOf, tokensWith, type Mark } from './entities.js';

/** A tokenizer with the given tokens for each word; others become `[UNK]`. */
const tokenizer = (words: Readonly<Record<string, readonly string[]>>) => {
  const names = ['[UNK]', ...new Set(Object.values(words).flat())];
  return tokensWith({
    encode: (word) => (words[word.trim()] ?? ['[UNK]']).map((token) => names.indexOf(token)),
    decode: (id) => names[id] ?? '',
  });
};

const piecesOf = (text: string, words: Readonly<Record<string, readonly string[]>>, offset = 0) =>
  tokenizer(words)({ text, offset }).map(({ start, end }) => [text.slice(start - offset, end - offset), start]);

describe('the characters of tokens', () => {
  it.each<[string, Record<string, string[]>, [string, number][]]>([
    ['Jane Doe', { Jane: ['jane'], Doe: ['do', '##e'] }, [['Jane', 0], ['Do', 5], ['e', 7]]], // prettier-ignore
    ['🙂 Zoë\u0308, ok', { 'Zoë\u0308,': ['zoe', ','], ok: ['ok'] }, [['🙂', 0], ['Zoë\u0308', 3], [',', 7], ['ok', 9]]], // prettier-ignore
    [
      'ﬁnal',
      { ﬁnal: ['fi', '##nal'] },
      [
        ['ﬁ', 0],
        ['nal', 1],
      ],
    ],
    [
      '東京から',
      { 東京から: ['▁'.slice(1), '東京', 'から'] },
      [
        ['', 0],
        ['東京', 0],
        ['から', 2],
      ],
    ],
    ['a🙂b', { 'a🙂b': ['a', '\uFFFD', '\uFFFD', 'b'] }, [['a', 0], ['🙂', 1], ['🙂', 1], ['b', 3]]], // prettier-ignore
    ['İzmir', { İzmir: ['izmir'] }, [['İzmir', 0]]],
  ])('%s', (text, words, expected) => {
    expect(piecesOf(text, words)).toEqual(expected);
  });

  it('count from the start of the whole text', () => {
    expect(piecesOf('Jane', { Jane: ['jane'] }, 100)).toEqual([['Jane', 100]]);
  });

  it('are found in linear time, also in a long word of unknown tokens', () => {
    const word = 'é'.repeat(40_000);
    const read = tokensWith({ encode: () => Array.from({ length: 80_000 }, () => 0), decode: () => '\uFFFD' });
    const started = performance.now();
    expect(read({ text: word, offset: 0 })).toHaveLength(80_000);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe('entities', () => {
  const mark = (text: string, value: string, rest: Partial<Mark> = {}): Mark => {
    const start = text.indexOf(value);
    return { start, end: start + value.length, kind: 'person', score: 0.9, isFirst: false, ...rest };
  };
  const found = (text: string, ...marks: Mark[]) =>
    entitiesOf(text, marks).map(({ start, end, kind }) => [text.slice(start, end), kind]);

  it('end at the ends of words, whichever token of a word was labeled', () => {
    const text = 'Ask Jane-Marie O’Brien’s boss.';
    expect(found(text, mark(text, 'an'), mark(text, 'rie'), mark(text, 'Brie'))).toEqual([['Jane-Marie', 'person'], ['Brien', 'person']]); // prettier-ignore
  });

  it('join the words of a name, and keep two names apart', () => {
    const text = 'J. R. Tolkien Paris\nAda';
    const marks = [
      mark(text, 'J', { isFirst: true }),
      mark(text, 'R'),
      mark(text, 'Tolkien'),
      mark(text, 'Paris', { isFirst: true }),
      mark(text, 'Ada'),
    ];
    expect(found(text, ...marks).map(([value]) => value)).toEqual(['J. R. Tolkien', 'Paris', 'Ada']);
  });

  it('take the kind of the higher score where windows disagree', () => {
    expect(found('Paris', mark('Paris', 'Paris', { score: 0.6 }), mark('Paris', 'Paris', { kind: 'location' }))).toEqual([['Paris', 'location']]); // prettier-ignore
  });

  it('keep the ends of tokens in scripts without spaces, and contain a letter or digit', () => {
    expect(found('昨日李雷が来た', mark('昨日李雷が来た', '李'), mark('昨日李雷が来た', '雷'))).toEqual([['李雷', 'person']]);
    expect(found('** -', mark('** -', '**'))).toEqual([]);
  });

  it('cost linear time', () => {
    const text = 'Jane '.repeat(50_000);
    const marks = Array.from({ length: 50_000 }, (_, at): Mark => ({
      start: 5 * at,
      end: 5 * at + 2,
      kind: 'person',
      score: 1,
      isFirst: true,
    }));
    const started = performance.now();
    expect(entitiesOf(text, marks)).toHaveLength(50_000);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
