import { expect, it } from 'vitest';
import { isSamePart, snapshotParts } from './late-edits.js';
import type { Part } from './response.js';

class Money {
  amount: number;
  constructor(amount: number) {
    this.amount = amount;
  }
}

const callWith = (result: unknown): Part => ({
  type: 'tool-invocation',
  toolInvocation: { state: 'result', toolCallId: 'c', toolName: 'look', args: {}, result },
});

it.each([
  ['a class instance', () => new Money(1), (money: Money) => (money.amount = 2)],
  [
    'a class instance inside plain data',
    () => ({ prices: [new Money(1)] }),
    ({ prices }: { prices: Money[] }) => ((prices[0] as Money).amount = 2),
  ],
  ['plain data', () => ({ amount: 1 }), (money: { amount: number }) => (money.amount = 2)],
])('detects an in-place change of %s', (_name, make, change) => {
  const result = make();
  const part = callWith(result);
  const [before] = snapshotParts([part]);
  expect(isSamePart(before, snapshotParts([part], [before as never])[0])).toBe(true);
  change(result as never);
  expect(isSamePart(before, snapshotParts([part], [before as never])[0])).toBe(false);
});
