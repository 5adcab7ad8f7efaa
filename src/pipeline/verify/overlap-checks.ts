import type { PhaseRow } from '../../phase/row.js';
import { isOverlapping } from '../with-policy.js';
import type { Check, Scene, DefectLocation } from './check.js';
import {
  counts,
  guardsFrom,
  mayDecide,
  locationsFrom,
  rowsOf,
  type GuardLocation,
  type GraphLocation,
} from './graph-location.js';

/** The state of the loop in which overlap guards judge. */
export const judgingState = 'step.overlapping.guards.judging';

const isMarked = ({ node: { policy } }: GuardLocation): boolean => policy?.overlap === true;

/** The rows in which a guard overlaps with the model's call. */
export const overlappingRows = (guard: GuardLocation): readonly PhaseRow[] => {
  const { policy } = guard.node;
  return policy ? rowsOf(guard).filter((row) => isOverlapping(policy, row)) : [];
};

/** A guard that may edit, marked to judge during the model call: the model would get the content that it removes. */
export const overlapEdits: Check = {
  severity: 'error',
  find: ({ roots }) =>
    roots
      .flatMap(guardsFrom)
      .filter((guard) => isMarked(guard) && mayDecide(guard, 'edit'))
      .map(({ path }) => ({ path })),
};

/** A guard marked `overlap` without a hook that runs before a model call: it has no call to overlap with. */
export const overlapNowhere: Check = {
  severity: 'error',
  find: ({ roots }) =>
    roots
      .flatMap(guardsFrom)
      .filter((guard) => isMarked(guard) && rowsOf(guard).length > 0 && overlappingRows(guard).length === 0)
      .map(({ path }) => ({ path })),
};

/**
 * An overlap guard that judges content which another guard edits later or in parallel: the model gets other content than the
 * guard judged.
 */
export const overlapBeforeEdit: Check = {
  severity: 'error',
  find: ({ roots }) => roots.flatMap(locationsFrom).flatMap(locationsIn),
};

/** The children of a location that follow a child or are parallel to it. */
const othersOf = ({ node, children }: GraphLocation, index: number): readonly GraphLocation[] =>
  node.kind === 'sequence' ? children.slice(index + 1) : children.filter((_, other) => other !== index);

const locationsIn = (place: GraphLocation): DefectLocation[] =>
  place.children.flatMap((child, index) =>
    guardsFrom(child).flatMap((judge) => {
      const rows = overlappingRows(judge);
      const editor = othersOf(place, index)
        .flatMap(guardsFrom)
        .find((other) => mayDecide(other, 'edit') && rowsOf(other).some((row) => rows.includes(row)));
      if (!editor) return [];
      const detail = `"${editor.node.id}" edits content that this guard checks`;
      return [{ path: judge.path, detail, shows: otherPrompt(judge, editor) }];
    }),
  );

const otherPrompt = (judge: GuardLocation, editor: GuardLocation): Scene => ({
  before: { state: editedIn(judge, editor), happens: `"${editor.node.id}" edits` },
  state: judgingState,
  happens: `"${judge.node.id}" checks the content before the edit, but the model gets the edited content`,
});

const editedIn = (judge: GuardLocation, editor: GuardLocation): string => {
  const rows = overlappingRows(judge);
  return (rowsOf(editor).find((row) => rows.includes(row)) as PhaseRow).loopState; // it was found by such a row
};

/** The worst-case milliseconds of the guards that overlap with one model call: the slowest counts. */
export const overlapCost = (roots: readonly GraphLocation[], costOf: (guard: GuardLocation) => number): number =>
  Math.max(
    0,
    ...roots
      .flatMap(guardsFrom)
      .filter((guard) => counts(guard) && overlappingRows(guard).length > 0)
      .map(costOf),
  );
