import type { Guard } from '../guard/in-sequence.js';
import { isPromise, whenReady, type Awaitable } from '../phase/awaitable.js';
import type { Phase, PhaseData, PhaseRow } from '../phase/row.js';
import type { MessageCarrier } from '../phase/settle-messages.js';
import { strictest, pass, type Verdict } from '../verdict.js';
import { createBlockScopes, snapshotOf } from './block-scope.js';
import { InterlockError } from '../errors.js';
import type { RunScope } from '../phase/scope.js';
import type { StaleVerdicts } from './graph.js';
import { mergeValues } from './merge.js';
import { MergeConflict, nameOfRule, type MergeOptions, type OverlapRule, type Version } from './overlap.js';
import { isSame } from '../phase/plain-data.js';

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
export interface SettleBlockOptions<P extends Phase> extends MergeBranchesOptions<P> {
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

/** A parallel block or a branch at one position of a pipeline. */
export interface Block<P extends Phase> {
  readonly row: PhaseRow<P>;
  readonly path: string;
  readonly overlap: OverlapRule;
  readonly staleVerdicts: StaleVerdicts;
}

/** The results of a block's branches for a payload. */
export interface MergeBranchesOptions<P extends Phase> {
  readonly data: PhaseData<P>;
  /** The ids of the branches; a processor's step id (`processor:pii`) counts as its name. */
  readonly branches: readonly { readonly id: string }[];
  /** Each branch's result, in the same order: its snapshot, possibly edited in place, or its new payload. */
  readonly results: readonly PhaseData<P>[];
  readonly block: Block<P>;
  readonly scope: RunScope;
}

/** The result of a merge. */
interface Merged<P extends Phase> {
  readonly verdict: Verdict<PhaseData<P>>;
  /** The indexes of the branches that changed anything. */
  readonly writers: ReadonlySet<number>;
}

/**
 * Merges the branches' versions of a payload; the merged messages are written into the payload's own list. An overlap under the rule
 * `error` (`pipeline/conflict`), and a rule function that throws, result in no verdict.
 */
export const mergeBranches = <P extends Phase>(options: MergeBranchesOptions<P>): Merged<P> => {
  const { data, block, scope } = options;
  const { row, path } = block;
  const writers = new Set<number>();
  try {
    const followed = mergeLists(options, writers) ? (row.refresh?.(data, scope.host) ?? data) : data;
    const merged = mergeFields(options, followed, writers);
    return { verdict: merged === data ? pass : { kind: 'edit', data: merged }, writers };
  } catch (cause) {
    const error = mergeError(path, cause);
    return { verdict: { kind: 'unavailable', processorId: path, phase: row.phase, path, error }, writers };
  }
};

const mergeError = (path: string, cause: unknown): unknown =>
  cause instanceof MergeConflict ? new InterlockError('pipeline/conflict', { path, detail: cause.message, cause }) : cause;

type Fields = Record<string, unknown>;

/** The name of a branch in reports and merges. */
export const authorOf = ({ id }: { readonly id: string }): string => id.replace(/^processor:/, '');

interface CompareOptions {
  /** The input of all branches. */
  readonly base: unknown;
  /** The result of each branch. */
  readonly values: readonly unknown[];
  readonly writers: Set<number>;
}

/** Creation times are set by the host and are not edits. */
const times: ReadonlySet<string> = new Set(['createdAt']);

/** The versions that differ from the base, with the id of their branch. */
const versionsOf = <P extends Phase>(
  { branches }: MergeBranchesOptions<P>,
  { base, values, writers }: CompareOptions,
): Version[] =>
  values.flatMap((value, index): Version[] => {
    const branch = branches[index];
    if (!branch || isSame(base, value, times)) return [];
    writers.add(index);
    return [{ author: authorOf(branch), value }];
  });

const optionsOf = <P extends Phase>({ block, scope }: MergeBranchesOptions<P>): MergeOptions => {
  const { row, path, overlap } = block;
  return {
    rule: overlap,
    onOverlap: ({ target, edits }) =>
      scope.reportConflict({
        phase: row.phase,
        path,
        rule: nameOfRule(overlap),
        target,
        authors: edits.map((edit) => edit.author),
      }),
  };
};

/** Times, and the ids of messages that were replaced by new ones. */
const bookkeeping = /(^|\.)createdAt$|^messages\.\d+\.id$/;

/** Merges the messages into the payload's list; returns whether they changed. */
const mergeLists = <P extends Phase>(merging: MergeBranchesOptions<P>, writers: Set<number>): boolean => {
  const { data, results, scope } = merging;
  const { messages } = scope.host;
  const { messageList: list }: MessageCarrier = data;
  const lists = results.map(({ messageList }: MessageCarrier) => messageList ?? list);
  if (!list) return false;
  const changed = lists.map((own) => (own && own !== list && !messages.isUnchanged(own, list) ? own : undefined));
  if (!changed.some(Boolean)) return false;
  const { complete } = merging.block.row.carries ?? {};
  if (complete?.(list, data, scope.host)) for (const own of changed) if (own) complete(own, data, scope.host);
  const base = messages.snapshot(list);
  const states = changed.map((own) => (own ? messages.snapshot(own) : base));
  const options = { ...optionsOf(merging), isBookkeeping: (target: string) => bookkeeping.test(target) };
  const merged = mergeValues(base, versionsOf(merging, { base, values: states, writers }), { options, target: '' });
  if (merged === base) return false;
  messages.restore(list, merged);
  return true;
};

/** Fields derived from the list, and fields that an engine passes along with the payload. */
const unmerged = new Set(['messageList', 'messages', 'systemMessages', 'processorStates', 'abortSignal']);

/** Merges all fields that do not come from the list; returns the payload itself if nothing changed. */
const mergeFields = <P extends Phase>(
  merging: MergeBranchesOptions<P>,
  followed: PhaseData<P>,
  writers: Set<number>,
): PhaseData<P> => {
  const { data, results, block } = merging;
  const base: Fields = data;
  const implied: Fields = block.row.implies?.(data) ?? {};
  const changed: Fields = {};
  for (const name of touchedIn(merging, followed)) {
    const valueIn = (fields: Fields) => (fields[name] === undefined ? implied[name] : fields[name]);
    const before = valueIn(base);
    const versions = versionsOf(merging, { base: before, values: results.map(valueIn), writers });
    if (versions.length === 0) continue;
    const options = { ...optionsOf(merging), isWhole: wholeIn(block.row.merge?.whole ?? []) };
    changed[name] = mergeValues(before, versions, { options, target: name });
  }
  return Object.keys(changed).length === 0 ? followed : { ...followed, ...changed };
};

/** The fields that some branch replaced by another value. Values are not inspected: this runs for every chunk of a stream. */
const touchedIn = <P extends Phase>({ data, results }: MergeBranchesOptions<P>, followed: PhaseData<P>): Set<string> => {
  const base: Fields = data;
  const touched = new Set<string>();
  for (const result of results as readonly Fields[]) {
    for (const name in base) if (result[name] !== base[name]) touched.add(name);
    for (const name in result) if (result[name] !== base[name]) touched.add(name);
  }
  for (const name of touched) if (unmerged.has(name) || (followed as Fields)[name] !== base[name]) touched.delete(name);
  return touched;
};

const wholeIn =
  (names: readonly string[]) =>
  (target: string): boolean =>
    names.some((name) => (name.endsWith('.*') ? target.startsWith(name.slice(0, -1)) : target === name));
