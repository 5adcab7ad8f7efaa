import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stepChars, turn } from '../../src/guard/in-steps.js';
import { isDeep } from '../modes.js';
import { guards, shapes, textOf, type AskGuard, type Shape } from './guard-rows.js';

/** Functions that answer at once, and so read a text without a pause. Rules have their own limit for an argument's length. */
const atOnce = new Set(['pathRule', 'sqlRule', 'urlRule']);

/** The number of characters read since the last turn of other work, and its maximum. */
const loop = { read: 0, most: 0, isOver: false };
const count = (chars: number): void => {
  loop.read += chars;
  loop.most = Math.max(loop.most, loop.read);
};
const tick = (): void => {
  loop.read = 0;
  if (!loop.isOver) setImmediate(tick);
};

/** Functions that read characters: expressions, up to their reach, and methods that return characters or another form of a text. */
const { exec } = RegExp.prototype;
const ofExpressions = {
  exec(this: RegExp, text: string): RegExpExecArray | null {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const match = exec.call(this, text);
    const end = match ? match.index + match[0].length : this.sticky ? from : text.length;
    count(Math.max(1, end - from));
    return match;
  },
};
const { charCodeAt, codePointAt, charAt, normalize, toLowerCase } = String.prototype;
const counting = <Args extends unknown[]>(method: (this: string, ...args: Args) => unknown, charsOf: (text: string) => number) =>
  function (this: string, ...args: Args): unknown {
    count(charsOf(this));
    return method.apply(this, args);
  };
const one = () => 1;
const all = ({ length }: string) => length;
const ofTexts = {
  charCodeAt: counting(charCodeAt, one),
  codePointAt: counting(codePointAt, one),
  charAt: counting(charAt, one),
  normalize: counting(normalize, all),
  toLowerCase: counting(toLowerCase, all),
};

beforeAll(() => {
  Object.assign(RegExp.prototype, ofExpressions);
  Object.assign(String.prototype, ofTexts);
  setImmediate(tick);
});
afterAll(() => {
  Object.assign(RegExp.prototype, { exec });
  Object.assign(String.prototype, { charCodeAt, codePointAt, charAt, normalize, toLowerCase });
  loop.isOver = true;
});

/** The maximum that a guard reads of a text between two turns of other work. */
const mostOf = async (ask: AskGuard, text: string, cut?: number): Promise<number> => {
  await turn();
  loop.most = 0;
  await ask(text, { ...(cut && { cut }), between: turn });
  return loop.most;
};

const hard: readonly Shape[] = ['a table of addresses', 'look-alikes', 'instructions', 'terms', 'links', 'short sentences'];
const few = 2 * stepChars;

describe('P12: the text read between two turns of other work does not grow with the length', () => {
  it.each(Object.entries(guards).filter(([name]) => !atOnce.has(name)))('%s', async (name, ask) => {
    const own = hard[Object.keys(guards).indexOf(name) % hard.length];
    const tooMuch: string[] = [];
    for (const shape of isDeep ? (Object.keys(shapes) as Shape[]) : (['prose', own] as const)) {
      const unit = shape && shapes[shape];
      if (!unit) continue;
      for (const cut of [undefined, 100]) {
        const [least, most] = [await mostOf(ask, textOf(unit, few), cut), await mostOf(ask, textOf(unit, 3 * few), cut)];
        if (most > 1.5 * least + stepChars) tooMuch.push(`${shape}, ${cut ? 'many texts' : 'one text'}: ${least}, then ${most}`);
      }
    }
    expect(tooMuch).toEqual([]);
  });

  it('a guard without pauses exceeds the limit on a longer text', async () => {
    const ask: AskGuard = (text) => text.match(/forbidden/);
    expect(await mostOf(ask, textOf(shapes.prose, 3 * few))).toBeGreaterThan(
      2.5 * (await mostOf(ask, textOf(shapes.prose, few))),
    );
  });
});
