import { diffWordsWithSpace } from 'diff';

/** A run of words that stayed, went or came. */
export interface DiffPiece {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Beyond this the search for the smallest difference would hold the page up; the texts are then shown one after the other. */
const maxEdits = 2000;

/** What became of a text, word by word. */
export const diffWords = (before: string, after: string): DiffPiece[] => {
  if (before === after) return before === '' ? [] : [{ kind: 'same', text: before }];
  const pieces = diffWordsWithSpace(before, after, { maxEditLength: maxEdits }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  return pieces
    .filter(({ value }) => value !== '')
    .map(({ value, removed, added }) => ({ kind: removed ? 'removed' : added ? 'added' : 'same', text: value }));
};
