import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { leavesOf, mapLeaves, mapErrorTexts, mapTexts, type Leaf } from './map-texts.js';

const shout = (text: string) => text.toUpperCase();

it('texts, names of fields and numbers of plain data are changed, and nothing of other things', () => {
  const date = new Date();
  expect(mapTexts({ a: ['b', date, null], c: { d: 1 } }, shout)).toEqual({ A: ['B', date, null], C: { D: 1 } });
  expect(mapTexts({ n: 12 }, (text) => text.replace('12', 'x'))).toEqual({ n: 'x' });
});

it('no field is lost where names become the same', () => {
  const hide = (text: string) => text.replaceAll(/[a-z]@b/g, '[X]');
  expect(mapTexts({ 'a@b': 1, 'c@b': 2, '[X] 2': 3, 'd@b': 4 }, hide)).toEqual({
    '[X]': 1,
    '[X] 2': 2,
    '[X] 2 2': 3,
    '[X] 3': 4,
  });
});

it('what an error says is changed, and what it carries is left behind', () => {
  const error = Object.assign(new TypeError('No a@b.'), { detail: 'a@b', cause: 'a@b' });
  const changed = mapTexts({ error }, (text) => text.replaceAll('a@b', 'X')) as { error: Error };
  expect(changed.error).toBeInstanceOf(Error);
  expect([changed.error.name, changed.error.message]).toEqual(['TypeError', 'No X.']);
  expect(inspect(changed)).not.toContain('a@b');
  expect(mapTexts(error, (text) => text)).toBe(error);
});

it('where nothing changes, the data is the same', () => {
  const data = { a: ['b', { c: 1 }] };
  expect([mapTexts(data, (text) => text), mapErrorTexts(data, (text) => text)]).toEqual([data, data]);
  expect(mapTexts(data, (text) => text)).toBe(data);
  expect(mapErrorTexts(data, (text) => text)).toBe(data);
});

it('of the host’s data what is said is changed, also in instances, and what is there twice', () => {
  class Step {
    readonly text = 'said';
    readonly type = 'text';
  }
  const step = new Step();
  expect(mapErrorTexts({ type: 'a', steps: [step, step], usage: 1, at: null }, shout)).toEqual({
    type: 'a',
    steps: Array.from({ length: 2 }, () => ({ text: 'SAID', type: 'text' })),
    usage: 1,
    at: null,
  });
});

it('data that leads back to itself is gone through once', () => {
  const circle: Record<string, unknown> = { text: 'said' };
  circle['self'] = circle;
  expect(mapErrorTexts(circle, shout)).toMatchObject({ text: 'SAID' });
});

const upper: (leaf: Leaf) => Leaf = (leaf) => (typeof leaf === 'string' ? leaf.replaceAll('secret', 'X') : leaf);

describe('mapLeaves', () => {
  it.each<[unknown, unknown]>([
    ['a secret', 'a X'],
    [
      ['a', { b: 'secret', c: [1, 'secret'] }],
      ['a', { b: 'X', c: [1, 'X'] }],
    ],
    [
      { secret: 1, 'secret ': 2 },
      { X: 1, 'X ': 2 },
    ],
    [{ secret1: 1 }, { X1: 1 }],
    [null, null],
    [undefined, undefined],
    [true, true],
  ])('edits %j to %j', (value, expected) => {
    expect(mapLeaves(value, upper)).toEqual(expected);
  });

  it('gives back the same value where nothing changed, and shares the rest', () => {
    const same = { a: [1, Number.NaN, 'x'], b: { c: null }, d: undefined };
    expect(mapLeaves(same, upper)).toBe(same);
    const changed = mapLeaves({ same, text: 'secret' }, upper) as { same: unknown };
    expect(changed.same).toBe(same);
  });

  it('loses no entry where two keys become one', () => {
    const toOne: (leaf: Leaf) => Leaf = (leaf) => (typeof leaf === 'string' ? 'k' : leaf);
    expect(Object.values(mapLeaves({ a: 1, b: 2, c: 3 }, toOne) as object)).toEqual([1, 2, 3]);
  });

  it('leaves dates and circles alone', () => {
    const date = new Date(0);
    const circle: Record<string, unknown> = { date, text: 'secret' };
    circle['self'] = circle;
    const edited = mapLeaves(circle, upper) as typeof circle;
    expect(edited['date']).toBe(date);
    expect(edited['text']).toBe('X');
    expect(edited['self']).toBe(circle);
  });

  it('keeps a key called __proto__ an entry', () => {
    const value = JSON.parse('{"__proto__": "secret"}') as object;
    const edited = mapLeaves(value, upper) as object;
    expect(Object.getOwnPropertyDescriptor(edited, '__proto__')?.value).toBe('X');
  });
});

describe('what is no plain data', () => {
  class Customer {
    constructor(readonly mail: string) {}
  }
  class Wrapped {
    readonly #mail = 'a@b';
    toJSON() {
      return { mail: this.#mail };
    }
  }
  const hide = (text: string) => text.replaceAll('a@b', 'X');

  it.each([
    ['an instance', new Customer('a@b'), { mail: 'X' }],
    ['what its toJSON gives', new Wrapped(), { mail: 'X' }],
    ['an address', new URL('https://example.org/?to=a@b'), 'https://example.org/?to=X'],
    ['a map', new Map([['a@b', ['a@b']]]), new Map([['X', ['X']]])],
    ['a set', new Set(['a@b']), new Set(['X'])],
  ])('is changed: %s', (_case, value, expected) => {
    expect(mapTexts({ value }, hide)).toEqual({ value: expected });
    const same = { value };
    expect(mapTexts(same, (text) => text)).toBe(same);
  });

  it('an error whose message is clean carries nothing that is changed', () => {
    const changed = mapTexts(Object.assign(new Error('Failed.'), { asked: 'a@b' }), hide);
    expect(inspect(changed)).not.toContain('a@b');
    const caused = mapTexts(new Error('Failed.', { cause: new Error('a@b') }), hide);
    expect([inspect(caused), (caused as Error).message]).toEqual([expect.not.stringContaining('a@b'), 'Failed.']);
  });

  it('what many places share is gone through once', () => {
    let calls = 0;
    let shared: unknown = ['a'];
    for (let depth = 0; depth < 40; depth += 1) shared = [shared, shared];
    mapTexts(shared, (text) => {
      calls += 1;
      return text;
    });
    expect(calls).toBe(1);
  });
});

it('the leaves of a value are its texts, its numbers and the names of its fields', () => {
  expect(leavesOf({ a: 'x', b: [1, { c: 'y' }], d: true })).toEqual(['a', 'x', 'b', 1, 'c', 'y', 'd']);
});
