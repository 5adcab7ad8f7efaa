import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  copyForReaders,
  copyKept,
  copyPlain,
  copyShared,
  isJson,
  isRecord,
  isSame,
  unchanging,
  keptCopy,
  otherCodeRan,
  withinDepth,
} from './plain-data.js';

class Thing {
  #secret = 1;
  readSecret() {
    return this.#secret;
  }
}

describe('isRecord', () => {
  it.each([[{}], [Object.create(null)], [{ a: 1 }]])('accepts %j', (value) => expect(isRecord(value)).toBe(true));

  it.each([[null], [undefined], [1], ['x'], [[]], [new Date()], [new Map()], [new Thing()], [() => 1], [new URL('a:b')]])(
    'rejects %s',
    (value) => expect(isRecord(value)).toBe(false),
  );
});

describe('isJson', () => {
  const circular: { list: unknown[] } = { list: [] };
  circular.list.push({ circular });

  /** `depth` levels of objects, each of which has the next one twice. */
  const sharedTwice = (depth: number): object => {
    const one = depth === 0 ? 1 : sharedTwice(depth - 1);
    return { a: one, b: one };
  };

  class Rows extends Array<unknown> {
    toJSON() {
      return undefined;
    }
  }

  it.each([
    [{ n: [1n] }],
    [circular],
    [sharedTwice(20)],
    [{ toJSON: () => undefined }],
    [Rows.from([1])],
    [new Thing()],
    [[new Map()]],
  ])('rejects data that JSON cannot represent, or of which it does not know (%#)', (value) => expect(isJson(value)).toBe(false));

  it('accepts JSON, also with fields that JSON leaves out', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => isJson(value)));
    expect(isJson({ none: undefined, list: [undefined, Symbol('a')], shared: sharedTwice(5) })).toBe(true);
  });

  it('accepts only what JSON.stringify takes', () => {
    const values = fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true });
    fc.assert(
      fc.property(values, (value) => {
        if (isJson({ value })) expect(typeof JSON.stringify({ value })).toBe('string');
      }),
    );
  });
});

describe('isSame', () => {
  it('compares the content of arrays, records and dates', () => {
    const value = () => ({ a: [1, { b: 'x' }], at: new Date(5), none: undefined, nan: NaN });
    expect(isSame(value(), value())).toBe(true);
  });

  it.each([
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: 1, b: 1 }],
    [{ a: undefined }, { b: undefined }],
    [{ a: undefined }, {}],
    [[1, 2], [1]],
    [[1], { 0: 1 }],
    [new Date(1), new Date(2)],
    [new Date(1), 1],
    [new Thing(), new Thing()],
    [null, undefined],
    [0, -0],
    ['1', 1],
    [JSON.parse('{"__proto__":{}}'), { a: 1 }],
    [{ a: 1 }, JSON.parse('{"__proto__":{}}')],
  ])('distinguishes %j from %j', (a, b) => expect(isSame(a, b)).toBe(false));
});

describe('copyPlain', () => {
  it('copies arrays, records and dates, and their content', () => {
    const value = { a: [1, { b: 'x' }], at: new Date(5), none: undefined };
    const copy = copyPlain(value);
    expect(copy).toStrictEqual(value);
    expect(copy).not.toBe(value);
    expect(copy.a).not.toBe(value.a);
    expect(copy.a[1]).not.toBe(value.a[1]);
    expect(copy.at).not.toBe(value.at);
  });

  it('shares class instances, functions and bytes', () => {
    const value = { thing: new Thing(), run: () => 1, bytes: new Uint8Array(2), url: new URL('https://example.com') };
    const copy = copyPlain(value);
    for (const name of ['thing', 'run', 'bytes', 'url'] as const) expect(copy[name]).toBe(value[name]);
    expect(copy.thing.readSecret()).toBe(1);
  });

  it('keeps `__proto__` as an own field', () => {
    const copy = copyPlain(JSON.parse('{"__proto__":{"x":1}}') as object);
    expect(Object.hasOwn(copy, '__proto__')).toBe(true);
    expect((copy as { x?: number }).x).toBeUndefined();
  });
});

describe('copyShared', () => {
  it.each([
    [{ b: 1 }, { a: undefined }],
    [{ a: undefined }, { b: undefined }],
    [{ a: undefined }, {}],
    [{}, { a: undefined }],
    [{}, { constructor: Object }],
    [
      { a: 1, b: { c: [1, 2] } },
      { b: { c: [1, 2] }, a: 2 },
    ],
    [
      [1, [2], 3],
      [1, [2]],
    ],
    [
      [1, [2]],
      [1, [2], undefined],
    ],
  ])('sees the difference between %j and %j', (earlier, value) => {
    const copy = copyShared<object>(earlier, value);
    expect(copy).toStrictEqual(value);
    expect(copy).not.toBe(earlier);
  });

  const plain = fc.anything({ withDate: true, maxDepth: 3 });

  it('returns a copy of the value, or the earlier copy if both are equal', () => {
    const holds = ([earlier, value]: [unknown, unknown]): void => {
      const copy = copyShared(earlier, value);
      expect(isSame(copy, value)).toBe(true);
      expect(Object.is(copy, earlier)).toBe(isSame(earlier, value));
    };
    fc.assert(fc.property(fc.tuple(plain, plain), holds));
    fc.assert(
      fc.property(plain, (value) => {
        const earlier = copyPlain(value);
        expect(copyShared(earlier, value)).toBe(earlier);
      }),
    );
  });

  it('treats two invalid dates as equal', () => {
    const value = { at: [new Date(NaN)] };
    const copy = copyPlain(value);
    expect(copyShared(copy, value)).toBe(copy);
    expect(copyShared({ at: [new Date(0)] }, value)).toEqual(value);
  });

  it('shares the unchanged parts of an extended message', () => {
    const earlier = { parts: [{ text: 'One.' }, { text: 'Two.' }] };
    const copy = copyShared(earlier, { parts: [{ text: 'One.' }, { text: 'Changed.' }, { text: 'Three.' }] });
    expect(copy.parts[0]).toBe(earlier.parts[0]);
    expect(copy).toEqual({ parts: [{ text: 'One.' }, { text: 'Changed.' }, { text: 'Three.' }] });
    expect(earlier.parts[1]).toEqual({ text: 'Two.' });
  });
});

it('copyPlain copies a circular value once', () => {
  const list: unknown[] = [];
  const value = { list, twice: [list, list] };
  list.push(value);
  const copied = copyPlain(value);
  expect(copied.list[0]).toBe(copied);
  expect(copied.list).not.toBe(list);
  expect(copied.twice[0]).not.toBe(copied.twice[1]);
});

describe('kept data', () => {
  const rows = () => keptCopy({ rows: [{ id: 1 }] }, (instance) => instance, false);

  it('is shared by copies for comparison, and copied once for all readers', () => {
    const own = rows();
    expect(copyShared(undefined, { result: own }).result).toBe(own);
    const [first, second] = [copyForReaders({ result: own }), copyForReaders([own])];
    expect(first.result).toEqual(own);
    expect(first.result).not.toBe(own);
    expect(second[0]).toBe(first.result);
    expect(copyPlain({ result: own }).result).not.toBe(own);
  });

  it('is shared with readers and snapshots if its holder says that it never changes', () => {
    const own = unchanging({ body: ['Hi'] });
    expect(copyForReaders({ request: own }).request).toBe(own);
    expect(copyShared(undefined, { request: own }).request).toBe(own);
    expect(unchanging('Hi')).toBe('Hi');
  });

  it('is shared for its copy while nothing changed that', () => {
    const own = rows();
    const given = copyKept(own);
    expect(given).not.toBe(own);
    expect(copyShared(undefined, [given])[0]).toBe(own);
    given.rows[0] = { id: 2 };
    otherCodeRan();
    expect(copyShared(undefined, [given])).toEqual([{ rows: [{ id: 2 }] }]);
    expect(copyForReaders(given)).toEqual({ rows: [{ id: 2 }] });
    expect(own).toEqual({ rows: [{ id: 1 }] });
  });

  it('is compared with its copy once after other code ran, at any depth', () => {
    let reads = 0;
    const own = keptCopy({ rows: [{ id: 1 }] }, (instance) => instance, false);
    const given = copyKept(own);
    Object.defineProperty(given.rows, 0, { get: () => ((reads += 1), { id: 1 }) });
    const readAll = () => [copyShared(undefined, { given }), copyShared({ given: own }, { given }), copyForReaders([given])];
    readAll();
    expect(reads).toBe(0);
    otherCodeRan();
    const copies = readAll();
    expect(reads).toBe(1);
    expect(copies).toEqual([{ given: own }, { given: own }, [own]]);
  });

  it('has copies of class instances, which are not kept: their changes are not found', () => {
    const [thing, copied] = [new Thing(), new Thing()];
    const own = keptCopy({ thing, rows: [{ id: 1 }] }, () => copied, false);
    expect(own.thing).toBe(copied);
    expect(copyShared(undefined, own)).not.toBe(own);
  });

  it('is for readers the value that it was copied from, if they may have that', () => {
    const value = { rows: [{ id: 1 }] };
    const own = keptCopy(value, (instance) => instance, true);
    expect(own).not.toBe(value);
    expect(copyForReaders([own])[0]).toBe(value);
  });
});

it('withinDepth accepts 500 levels and data that contains itself, and no more levels', () => {
  const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
  const parent: Record<string, unknown> = { at: new Date() };
  parent['children'] = Array.from({ length: 1000 }, () => ({ parent }));
  expect(withinDepth(parent)).toBe(parent);
  expect(() => withinDepth(nested(500))).not.toThrow();
  expect(() => withinDepth(nested(501))).toThrow(RangeError);
});
