import type { ErrorCode } from '../../errors.js';
import { isAlways, isNever, type BranchNode, otherwise, type ParallelNode } from '../graph.js';
import {
  type Check,
  type DefectLocation,
  type Subject,
  type GraphLocation,
  type GuardLocation,
  guardsFrom,
  isGuard,
  placesIn,
  mayDecide,
  rowsOf,
  streamRow,
} from './check.js';

const branchesOf = (subject: Subject): GraphLocation<BranchNode>[] => placesIn(subject).filter(isBranch);

const isStrict = (place: GraphLocation): place is GraphLocation<BranchNode | ParallelNode> =>
  (place.node.kind === 'parallel' || place.node.kind === 'branch') && place.node.overlap === 'error';

/** The first two guards in different branches that may edit in the same phase. */
const conflictIn = ({ path, children }: GraphLocation): DefectLocation[] => {
  const writers = children.flatMap((branch) => writersIn(branch));
  for (const { row, guard, branch } of writers) {
    const other = writers.find((one) => one.row === row && one.branch !== branch);
    if (!other) continue;
    const names = `"${guard.node.id}" and "${other.guard.node.id}"`;
    const shows = { state: row.loopState, happens: `${names} edit the same text`, ends: 'failed' } as const;
    return [{ path, detail: `${names} both edit in ${row.hook}`, shows }];
  }
  return [];
};

const writersIn = (branch: GraphLocation) =>
  guardsFrom(branch)
    .filter((guard) => mayDecide(guard, 'edit'))
    .flatMap((guard) => rowsOf(guard).map((row) => ({ branch, guard, row })));

/**
 * The coverage of a stream by a part of a pipeline: every chunk gets a verdict that counts, or some may get none; undefined if the part
 * does not judge the stream.
 */
type Cover = 'whole' | { readonly path: string; readonly detail: string } | undefined;

const coverOf = (place: GraphLocation): Cover => {
  if (isGuard(place)) return coverOfGuard(place);
  if (isBranch(place)) return coverOfBranch(place);
  return best(place.children.map(coverOf)); // in sequence or in parallel: all of them run
};

const isBranch = (place: GraphLocation): place is GraphLocation<BranchNode> => place.node.kind === 'branch';

/** The coverage of several parts that all run. */
const best = (covers: readonly Cover[]): Cover =>
  covers.find((cover) => cover === 'whole') ?? covers.find((cover) => cover !== undefined);

/** Every chunk is judged by a case that always matches; or, with `otherwise`, by whichever case runs. */
const coverOfBranch = ({ node, path, children }: GraphLocation<BranchNode>): Cover => {
  const covers = children.map(coverOf);
  const isOtherwise = node.arms.map(({ when }) => when === otherwise);
  const always = best(covers.filter((_, index) => !isOtherwise[index] && isAlways(node.arms[index]?.when)));
  if (always !== undefined || best(covers) === undefined) return always;
  if (isOtherwise.includes(true) && covers.every(Boolean)) return covers.find((cover) => cover !== 'whole') ?? 'whole';
  return { path, detail: 'possibly no case with a stream guard runs' };
};

const coverOfGuard = (guard: GuardLocation): Cover => {
  if (!rowsOf(guard).includes(streamRow)) return undefined;
  const why = reasonNotCalled(guard);
  return why ? { path: guard.path, detail: `"${guard.node.id}" ${why}` } : 'whole';
};

/** The reason why an existing hook may give no verdict. */
const reasonNotCalled = ({ node: { policy } }: GuardLocation): string | undefined => {
  if (policy?.shadow) return 'is a shadow guard';
  if ((policy?.sampleRate ?? 1) < 1) return `runs only in a share of ${policy?.sampleRate} of the runs`;
  return policy?.onUnavailable === 'pass' ? 'passes chunks if it is unavailable' : undefined;
};

/** The checks of blocks and branches, by code. */
export const blockChecks = {
  /** A case that never runs: its condition is never true, or it is `otherwise` next to a case that always matches. */
  'pipeline/unreachable-case': {
    severity: 'warning',
    find: (subject) =>
      branchesOf(subject)
        .flatMap(({ node: { arms }, children }) => {
          const isTaken = arms.some(({ when }) => when !== otherwise && isAlways(when));
          return children.filter((_, index) => isNever(arms[index]?.when) || (isTaken && arms[index]?.when === otherwise));
        })
        .map(({ path }) => ({ path })),
  },
  /** A case after one that always matches, or after `otherwise`: it looks as if it could not run. */
  'pipeline/case-after-otherwise': {
    severity: 'warning',
    find: (subject) =>
      branchesOf(subject)
        .flatMap(({ node, children }) => {
          const always = node.arms.findIndex(({ when }) => isAlways(when));
          return always < 0 ? [] : children.slice(always + 1);
        })
        .map(({ path }) => ({ path })),
  },
  /** Two parallel guards that both edit, under the rule that fails the run if their edits overlap. */
  'pipeline/parallel-writers': {
    severity: 'warning',
    find: (subject) => placesIn(subject).filter(isStrict).flatMap(conflictIn),
  },
  /** A pipeline that judges only parts of a stream. */
  'pipeline/unjudged-chunk': {
    severity: 'warning',
    find: ({ roots }) =>
      roots.flatMap((root) => {
        const cover = coverOf(root);
        if (cover === undefined || cover === 'whole') return [];
        return [
          { ...cover, shows: { state: streamRow.loopState, happens: `a chunk is emitted without a verdict: ${cover.detail}` } },
        ];
      }),
  },
} as const satisfies Partial<Record<ErrorCode, Check>>;
