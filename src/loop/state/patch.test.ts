import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { applyPatch, diff, type Patch } from './patch.js';

const patched = (before: unknown, patch: Patch | undefined): unknown => (patch ? applyPatch(before, patch) : before);

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.string(),
    fc.integer(),
    fc.constantFrom(null, undefined, true),
    fc.constantFrom('a text that is long', 'a text that is long, and goes on', 'another text that is long'),
    tie('list'),
    tie('record'),
  ),
  list: fc.array(tie('any'), { maxLength: 5 }),
  record: fc.dictionary(fc.oneof(fc.constantFrom('a', 'b', 'c', '__proto__'), fc.string()), tie('any'), { maxKeys: 4 }),
})).any;

describe('diff and applyPatch', () => {
  it('turn any value into any other, and do not modify the first', () => {
    fc.assert(
      fc.property(value, value, (before, after) => {
        const asItWas = structuredClone(before);
        expect(patched(before, diff(before, after))).toEqual(after);
        expect(before).toEqual(asItWas);
      }),
      { numRuns: 500 },
    );
  });

  it('produce no patch for equal values', () => {
    fc.assert(
      fc.property(value, (one) => {
        expect(diff(one, structuredClone(one))).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it('turn lists that share their ends into each other', () => {
    const list = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 6 });
    fc.assert(
      fc.property(list, list, list, list, (head, a, b, tail) => {
        const [before, after] = [
          [...head, ...a, ...tail],
          [...head, ...b, ...tail],
        ];
        expect(patched(before, diff(before, after))).toEqual(after);
      }),
      { numRuns: 500 },
    );
  });

  it('encode an extended conversation as the added messages and parts', () => {
    const messages = Array.from({ length: 1_000 }, (_, id) => ({ id, parts: [{ type: 'text', text: 'x'.repeat(500) }] }));
    const more = structuredClone(messages);
    more.at(-1)?.parts.push({ type: 'text', text: 'and more' });
    more.push({ id: 1_000, parts: [{ type: 'text', text: 'an answer' }] });
    const patch = diff({ messages }, { messages: more });
    expect(patched({ messages }, patch)).toEqual({ messages: more });
    expect(JSON.stringify(patch).length).toBeLessThan(250);
  });

  it('encode an extended text as the added part', () => {
    expect(diff('all that was said so far', 'all that was said so far, and this')).toEqual(['+', ', and this']);
    expect(patched('all that was said so far', ['+', ', and this'])).toBe('all that was said so far, and this');
    expect(diff('all that was said so far', 'nothing of the kind')).toEqual(['=', 'nothing of the kind']);
    expect(diff('so', 'no')).toEqual(['=', 'no']);
  });

  it('produce a mutable value', () => {
    const made = patched({ a: 1, b: 1 }, diff({ a: 1, b: 1 }, { a: 2, b: 1 })) as Record<string, number>;
    made['a'] = 3;
    delete made['a'];
    expect(made).toEqual({ b: 1 });
  });

  it('compare dates by time and other instances by identity', () => {
    expect(diff(new Date(5), new Date(5))).toBeUndefined();
    expect(diff(new Date(5), new Date(6))).toEqual(['=', new Date(6)]);
    expect(diff(new Map([[1, 2]]), new Map([[1, 2]]))).toEqual(['=', new Map([[1, 2]])]);
  });
});
