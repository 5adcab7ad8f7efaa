import { patternOf } from '../../guard/pattern.js';
import { windowOf } from '../graph.js';
import { holdingIn, isLate } from '../hold.js';
import type { ErrorCode } from '../../errors.js';
import type { PhaseRow } from '../../phase/row.js';
import {
  type Check,
  type DefectLocation,
  type Scene,
  type Subject,
  counts,
  type GraphLocation,
  type GuardLocation,
  guardsFrom,
  guardsIn,
  placesIn,
  mayDecide,
  rowsOf,
  streamRow,
  guardsWhere,
} from './check.js';
import { isOverlapping } from '../../guard/policy/guard-policy.js';

/** Guards that run on a stream, and whose verdict counts. */
const streamGuards = (subject: Subject): GuardLocation[] =>
  guardsIn(subject).filter((guard) => counts(guard) && rowsOf(guard).includes(streamRow));

const isCalledByChunk = (guard: GuardLocation): boolean => {
  const { traits, processor } = guard.node;
  const isBlind = traits?.judgesEachChunk === true || patternOf(processor) !== undefined;
  const window = windowOf(guard.node);
  return isBlind && (window === 'chunk' || window === 'delta');
};

const cutValue = ({ node: { id } }: GuardLocation): Scene => ({
  state: streamRow.loopState,
  happens: `the model sends the chunks "ada@exam" and "ple.com"; "${id}" passes each chunk, and the whole address is emitted`,
});

const retryAt = (guard: GuardLocation) => {
  const row = rowsOf(guard).find(({ lane }) => lane !== 'error');
  if (!row || !mayDecide(guard, 'retry')) return [];
  const happens = `"${guard.node.id}" requests a retry; no retry is granted`;
  return [{ path: guard.path, shows: { state: row.loopState, happens, ends: 'retry' } as const }];
};

const lateAt = (guard: GuardLocation, hold: Subject['hold'], verdict: 'trip' | 'edit') => {
  const rows = rowsOf(guard);
  const late = rows.find((row) => isTooLate(row, hold));
  if (!late || rows.includes(streamRow) || !mayDecide(guard, verdict)) return [];
  const scene: Scene = {
    before: { state: streamRow.loopState, happens: 'the text of the response is emitted' },
    state: late.loopState,
    happens: `"${guard.node.id}" ${verdict === 'trip' ? 'blocks' : 'edits'} the emitted text`,
    ...(verdict === 'trip' && { ends: verdict }),
  };
  return [{ path: guard.path, detail: `this guard runs in ${late.hook}`, shows: scene }];
};

/** Whether a verdict comes after the text was emitted. */
const isTooLate = (row: PhaseRow, hold: Subject['hold']): boolean =>
  (hold === 'none' || hold === 'step') && isLate(row, hold === 'none' ? 'step' : 'run');

/** The state of the loop in which overlap guards judge. */
export const judgingState = 'step.overlapping.guards.judging';

const isMarked = ({ node: { policy } }: GuardLocation): boolean => policy?.overlap === true;

/** The rows in which a guard overlaps with the model's call. */
export const overlappingRows = (guard: GuardLocation): readonly PhaseRow[] => {
  const { policy } = guard.node;
  return policy ? rowsOf(guard).filter((row) => isOverlapping(policy, row)) : [];
};

/** The children of a location that follow a child or are parallel to it. */
const othersOf = ({ node, children }: GraphLocation, index: number): readonly GraphLocation[] =>
  node.kind === 'sequence' ? children.slice(index + 1) : children.filter((_, other) => other !== index);

const locationsIn = (place: GraphLocation): DefectLocation[] =>
  place.children.flatMap((child, index) =>
    guardsFrom(child).flatMap((judge) => {
      const rows = overlappingRows(judge);
      const editors = othersOf(place, index)
        .flatMap(guardsFrom)
        .filter((other) => mayDecide(other, 'edit'));
      const [edit] = editors.flatMap((editor) =>
        rowsOf(editor).flatMap((row) => (rows.includes(row) ? [{ id: editor.node.id, state: row.loopState }] : [])),
      );
      if (!edit) return [];
      const shows: Scene = {
        before: { state: edit.state, happens: `"${edit.id}" edits` },
        state: judgingState,
        happens: `"${judge.node.id}" checks the content before the edit, but the model gets the edited content`,
      };
      return [{ path: judge.path, detail: `"${edit.id}" edits content that this guard checks`, shows }];
    }),
  );

/** The worst-case milliseconds of the guards that overlap with one model call: the slowest counts. */
export const overlapCost = (subject: Subject, costOf: (guard: GuardLocation) => number): number =>
  Math.max(
    0,
    ...guardsIn(subject)
      .filter((guard) => counts(guard) && overlappingRows(guard).length > 0)
      .map(costOf),
  );

/** The checks of guards and their policies, by code. */
export const policyChecks = {
  /** A guard that may edit, marked to judge during the model call: the model would get the content that it removes. */
  'guard/overlap-edits': {
    severity: 'error',
    find: guardsWhere((guard) => isMarked(guard) && mayDecide(guard, 'edit')),
  },
  /** A guard marked `overlap` without a hook that runs before a model call: it has no call to overlap with. */
  'guard/overlap-nowhere': {
    severity: 'error',
    find: guardsWhere((guard) => isMarked(guard) && rowsOf(guard).length > 0 && overlappingRows(guard).length === 0),
  },
  /**
   * An overlap guard that judges content which another guard edits later or in parallel: the model gets other content than the
   * guard judged.
   */
  'guard/overlap-before-edit': {
    severity: 'error',
    find: (subject) => placesIn(subject).flatMap(locationsIn),
  },
  /** A pattern that may match any number of characters: the gate could never release a character. */
  'guard/unbounded-pattern': {
    severity: 'error',
    find: (subject) =>
      streamGuards(subject).flatMap((guard) => {
        const maxLength = patternOf(guard.node.processor)?.maxLength;
        const isBounded = maxLength === undefined || maxLength === 'part' || (Number.isInteger(maxLength) && maxLength > 0);
        return isBounded ? [] : [{ path: guard.path, detail: `its maxLength is ${maxLength}` }];
      }),
  },
  /** A guard that judges each chunk by itself, although chunks are split anywhere. */
  'guard/judges-each-chunk': {
    severity: 'warning',
    find: (subject) =>
      streamGuards(subject)
        .filter(isCalledByChunk)
        .map((guard) => ({ path: guard.path, shows: cutValue(guard) })),
  },
  /** A guard that hides its failures: no policy and no promise applies to it. A pipeline that passes outages anyway declares it. */
  'guard/passes-on-failure': {
    severity: 'warning',
    find: (subject) =>
      guardsIn(subject).flatMap((guard) => {
        const { traits, policy, id } = guard.node;
        const [row] = rowsOf(guard);
        if (!row || !traits?.passesOnFailure || !counts(guard) || policy?.onUnavailable === 'pass') return [];
        const happens = `the service behind "${id}" is unavailable; the guard passes unchecked content`;
        return [{ path: guard.path, shows: { state: row.loopState, happens } }];
      }),
  },
  /** A guard that may request a retry if none is granted: every retry is then a block. */
  'guard/retry-without-budget': {
    severity: 'warning',
    find: (subject) => (subject.maxProcessorRetries === 0 ? guardsIn(subject).flatMap(retryAt) : []),
  },
  /** A guard that blocks content after it was streamed. */
  'guard/late-verdict': {
    severity: 'warning',
    find: (subject) => guardsIn(subject).flatMap((guard) => lateAt(guard, subject.hold, 'trip')),
  },
  /** A guard that edits content after it was streamed: a reader sees it retracted and emitted again. */
  'guard/late-edit': {
    severity: 'warning',
    find: (subject) => guardsIn(subject).flatMap((guard) => lateAt(guard, subject.hold, 'edit')),
  },
  /** A guard that content waits for. */
  'guard/holds-answer': {
    severity: 'warning',
    find: ({ roots, hold }) => {
      if (hold !== 'auto') return [];
      return roots.flatMap(holdingIn).map(({ place, hold: until, hook }) => ({
        path: place.path,
        detail: `the ${until === 'run' ? 'whole answer' : 'step'} waits for its ${hook}`,
      }));
    },
  },
} as const satisfies Partial<Record<ErrorCode, Check>>;
