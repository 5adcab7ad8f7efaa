import type { PhaseRow } from '../../phase/row.js';
import { isOverlapping } from '../with-policy.js';
import type { Check } from './check.js';
import { counts, guardsFrom, mayDecide, placesFrom, rowsOf, type GuardPlace, type Place } from './place.js';
import type { Scene, Spot } from './spot.js';

/** The state of the loop in which guards judge beside the model. */
export const judgingState = 'step.overlapping.guards.judging';

const isMarked = ({ node: { policy } }: GuardPlace): boolean => policy?.overlap === true;

/** The rows in which a guard judges beside the model's call. */
export const overlappingRows = (guard: GuardPlace): readonly PhaseRow[] => {
  const { policy } = guard.node;
  return policy ? rowsOf(guard).filter((row) => isOverlapping(policy, row)) : [];
};

/** A guard that may edit, marked to judge while the model is called: the model would have been sent what it takes out. */
export const overlapEdits: Check = {
  severity: 'error',
  find: ({ roots }) =>
    roots
      .flatMap(guardsFrom)
      .filter((guard) => isMarked(guard) && mayDecide(guard, 'edit'))
      .map(({ path }) => ({ path })),
};

/** A guard that is marked where none of its hooks come before a model call: there is nothing to judge beside. */
export const overlapNowhere: Check = {
  severity: 'error',
  find: ({ roots }) =>
    roots
      .flatMap(guardsFrom)
      .filter((guard) => isMarked(guard) && rowsOf(guard).length > 0 && overlappingRows(guard).length === 0)
      .map(({ path }) => ({ path })),
};

/** A guard that judges beside the model what another one edits after it, or beside it: the model is sent something else. */
export const overlapBeforeEdit: Check = {
  severity: 'error',
  find: ({ roots }) => roots.flatMap(placesFrom).flatMap(spotsIn),
};

/** Of the children of a place those that come after one, or stand beside it. */
const othersOf = ({ node, children }: Place, index: number): readonly Place[] =>
  node.kind === 'sequence' ? children.slice(index + 1) : children.filter((_, other) => other !== index);

const spotsIn = (place: Place): Spot[] =>
  place.children.flatMap((child, index) =>
    guardsFrom(child).flatMap((judge) => {
      const rows = overlappingRows(judge);
      const editor = othersOf(place, index)
        .flatMap(guardsFrom)
        .find((other) => mayDecide(other, 'edit') && rowsOf(other).some((row) => rows.includes(row)));
      if (!editor) return [];
      const detail = `"${editor.node.id}" edits what it has judged`;
      return [{ path: judge.path, detail, shows: otherPrompt(judge, editor) }];
    }),
  );

const otherPrompt = (judge: GuardPlace, editor: GuardPlace): Scene => ({
  before: { state: editedIn(judge, editor), happens: `"${editor.node.id}" edits` },
  state: judgingState,
  happens: `"${judge.node.id}" judges what was there before, while the model is called with the edit`,
});

const editedIn = (judge: GuardPlace, editor: GuardPlace): string => {
  const rows = overlappingRows(judge);
  return (rowsOf(editor).find((row) => rows.includes(row)) as PhaseRow).loopState; // it was found by having one
};

/** Milliseconds that the guards beside one model call may take together: the slowest counts. */
export const overlapCost = (roots: readonly Place[], costOf: (guard: GuardPlace) => number): number =>
  Math.max(
    0,
    ...roots
      .flatMap(guardsFrom)
      .filter((guard) => counts(guard) && overlappingRows(guard).length > 0)
      .map(costOf),
  );
