import { mapLeaves } from './map-leaves.js';

/** A number is read as a card number or not at all: shorter ones are amounts, times and ids. */
const minNumber = 1e13;

/** Edits the texts inside a JSON-like value, keys and long numbers included; the same value comes back where nothing changed. */
export const editLeaves = (value: unknown, edit: (text: string) => string): unknown =>
  mapLeaves(value, (leaf) => {
    if (typeof leaf === 'number' && !(Number.isSafeInteger(leaf) && leaf >= minNumber)) return leaf;
    const text = String(leaf);
    const edited = edit(text);
    return edited === text ? leaf : edited;
  });
