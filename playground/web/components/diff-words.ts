import { diffWordsWithSpace } from 'diff/lib/diff/word.js';

/** A run of words that stayed, or was removed or added. */
export interface DiffPiece {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Beyond this the search for the smallest difference would block the page; the texts are then shown one after the other. */
const maxEdits = 2000;

/** The changes of a text, word by word. */
export const diffWords = (before: string, after: string): DiffPiece[] => {
  if (before === after) return before === '' ? [] : [{ kind: 'same', text: before }];
  const pieces = diffWordsWithSpace(before, after, { maxEditLength: maxEdits }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  return legible(
    pieces
      .filter(({ value }) => value !== '')
      .map(({ value, removed, added }) => ({ kind: removed ? 'removed' : added ? 'added' : 'same', text: value })),
  );
};

/** Joins adjacent changes: if an address became one word, that is one change, although a dot between its parts stayed. */
const legible = (pieces: readonly DiffPiece[]): DiffPiece[] => {
  const shortened: DiffPiece[] = [];
  for (let from = 0; from < pieces.length;) {
    const to = endOfChange(pieces, from);
    shortened.push(...(to - from > 2 ? asOne(pieces.slice(from, to)) : pieces.slice(from, Math.max(to, from + 1))));
    from = Math.max(to, from + 1);
  }
  return shortened;
};

const isChange = (piece: DiffPiece | undefined): boolean => piece !== undefined && piece.kind !== 'same';

const isMark = (piece: DiffPiece | undefined): boolean => piece?.kind === 'same' && !/[\s\p{L}\p{N}]/u.test(piece.text);

const endOfChange = (pieces: readonly DiffPiece[], from: number): number => {
  let to = from;
  while (isChange(pieces[to]) || (to > from && isMark(pieces[to]) && isChange(pieces[to + 1]))) to += 1;
  return to;
};

/** Punctuation at the end of both texts stays unchanged. */
const asOne = (change: readonly DiffPiece[]): DiffPiece[] => {
  const textOf = (kind: DiffPiece['kind']): string =>
    change.flatMap((piece) => (piece.kind === kind || piece.kind === 'same' ? [piece.text] : [])).join('');
  const [removed, added] = [textOf('removed'), textOf('added')];
  const marks = Array.from(/[^\s\p{L}\p{N}]*$/u.exec(added)?.[0] ?? '');
  const common = marks.map((_, index) => marks.slice(index).join('')).find((end) => removed.endsWith(end)) ?? '';
  const without = (text: string): string => text.slice(0, text.length - common.length);
  const pieces: DiffPiece[] = [
    { kind: 'removed', text: without(removed) },
    { kind: 'added', text: without(added) },
    { kind: 'same', text: common },
  ];
  return pieces.filter(({ text }) => text !== '');
};
