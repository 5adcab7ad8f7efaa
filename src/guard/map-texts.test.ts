import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { leavesOf, mapLeaves, mapErrorTexts, mapTexts, type Leaf } from './map-texts.js';

const shout = (text: string) => text.toUpperCase();

it('mapTexts changes the texts, field names and numbers of plain data, and no other values', () => {
  const date = new Date();
  expect(mapTexts({ a: ['b', date, null], c: { d: 1 } }, shout)).toEqual({ A: ['B', date, null], C: { D: 1 } });
  expect(mapTexts({ n: 12 }, (text) => text.replace('12', 'x'))).toEqual({ n: 'x' });
});

it('mapTexts keeps all fields if their names become equal', () => {
  const hide = (text: string) => text.replaceAll(/[a-z]@b/g, '[X]');
  expect(mapTexts({ 'a@b': 1, 'c@b': 2, '[X] 2': 3, 'd@b': 4 }, hide)).toEqual({
    '[X]': 1,
    '[X] 2': 2,
    '[X] 2 2': 3,
    '[X] 3': 4,
  });
});

it('mapTexts changes the message of an error and drops its fields', () => {
  const error = Object.assign(new TypeError('No a@b.'), { detail: 'a@b', cause: 'a@b' });
  const changed = mapTexts({ error }, (text) => text.replaceAll('a@b', 'X')) as { error: Error };
  expect(changed.error).toBeInstanceOf(Error);
  expect([changed.error.name, changed.error.message]).toEqual(['TypeError', 'No X.']);
  expect(inspect(changed)).not.toContain('a@b');
  expect(mapTexts(error, (text) => text)).toBe(error);
});

it('mapTexts and mapErrorTexts return the same data if nothing changes', () => {
  const data = { a: ['b', { c: 1 }] };
  expect([mapTexts(data, (text) => text), mapErrorTexts(data, (text) => text)]).toEqual([data, data]);
  expect(mapTexts(data, (text) => text)).toBe(data);
  expect(mapErrorTexts(data, (text) => text)).toBe(data);
});

it('mapErrorTexts changes the texts of host data, also in class instances and shared values', () => {
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

it.each([
  ['a call', { toolName: 'said', args: { id: 'said', n: 1 } }, { toolName: 'SAID', args: { ID: 'SAID', N: 'NR 1' } }],
  ['a chunk', { type: 'a', payload: { id: 'a', text: 'said', n: 1 } }, { type: 'a', payload: { id: 'a', text: 'SAID', n: 1 } }],
  ['a payload without a type', { payload: { id: 'said' } }, { payload: { ID: 'SAID' } }],
  ['a step', { output: { usage: { n: 1 }, reason: 'a' } }, { output: { usage: { n: 1 }, reason: 'a' } }],
  ['a result', { output: { reason: 'said' } }, { output: { REASON: 'SAID' } }],
  [
    'a result with a usage',
    { toolCallId: 'a', output: { usage: 1, id: 'said' } },
    { toolCallId: 'a', output: { USAGE: 'NR 1', ID: 'SAID' } },
  ],
])('mapErrorTexts changes all of the content of %s, but not its frame', (_what, data, changed) => {
  const change = (text: string) => text.replace(/^1$/, 'nr 1').toUpperCase();
  expect(mapErrorTexts(data, change)).toEqual(changed);
});

it('mapErrorTexts visits circular data once', () => {
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

  it('returns the same value if nothing changed, and shares unchanged parts', () => {
    const same = { a: [1, Number.NaN, 'x'], b: { c: null }, d: undefined };
    expect(mapLeaves(same, upper)).toBe(same);
    const changed = mapLeaves({ same, text: 'secret' }, upper) as { same: unknown };
    expect(changed.same).toBe(same);
  });

  it('keeps all entries if their keys become equal', () => {
    const toOne: (leaf: Leaf) => Leaf = (leaf) => (typeof leaf === 'string' ? 'k' : leaf);
    expect(Object.values(mapLeaves({ a: 1, b: 2, c: 3 }, toOne) as object)).toEqual([1, 2, 3]);
  });

  it('leaves dates and circular references unchanged', () => {
    const date = new Date(0);
    const circle: Record<string, unknown> = { date, text: 'secret' };
    circle['self'] = circle;
    const edited = mapLeaves(circle, upper) as typeof circle;
    expect(edited['date']).toBe(date);
    expect(edited['text']).toBe('X');
    expect(edited['self']).toBe(circle);
  });

  it('keeps `__proto__` as an own key', () => {
    const value = JSON.parse('{"__proto__": "secret"}') as object;
    const edited = mapLeaves(value, upper) as object;
    expect(Object.getOwnPropertyDescriptor(edited, '__proto__')?.value).toBe('X');
  });
});

describe('mapTexts with data that is not plain', () => {
  class Customer {
    readonly mail: string;
    constructor(mail: string) {
      this.mail = mail;
    }
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
    ['the result of toJSON', new Wrapped(), { mail: 'X' }],
    ['a URL', new URL('https://example.org/?to=a@b'), 'https://example.org/?to=X'],
    ['a map', new Map([['a@b', ['a@b']]]), new Map([['X', ['X']]])],
    ['a set', new Set(['a@b']), new Set(['X'])],
  ])('changes %s', (_case, value, expected) => {
    expect(mapTexts({ value }, hide)).toEqual({ value: expected });
    const same = { value };
    expect(mapTexts(same, (text) => text)).toBe(same);
  });

  it('drops the fields and causes of an error whose message stays the same', () => {
    const changed = mapTexts(Object.assign(new Error('Failed.'), { asked: 'a@b' }), hide);
    expect(inspect(changed)).not.toContain('a@b');
    const caused = mapTexts(new Error('Failed.', { cause: new Error('a@b') }), hide);
    expect([inspect(caused), (caused as Error).message]).toEqual([expect.not.stringContaining('a@b'), 'Failed.']);
  });

  it('visits a shared value once', () => {
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

it('leavesOf returns texts, numbers and field names', () => {
  expect(leavesOf({ a: 'x', b: [1, { c: 'y' }], d: true })).toEqual(['a', 'x', 'b', 1, 'c', 'y', 'd']);
});
