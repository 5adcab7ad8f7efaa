import type { Guard } from '../guard/in-sequence.js';
import { isPromise, whenReady, type Awaitable } from '../phase/awaitable.js';
import type { Phase, PhaseData } from '../phase/row.js';
import type { MessageCarrier } from '../phase/settle-messages.js';
import { strictest, type Verdict } from '../verdict.js';
import { createBlockScopes, snapshotOf } from './block-scope.js';
import { authorOf, mergeBranches, type Block, type MergeBranchesOptions } from './merge-branches.js';

/** One branch of a block: its guard, and the name of its edits. */
interface Branch<P extends Phase> {
  readonly id: string;
  readonly guard: Guard<P>;
}

/** A branch with its index among all nodes of its block. */
export interface IndexedBranch<P extends Phase> extends Branch<P> {
  readonly index: number;
}

/**
 * Combines parallel guards to one guard. Each works on its own snapshot; their changes are merged against the common base. The strictest
 * verdict wins: a trip ends the block at once and cancels the others, then comes a guard without a verdict, then all retry reasons as
 * one, then the merged edits.
 */
export const inParallel = <P extends Phase>(branches: readonly Branch<P>[], block: Block<P>): Guard<P> => {
  const scopes = createBlockScopes();
  return (data, outer) => {
    const blockScope = scopes.take(outer);
    const snapshots = branches.map(() => snapshotOf<P>(data, outer));
    const verdicts = branches.map(({ guard }, index) => guard(snapshots[index] as PhaseData<P>, blockScope.scope)); // one each
    return whenReady(firstTripOrAll(verdicts), (known) => {
      const stop = strictest(known);
      if (stop?.kind === 'trip') blockScope.cancel(new DOMException(`${stop.processorId} blocked.`, 'AbortError'));
      else scopes.giveBack(outer, blockScope);
      if (stop) return stop;
      // No stop: every branch has its verdict. A guard that passed may have changed its snapshot in place.
      const results = snapshots.map((snapshot, index) => {
        const verdict = known[index];
        return verdict?.kind === 'edit' ? verdict.data : snapshot;
      });
      return settleBlock({ data, branches, results, block, scope: outer });
    });
  };
};

/** The results of branches that may judge again. */
interface SettleBlockOptions<P extends Phase> extends MergeBranchesOptions<P> {
  readonly branches: readonly Branch<P>[];
}

/**
 * Settles the payload after a block without a stop: merges the edits. Branches that passed have not seen their siblings' edits:
 * this is reported, and under `staleVerdicts: 'rerun'` they judge the merged payload once.
 */
export const settleBlock = <P extends Phase>(options: SettleBlockOptions<P>): Awaitable<Verdict<PhaseData<P>>> => {
  const { branches, block, scope } = options;
  const isRerun = block.staleVerdicts === 'rerun';
  const undo = isRerun ? checkpointOf(options) : undefined;
  const { verdict, writers } = mergeBranches(options);
  const readers = branches.filter((_, index) => !writers.has(index));
  if (verdict.kind !== 'edit' || readers.length === 0) return verdict;
  const authors = branches.filter((_, index) => writers.has(index)).map(authorOf);
  scope.reportStale({ phase: block.row.phase, path: block.path, isRerun, readers: readers.map(authorOf), authors });
  if (!isRerun) return verdict;
  const again = inParallel(readers, { ...block, staleVerdicts: 'report' })(verdict.data, scope);
  return whenReady(again, (second) => {
    if (second.kind === 'pass') return verdict;
    if (second.kind !== 'edit') undo?.(); // a block that is stopped leaves the messages as they were
    return second;
  });
};

const checkpointOf = <P extends Phase>({ data, block, scope }: SettleBlockOptions<P>): (() => void) | undefined => {
  const { messageList }: MessageCarrier = data;
  return block.row.refresh && messageList && scope.host.messages.checkpoint(messageList);
};

/** The verdicts in the order of the branches; with a trip, only those known by then. */
type Known<D> = readonly (Verdict<D> | undefined)[];

/** Waits for all verdicts, or for the first trip: it does not wait for guards that ignore their signal. */
export const firstTripOrAll = <D>(verdicts: readonly Awaitable<Verdict<D>>[]): Awaitable<Known<D>> => {
  const known = verdicts.map((verdict) => (isPromise(verdict) ? undefined : verdict));
  const isTrip = (verdict: Verdict<D> | undefined) => verdict?.kind === 'trip';
  if (known.some(isTrip) || !known.includes(undefined)) return known;
  return new Promise((resolve, reject) => {
    const record = (verdict: Verdict<D>, index: number) => {
      known[index] = verdict;
      if (isTrip(verdict) || !known.includes(undefined)) resolve(known);
    };
    for (const [index, verdict] of verdicts.entries())
      if (isPromise(verdict)) verdict.then((done) => record(done, index), reject);
  });
};
