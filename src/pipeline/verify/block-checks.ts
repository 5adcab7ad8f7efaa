import type { PhaseRow } from '../../phase/row.js';
import { isAlways, isNever } from '../constant-condition.js';
import { otherwise, type BranchNode, type ParallelNode } from '../graph.js';
import type { Check, DefectLocation, Subject } from './check.js';
import { guardsFrom, mayDecide, locationsFrom, rowsOf, type GuardLocation, type GraphLocation } from './graph-location.js';

const branchesOf = ({ roots }: Subject): GraphLocation<BranchNode>[] =>
  roots.flatMap(locationsFrom).filter((place): place is GraphLocation<BranchNode> => place.node.kind === 'branch');

/** An arm that never runs: its condition is never true, or it is `otherwise` next to an arm that always matches. */
export const unreachableArm: Check = {
  severity: 'warning',
  find: (subject) =>
    branchesOf(subject)
      .flatMap(({ node: { arms }, children }) => {
        const isTaken = arms.some(({ when }) => when !== otherwise && isAlways(when));
        return children.filter((_, index) => isNever(arms[index]?.when) || (isTaken && arms[index]?.when === otherwise));
      })
      .map(({ path }) => ({ path })),
};

/** An arm after one that always matches, or after `otherwise`: it looks as if it could not run. */
export const armAfterOtherwise: Check = {
  severity: 'warning',
  find: (subject) =>
    branchesOf(subject)
      .flatMap(({ node, children }) => {
        const always = node.arms.findIndex(({ when }) => isAlways(when));
        return always < 0 ? [] : children.slice(always + 1);
      })
      .map(({ path }) => ({ path })),
};

const isStrict = (place: GraphLocation): place is GraphLocation<BranchNode | ParallelNode> =>
  (place.node.kind === 'parallel' || place.node.kind === 'branch') && place.node.overlap === 'error';

/** Two parallel guards that both edit, under the rule that fails the run if their edits overlap. */
export const parallelWriters: Check = {
  severity: 'warning',
  find: ({ roots }) => roots.flatMap(locationsFrom).filter(isStrict).flatMap(conflictIn),
};

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

interface Writer {
  readonly branch: GraphLocation;
  readonly guard: GuardLocation;
  readonly row: PhaseRow;
}

const writersIn = (branch: GraphLocation): Writer[] =>
  guardsFrom(branch)
    .filter((guard) => mayDecide(guard, 'edit'))
    .flatMap((guard) => rowsOf(guard).map((row) => ({ branch, guard, row })));
