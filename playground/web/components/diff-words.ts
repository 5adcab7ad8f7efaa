import { diffArrays } from 'diff/lib/diff/array.js';

/** A run of words that stayed, or was removed or added. */
export interface DiffPiece {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Beyond this the search for the smallest difference would block the page; the texts are then shown one after the other. */
const maxEdits = 2000;

/** Blanks, letters of scripts without blanks, words, which may contain marks such as those of an address, and other characters. */
const tokens = /\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}](?:\S*[\p{L}\p{N}])?|[^]/gu;

/** The changes of a text, word by word. */
export const diffWords = (before: string, after: string): DiffPiece[] => {
  const [old, now] = [before, after].map((text) => text.match(tokens) ?? []);
  const pieces = diffArrays(old ?? [], now ?? [], { maxEditLength: maxEdits }) ?? [
    { value: [before], removed: true, added: false },
    { value: [after], removed: false, added: true },
  ];
  return pieces
    .map(({ value, removed, added }): DiffPiece => ({
      kind: removed ? 'removed' : added ? 'added' : 'same',
      text: value.join(''),
    }))
    .filter(({ text }) => text !== '');
};
