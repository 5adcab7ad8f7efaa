import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeValues } from './merge.js';
import type { MergeOptions, Overlap, OverlapRule, Version } from './overlap.js';
import { wordsOf } from './spans.js';
import { times } from '../../test/modes.js';

const merge = (base: unknown, values: readonly unknown[], own: Partial<MergeOptions> = {}) => {
  const overlaps: Overlap[] = [];
  const versions = values.map((value, index): Version => ({ author: 'abcdef'[index] as string, value }));
  const options: MergeOptions = { rule: 'widest-redaction', onOverlap: (overlap) => void overlaps.push(overlap), ...own };
  return { value: mergeValues(base, versions, { options, target: '' }), overlaps };
};

const text = (words: string) => ({ type: 'text', text: words });

describe('a placeholder of one branch, with the same word removed elsewhere by another', () => {
  const base = 'ada@phone.com or email me';
  const masks = 'ada@phone.com or [X] me';

  it('stays in a split part', () => {
    const split = [text('[EMAIL] or'), text('email me')];
    expect(JSON.stringify(merge([text(base)], [split, [text(masks)]]).value)).toContain('[EMAIL] or');
    const alone = [text('[EMAIL]'), text('or email me')];
    const { value } = merge([text(base)], [alone, [text(masks)]]);
    expect(JSON.stringify(value)).toContain('[EMAIL]');
    expect(wordsOf(JSON.stringify(value).replaceAll('[EMAIL]', ''))).not.toContain('email');
  });

  it('stays in a replaced part', () => {
    const quoted = { type: 'quote', said: '[EMAIL] or' };
    expect(merge(text(base), [quoted, text(masks)]).value).toMatchObject({ said: '[EMAIL] or' });
    expect(merge(base, [{ say: '[EMAIL] or' }, masks]).value).toEqual({ say: '[EMAIL] or' });
  });

  it('does not stay if it contains the word that it replaces', () => {
    expect(JSON.stringify(merge(base, [{ say: 'ada@phone.com or [EMAIL]' }, masks]).value)).not.toMatch(/email/i);
  });
});

describe('records', () => {
  it('combine fields that different branches set, change and remove', () => {
    const base = { a: 1, b: 2, c: 3, same: { deep: [1] } };
    const { value, overlaps } = merge(base, [
      { ...base, a: 10, d: 4 },
      { b: 2, c: 30, same: { deep: [1] }, a: 1 },
      { a: 1, c: 3, same: { deep: [1] } },
    ]);
    expect(value).toEqual({ a: 10, c: 30, d: 4, same: { deep: [1] } });
    expect(overlaps).toEqual([]);
  });

  it('combine the values that two branches add to a missing field', () => {
    expect(merge({}, [{ meta: { pii: true } }, { meta: { spam: false } }]).value).toEqual({ meta: { pii: true, spam: false } });
  });

  it('drop a number or a boolean that one branch removes and another changes', () => {
    for (const [before, after] of [
      [42, 43],
      [true, false],
    ])
      expect(merge({ n: before }, [{ n: after }, {}]).value).toStrictEqual({});
  });

  it('keep the words that other branches remove in a whole field', () => {
    const [base, values] = [{ is: 'sends secret mail' }, [{ is: 'sends mail' }, { is: 'secret' }]];
    expect(merge(base, values, { isWhole: () => true }).value).toEqual({ is: 'secret' });
    expect(merge(base, values).value).not.toEqual({ is: 'secret' });
  });

  it('drop the words that one branch removes from an object that replaces the text', () => {
    const { value, overlaps } = merge('sends secret mail', [{ say: 'Secret' }, 'sends mail']);
    expect(JSON.stringify(value)).toBe('{"say":""}');
    expect(overlaps).toHaveLength(1);
  });

  it('drop and report a field that one branch removes and another changes', () => {
    const { value, overlaps } = merge({ a: 'x', b: 1 }, [{ b: 1 }, { a: 'y', b: 1 }]);
    expect(value).toStrictEqual({ b: 1 });
    expect(overlaps).toEqual([
      {
        base: 'x',
        edits: [
          { author: 'a', value: undefined },
          { author: 'b', value: 'y' },
        ],
        target: 'a',
      },
    ]);
  });

  it('distinguish an undefined field from a removed one', () => {
    expect(
      merge({ a: 1, b: 1 }, [
        { a: undefined, b: 1 },
        { a: 1, b: 2 },
      ]).value,
    ).toStrictEqual({ a: undefined, b: 2 });
  });

  it('take class instances as a whole', () => {
    class Thing {
      n = 0;
    }
    const thing = (n: number) => Object.assign(new Thing(), { n });
    const [one, two] = [thing(1), thing(2)];
    expect(
      merge({ thing: thing(0), x: 1 }, [
        { thing: one, x: 1 },
        { thing: one, x: 2 },
      ]).value,
    ).toEqual({ thing: one, x: 2 });
    const { value, overlaps } = merge({ thing: thing(0) }, [{ thing: one }, { thing: two }]);
    expect([one, two]).toContain((value as { thing: Thing }).thing);
    expect(overlaps).toHaveLength(1);
  });

  it('compare dates by time', () => {
    const at = (time: number) => ({ at: new Date(time) });
    expect(merge(at(1), [at(1), at(2)])).toEqual({ value: at(2), overlaps: [] });
  });

  it('are safe for field names such as `__proto__`', () => {
    const odd = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}') as object;
    const { value } = merge({ x: 1 }, [odd, { x: 2 }]);
    expect(Object.hasOwn(value as object, '__proto__')).toBe(true);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('take a whole field from one branch, and remove no words from it', () => {
    const choice = (label: string) => ({ choice: { label } });
    const own = { isWhole: (target: string) => target === 'choice' };
    const { value } = merge(choice('alpha beta'), [choice('alpha'), choice('beta and more')], own);
    expect([choice('alpha'), choice('beta and more')]).toContainEqual(value);
  });

  it('take names as a whole', () => {
    const call = (toolName: string) => ({ toolName });
    const { value, overlaps } = merge(call('send-mail'), [call('send-post'), call('read-mail')]);
    expect([call('send-post'), call('read-mail')]).toContainEqual(value);
    expect(overlaps).toHaveLength(1);
  });

  it('take bookkeeping fields from one branch, without an overlap', () => {
    const own = { isBookkeeping: (target: string) => target === 'id' };
    expect(
      merge(
        { id: 'm', x: 1 },
        [
          { id: 'b', x: 1 },
          { id: 'a', x: 2 },
        ],
        own,
      ),
    ).toEqual({ value: { id: 'b', x: 2 }, overlaps: [] });
  });
});

describe('arrays of entries with ids', () => {
  const thing = (id: string, words = id) => ({ id, words });
  const base = ['m1', 'm2', 'm3'].map((id) => thing(id));
  const [first, second, third] = base;

  it('combine additions, removals and changes', () => {
    const { value, overlaps } = merge(base, [
      [thing('new-a'), first, second, third],
      [first, third],
      [first, second, thing('m3', 'changed'), thing('new-c')],
    ]);
    expect(value).toEqual([thing('new-a'), first, thing('m3', 'changed'), thing('new-c')]);
    expect(overlaps).toEqual([]);
  });

  it('order additions at one position by branch name', () => {
    expect(
      merge(base, [
        [...base, thing('z')],
        [...base, thing('a')],
      ]).value,
    ).toEqual([...base, thing('z'), thing('a')]);
  });

  it('merge entries that two branches add under the same id', () => {
    const { value } = merge(base, [
      [...base, { id: 'n', x: 1 }],
      [{ id: 'n', y: 2 }, ...base],
    ]);
    expect((value as { id: string }[]).filter(({ id }) => id === 'n')).toEqual([{ id: 'n', x: 1, y: 2 }]);
  });

  it('drop and report an entry that one branch removes and another changes', () => {
    const { value, overlaps } = merge(base, [
      [first, third],
      [first, thing('m2', 'changed'), third],
    ]);
    expect(value).toEqual([first, third]);
    expect(overlaps.map(({ target }) => target)).toEqual(['1']);
  });

  it.each<[OverlapRule, unknown]>([
    ['first', [first, third]],
    ['last', [first, thing('m2', 'changed'), third]],
    [() => thing('m2', 'by rule'), [first, thing('m2', 'by rule'), third]],
  ])('apply the rule %s to an entry that one branch removes and another changes', (rule, expected) => {
    expect(
      merge(
        base,
        [
          [first, third],
          [first, thing('m2', 'changed'), third],
        ],
        { rule },
      ).value,
    ).toEqual(expected);
  });

  it('keep the order of one branch, with the edits of the others', () => {
    const { value, overlaps } = merge(base, [
      [third, first, second],
      [first, thing('m2', 'changed'), third],
      [first, second, third, thing('n')],
    ]);
    expect(value).toEqual([third, thing('n'), first, thing('m2', 'changed')]); // the entry after the third stays after it
    expect(overlaps).toEqual([]);
  });

  it('report two orders as an overlap', () => {
    const { value, overlaps } = merge(base, [
      [third, second, first],
      [second, first, third],
    ]);
    expect(overlaps).toHaveLength(1);
    expect((value as { id: string }[]).map(({ id }) => id).toSorted()).toEqual(['m1', 'm2', 'm3']);
  });

  it('ignore an invalid order of a rule', () => {
    for (const nonsense of ['text', [], ['m2', 'm2', 'unknown'], undefined])
      expect(
        merge(
          base,
          [
            [third, second, first],
            [second, first, third],
          ],
          { rule: () => nonsense },
        ).value,
      ).toHaveLength(3);
  });

  it('apply edits to an entry that another branch replaces under a new id', () => {
    const question = { id: 'm1', role: 'user', text: 'my pin is 4711' };
    const { value } = merge([question], [[{ ...question, id: 'other' }], [{ ...question, text: 'my pin is [x]' }]], {
      isBookkeeping: (target) => target.endsWith('id'),
    });
    expect(value).toEqual([{ id: 'other', role: 'user', text: 'my pin is [x]' }]);
  });
});

describe('arrays of names', () => {
  it('apply the removals and additions of all branches', () => {
    expect(
      merge(
        ['a', 'b', 'c'],
        [
          ['a', 'b'],
          ['b', 'c'],
          ['a', 'b', 'c', 'd'],
        ],
      ),
    ).toEqual({ value: ['b', 'd'], overlaps: [] });
  });

  it('keep replaced names whole', () => {
    expect(merge(['msg-1', 'msg-2'], [['msg-1', 'msg-3'], ['msg-1']]).value).toEqual(['msg-1', 'msg-3']);
    expect(
      merge(
        ['id-1', 'id-2'],
        [
          ['id-1', 'id-3'],
          ['id-1', 'id-4'],
        ],
      ).value,
    ).toEqual(['id-1', 'id-3', 'id-4']);
  });
});

describe('arrays of entries without ids', () => {
  const parts = [text('alpha one'), text('beta two'), text('gamma three')];
  const [alpha, beta, gamma] = parts;

  it('keep the other parts in place if one branch removes a part and adds another', () => {
    const { value } = merge(parts, [
      [beta, gamma, text('new')],
      [alpha, text('beta [x]'), gamma],
    ]);
    expect(value).toEqual([text('beta [x]'), gamma, text('new')]);
  });

  it('match a part by its words if it is edited next to a removed one', () => {
    const { value } = merge(parts, [
      [text('beta two, edited'), gamma],
      [alpha, text('[x] two'), gamma],
    ]);
    expect(value).toEqual([text('[x] two, edited'), gamma]);
  });

  it('drop the words that another branch removes from a split part', () => {
    const { value } = merge([text('alpha beta gamma')], [[text('alpha'), text('beta gamma')], [text('[x] [y] gamma')]]);
    expect(wordsOf(JSON.stringify(value))).not.toContain('alpha');
    expect(wordsOf(JSON.stringify(value))).not.toContain('beta');
    expect(JSON.stringify(value)).toContain('gamma');
  });

  it('remove no words from ids, types and times', () => {
    const old = { id: 'part-1', type: 'text', createdAt: 1, text: 'alpha part' };
    const young = { id: 'part-2', type: 'data-part', createdAt: 2, text: 'alpha more' };
    expect(merge([old], [[young], []]).value).toEqual([{ ...young, text: ' more' }]);
  });

  it('take a part that changes its type as a whole', () => {
    const source = { type: 'source', url: 'alpha one' };
    const { value } = merge([alpha], [[source], [text('[x] one')]]);
    expect(JSON.stringify(value)).not.toContain('alpha');
  });

  it('contain equal additions of two branches once', () => {
    expect(
      merge(parts, [
        [...parts, text('new')],
        [...parts, text('new')],
        [...parts, text('other')],
      ]).value,
    ).toEqual([...parts, text('new'), text('other')]);
  });

  describe('a new entry in place of an old one', () => {
    const note = (words: string) => ({ type: 'note', text: words });
    const base = [text('alpha beta'), text('delta')];

    it.each([
      ['edits the old one', [text('alpha [x]'), text('delta')]],
      ['puts another entry there', [{ type: 'mark', text: 'alpha [x]' }, text('delta')]],
      ['keeps the word elsewhere', [text('alpha [x]'), text('delta'), note('beta')]],
    ])('loses only the words that another branch removes, if that branch %s', (_how, other) => {
      const { value, overlaps } = merge(base, [[note('alpha beta gamma'), text('delta')], other]);
      const freed = (value as { type: string; text: string }[]).find(({ text: words }) => words.includes('gamma'));
      expect(freed?.text.split(/\s+/)).toEqual(['alpha', 'gamma']);
      expect(overlaps[0]).toEqual({
        base: expect.stringContaining('alpha beta'),
        edits: [
          { author: 'a', value: note('alpha beta gamma') },
          { author: 'b', value: expect.stringContaining('alpha [x]') },
        ],
        target: '',
      });
    });

    it('stays unchanged if no other branch removes anything', () => {
      const { value, overlaps } = merge(base, [[note('alpha beta gamma'), text('delta')], base]);
      expect(value).toEqual([note('alpha beta gamma'), text('delta')]);
      expect(overlaps).toEqual([]);
    });
  });

  it('pair many changed parts in order, without comparing all pairs', () => {
    const many = Array.from({ length: 400 }, (_, index) => text(`word${index}`));
    const { value } = merge(many, [
      many.map(({ text: words }) => text(`${words} a`)),
      many.map(({ text: words }) => text(`b ${words}`)),
    ]);
    expect(value).toEqual(many.map(({ text: words }) => text(`b ${words} a`)));
  });
});

describe('laws', () => {
  const words = fc.array(fc.constantFrom('alpha', 'beta', 'gamma', '[x]', '7'), { maxLength: 5 }).map((list) => list.join(' '));
  const name = fc.constantFrom('a', 'b', 'c', 'id', 'text');
  const { value: json } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      words,
      fc.integer({ min: 0, max: 3 }),
      fc.boolean(),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 3 }),
    ),
  }));
  const versions = fc.array(json, { minLength: 1, maxLength: 4 });

  it('without changes, the result is the base', () => {
    fc.assert(
      fc.property(json, fc.integer({ min: 1, max: 3 }), (base, count) => {
        const copies = Array.from({ length: count }, () => structuredClone(base));
        expect(merge(base, copies)).toEqual({ value: base, overlaps: [] });
      }),
    );
  });

  it('with changes of one branch, the result is its version', () => {
    fc.assert(
      fc.property(json, json, (base, version) => {
        for (const rule of ['widest-redaction', 'error'] as const)
          expect(merge(base, [structuredClone(base), version, structuredClone(base)], { rule })).toEqual({
            value: version,
            overlaps: [],
          });
      }),
    );
  });

  it('with equal branches, the result is their version', () => {
    fc.assert(
      fc.property(json, json, (base, version) => {
        expect(merge(base, [version, structuredClone(version), version], { rule: 'error' }).value).toEqual(version);
      }),
    );
  });

  it('the result is independent of the order of the branches', () => {
    fc.assert(
      fc.property(json, versions, fc.nat(), (base, values, turn) => {
        const named = values.map((value, index): Version => ({ author: `b${index}`, value }));
        const turned = named.map((_, index) => named[(index + turn) % named.length] as Version).toReversed();
        const place = { options: { rule: 'widest-redaction' as const, onOverlap: () => undefined }, target: '' };
        expect(mergeValues(base, turned, place)).toEqual(mergeValues(base, named, place));
      }),
      times(300, 1_500),
    );
  });

  it('the inputs are not modified', () => {
    fc.assert(
      fc.property(json, versions, (base, values) => {
        const before = structuredClone([base, values]);
        merge(base, values);
        expect([base, values]).toEqual(before);
      }),
    );
  });
});

describe('laws of parts, with each word in one part only', () => {
  type Change =
    | { kind: 'redact'; word: number }
    | { kind: 'remove'; part: number }
    | { kind: 'add'; at: number; fresh: number }
    | { kind: 'append'; part: number; fresh: number };

  const change: fc.Arbitrary<Change> = fc.oneof(
    fc.record({ kind: fc.constant('redact' as const), word: fc.nat(11) }),
    fc.record({ kind: fc.constant('remove' as const), part: fc.nat(3) }),
    fc.record({ kind: fc.constant('add' as const), at: fc.nat(4), fresh: fc.nat(99) }),
    fc.record({ kind: fc.constant('append' as const), part: fc.nat(3), fresh: fc.nat(99) }),
  );

  const base = [0, 1, 2, 3].map((part) => text([0, 1, 2].map((word) => `w${part * 3 + word}`).join(' ')));

  const apply = (changes: readonly Change[]) => {
    let parts = base.map((part) => ({ ...part }));
    for (const one of changes) {
      if (one.kind === 'redact') parts = parts.map((part) => text(part.text.replace(new RegExp(`\\bw${one.word}\\b`), '[x]')));
      if (one.kind === 'remove') parts = parts.filter((_, index) => index !== one.part);
      if (one.kind === 'add') parts.splice(one.at, 0, text(`fresh${one.fresh} text`));
      if (one.kind === 'append')
        parts = parts.map((part, index) => (index === one.part ? text(`${part.text} fresh${one.fresh}`) : part));
    }
    return parts;
  };

  const scripts = fc.array(fc.array(change, { maxLength: 4 }), { minLength: 1, maxLength: 3 });
  const wordsIn = (parts: unknown) => new Set((parts as ReturnType<typeof text>[]).flatMap((part) => wordsOf(part.text)));

  it('no word that a branch removes comes back', () => {
    fc.assert(
      fc.property(scripts, (all) => {
        const values = all.map(apply);
        const merged = wordsIn(merge(base, values).value);
        for (const word of wordsIn(base))
          if (values.some((value) => !wordsIn(value).has(word))) expect(merged).not.toContain(word);
      }),
      times(300, 1_500),
    );
  });

  it('without an overlap, words that all branches keep and words that any branch adds are present', () => {
    fc.assert(
      fc.property(scripts, (all) => {
        const values = all.map(apply);
        const { value, overlaps } = merge(base, values);
        if (overlaps.length > 0) return;
        const merged = wordsIn(value);
        for (const word of wordsIn(base)) if (values.every((one) => wordsIn(one).has(word))) expect(merged).toContain(word);
        for (const word of values.flatMap((one) => [...wordsIn(one)]))
          if (word.startsWith('fresh')) expect(merged).toContain(word);
      }),
      times(300, 1_500),
    );
  });
});
