import { describe, expect, it } from 'vitest';
import { leavesOf, mapLeaves, type EditLeaf } from './map-leaves.js';

const upper: EditLeaf = (leaf) => (typeof leaf === 'string' ? leaf.replaceAll('secret', 'X') : leaf);

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
    const toOne: EditLeaf = (leaf) => (typeof leaf === 'string' ? 'k' : leaf);
    expect(Object.values(mapLeaves({ a: 1, b: 2, c: 3 }, toOne) as object)).toEqual([1, 2, 3]);
  });

  it('leaves instances of classes and circles alone', () => {
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

describe('leavesOf', () => {
  it('lists strings, numbers and keys', () => {
    expect(leavesOf({ a: 'x', b: [1, { c: 'y' }], d: true })).toEqual(['a', 'x', 'b', 1, 'c', 'y', 'd']);
  });
});
