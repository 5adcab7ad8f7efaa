import { changeTexts } from '../../src/guard/in-steps.js';
import { mapLeaves, type Leaf } from '../../src/guard/map-texts.js';
import { whenReady, type Awaitable } from '../../src/phase/awaitable.js';

/** A number is read as a possible card number: shorter ones are amounts, times and ids. */
const minNumber = 1e13;

/** Edits the texts inside a JSON-like value, including keys and long numbers; returns the same value if nothing changed. */
export const editLeaves = (value: unknown, edit: (text: string) => Awaitable<string>): Awaitable<unknown> =>
  changeTexts<unknown, Leaf>(
    (change) => mapLeaves(value, change),
    (leaf) => {
      if (typeof leaf !== 'string' && !isLong(leaf)) return leaf;
      const text = String(leaf);
      return whenReady(edit(text), (edited) => (edited === text ? leaf : edited));
    },
  );

const isLong = (leaf: number | bigint): boolean => leaf >= minNumber && (typeof leaf === 'bigint' || Number.isSafeInteger(leaf));
